"""The run of a suite: attempts side by side, each reported as it ends, and a report whatever happened."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import anyio

from ..errors import UsageError
from . import frozen, judging, remarks, signals, stepping, unmade, wording
from .adapters import adapt
from .attempt import Job
from .caps import Meter
from .cassettes.during import Replayed, taped
from .collecting import seldom
from .executors.local import Local
from .executors.protocol import Executor
from .executors.receiving import refuse_while_loading
from .executors.serial import Serial
from .keeping import Keeping
from .lag import Watch, to_stderr, watching
from .report import Report
from .reporters.protocol import Reporter
from .retries import Retries
from .runner import Runner
from .signals import alarmed
from .threads import followed
from .tls import Tax, taxed
from .world import World

if TYPE_CHECKING:
    from .suite import Suite

ABREAST = 8
"""How many attempts begin in one pass of the loop. Were it all of a thousand, they would march in step: none would have sent its
first request before all had built their agents, and the loop would idle until the answers came in, all at once."""


async def run(suite: Suite, reporter: Reporter) -> None:
    """Run the suite and leave its report in `suite.report`; bad input found at the first build is raised, as is cancellation."""
    refuse_while_loading()
    with seldom(), followed(), taxed() as tax, alarmed(suite.deadline + signals.SLACK):
        one = Run(suite, reporter, tax)
        await one.whole(watching(one.watch))


class Run:
    """One run under way: the plan, what has come of it so far, and who is told.

    Where it shares its time with other runs, an attempt is made within `gate`, and only if it is `needed` by then.
    """

    gate: contextlib.AbstractAsyncContextManager[Any] | None = None

    def __init__(self, suite: Suite, reporter: Reporter, tax: Tax) -> None:
        self.suite = suite
        self.reporter = reporter
        self.plan, self.tax = suite.plan(), tax
        self.kept = Keeping(suite, self.plan)
        self.made = dict(self.kept.done)
        self.left = [(index, job) for index, job in enumerate(self.plan) if index not in self.made]
        self.retries = Retries(suite.retries)
        self.meter = Meter(suite.caps, within=suite.meter)
        self.meter.had(self.kept.spent(self.meter.counts))
        self.judge: judging.Judge | None = None
        # Attempts take turns in a world that they share.
        width = 1 if isinstance(suite.world, World) else min(suite.jobs, len(self.left))
        self.executor, self.runner = _executor(suite, width, tax, self.meter)
        warn, runner = getattr(reporter, "warned", to_stderr), self.runner
        self.watch = Watch(list, warn) if runner is None else Watch(runner.tools, warn, stood=runner.stood)
        self.settled_by(self.watch)
        self.width = self.executor.width
        self.began = time.perf_counter()
        self.interrupted = False
        self.stopped: str | None = None
        self.refused: UsageError | None = None
        self.notes: list[str] = []
        self.replayed = Replayed()
        self.needed: Callable[[Job], bool] = lambda job: True
        self._scope = anyio.CancelScope()
        suite.cut = self.cut

    def settled_by(self, watch: Watch) -> None:
        """Have the attempts' time read after a beat of this watch, which must be the one that is started over their loop."""
        if self.runner is not None:
            self.runner.settle = watch.beat

    async def whole(self, watched: contextlib.AbstractContextManager[None]) -> None:
        """Make the attempts while the loop is `watched`, and leave the report in the suite, whatever happened."""
        try:
            with watched, taped(self.suite):
                await self.go()
        except UsageError as error:
            self.refused = self.refused or error
            raise
        except asyncio.CancelledError:
            self.interrupted = True
            raise
        finally:
            # The log is told first, for what it has to say of itself stands in the report.
            self.kept.end(self.report(), self.meter.spent, refused=self.refused is not None)
            self.suite.report = self.report()
            if self.refused is None:
                self.tell("finished", self.suite.report)
                # Once more, for a reporter that broke at the very end.
                self.suite.report = self.report()

    def stop(self, why: str) -> None:
        """Begin no attempt any more, and cancel those under way."""
        self.stopped = self.stopped or why
        self._scope.cancel()

    async def go(self) -> None:
        """Make the attempts, `width` at a time."""
        try:
            await self._open()
            # Where other processes make the attempts, none of them can hold this one's lock.
            with frozen.watched(self.suite.deadline) if self.runner is not None else contextlib.nullcontext():
                await self._go()
        finally:
            await self.executor.close()

    async def _open(self) -> None:
        try:
            self.judge = judging.wanted(self.suite.cases, self.suite.judge, self.suite.votes, self.meter.heard)
            await self.executor.open()
        except UsageError as error:
            self.refused = error
            raise

    async def _go(self) -> None:
        self.tell("started", [job for _, job in self.left], self.width, self.suite.name)
        if self.meter.reached is not None:
            return
        jobs = iter(self.left)
        with self._scope, self.meter.stopping(self._scope.cancel):
            async with anyio.create_task_group() as group:
                for number in range(1, self.width + 1):
                    group.start_soon(self._work, jobs)
                    if number % ABREAST == 0:
                        await asyncio.sleep(0)
        if self.refused is not None:
            raise self.refused

    async def _work(self, jobs: Iterator[tuple[int, Job]]) -> None:
        waiting = stepping.Waiting()
        stepping.waiting.set(waiting)
        for index, job in jobs:
            if self.gate is None:
                goes_on = await self._one(index, job)
            else:
                async with self.gate:
                    goes_on = not self.needed(job) or await self._one(index, job)
            if not goes_on:
                return
            # A suite of turns that never wait would leave the loop no time for a timer, nor for Ctrl-C.
            if not waiting.had:
                await asyncio.sleep(0)
            waiting.had = False

    async def _one(self, index: int, job: Job) -> bool:
        """Make one attempt, keep it and tell of it; whether the run goes on."""
        self.tell("began", job)
        try:
            attempt = await self.retries.made(self.executor.attempt, job)
            if self.judge is not None:
                attempt = await self.judge.judged(attempt, self.suite.deadline, self.suite.deck())
        except UsageError as error:
            self.refused = self.refused or error
            self._scope.cancel()
            return False
        except (Exception, SystemExit) as error:  # whose code ever: the other attempts have verdicts of their own
            attempt = unmade.broken(job, error)
        if attempt.status != "passed" and signals.interrupted():
            # It may have come to grief by that: a terminal's Ctrl-C goes to the processes that a tool had started, too.
            return False
        attempt = self.made[index] = unmade.named(attempt, self.suite.name) if self.suite.name else attempt
        if attempt.transcript.replayed:
            self.replayed.seen(attempt.transcript)
        kept = await self.kept.wrote(index, attempt) if self.kept.writes else attempt
        self.tell("attempted", attempt)
        self.made[index] = kept
        if self.suite.fail_fast and attempt.status == "failed":
            self.stop(f"stopped at the first failed case ({wording.visible(job.case.name)})")
            return False
        return True

    def tell(self, what: str, *about: Any) -> None:
        """Tell the reporter; one that breaks is told of in the report, and never costs a result."""
        try:
            getattr(self.reporter, what)(*about)
        except (Exception, SystemExit) as error:
            note = f"the reporter {type(self.reporter).__name__} broke: {wording.exception(error)}"
            if note not in self.notes:
                self.notes.append(note)

    def cut(self) -> Report:
        """The report of a run that was ended at once, in the middle of whatever it did."""
        self.interrupted = True
        return self.report()

    def report(self) -> Report:
        """The report on what has been made so far; the rest of the plan is cancelled."""
        self._crowded()
        stopped = self.stopped
        if stopped is None and len(self.made) < len(self.plan):
            stopped = self.meter.reached
        why = remarks.INTERRUPTED if self.interrupted else stopped or remarks.ENDED
        notes = (self.retries.note(), self.watch.note(), self.tax.note(len(self.made)))
        remarked = [each for each in (*notes, self.replayed.note(self.suite.name)) if each]
        return Report(
            attempts=unmade.filled(self.made, self.plan, why, self.suite.name),
            seconds=time.perf_counter() - self.began,
            interrupted=self.interrupted,
            stopped=stopped,
            notes=(*self.notes, *self.meter.notes(), *remarked, *self.kept.notes),
        )

    def _crowded(self) -> None:
        """Note the providers that were asked too much, where models behind an API were asked at all."""
        limiting = sys.modules.get("brute.completion.limiting")
        # What a loop knows is gone with it.
        with contextlib.suppress(RuntimeError):
            self.notes += [remarks.narrowed(*told) for told in limiting.narrowed()] if limiting is not None else []


def _executor(suite: Suite, width: int, tax: Tax, meter: Meter) -> tuple[Executor, Runner | None]:
    """The suite's executor, by its name; and what makes the attempts where that is in this process."""
    if suite.executor == "process":
        from .executors.process import Process

        return Process(suite, width, tax, meter.used), None
    runner = Runner(
        suite.builder,
        adapt,
        suite.world,
        deadline=suite.deadline,
        unstubbed=suite.unstubbed,
        tax=tax,
        heard=meter.heard,
        faults=suite.faults,
        deck=suite.deck(),
    )
    return Serial(runner) if suite.executor == "serial" else Local(runner, width), runner
