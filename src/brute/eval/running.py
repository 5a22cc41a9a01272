"""The run of a suite: attempts side by side, each reported as it ends, and a report whatever happened."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anyio

from ..errors import UsageError
from . import remarks, signals, stepping, wording
from .adapters import adapt
from .attempt import Attempt, Job
from .caps import Meter
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
from .transcript import Transcript
from .verdict import Failure, Verdict
from .world import World

if TYPE_CHECKING:
    from .suite import Suite

ABREAST = 8
"""How many attempts begin in one pass of the loop. Were it all of a thousand, they would march in step: none would have sent its
first request before all had built their agents, and the loop would idle until the answers came in, all at once."""


async def run(suite: Suite, reporter: Reporter) -> None:
    """Run the suite and leave its report in `suite.report`; bad input found at the first build is raised, as is cancellation."""
    refuse_while_loading()
    with seldom(), followed(), taxed() as tax, taped(suite), alarmed(suite.deadline + signals.SLACK):
        one = Run(suite, reporter, tax)
        suite.cut = one.cut
        try:
            with watching(one.watch):
                await one.go()
        except asyncio.CancelledError:
            one.interrupted = True
            raise
        finally:
            # The log is told first, for what it has to say of itself stands in the report.
            one.kept.end(one.report(), one.meter.spent, refused=one.refused is not None)
            suite.report = one.report()
            if one.refused is None:
                one.tell("finished", suite.report)
                # Once more, for a reporter that broke at the very end.
                suite.report = one.report()


@contextlib.contextmanager
def taped(suite: Suite) -> Iterator[None]:
    """While the suite runs, where it is to be recorded or replayed."""
    deck = suite.deck()
    if deck is None:
        yield
        return
    from .cassettes import keys, wires

    deck.open()
    with wires.watched(), keys.given() if "model" in deck.replay else contextlib.nullcontext():
        yield


class Run:
    """One run under way: the plan, what has come of it so far, and who is told."""

    def __init__(self, suite: Suite, reporter: Reporter, tax: Tax) -> None:
        self.suite = suite
        self.reporter = reporter
        self.plan = suite.plan()
        self.tax = tax
        self.kept = Keeping(suite, self.plan)
        self.made = dict(self.kept.done)
        self.left = [(index, job) for index, job in enumerate(self.plan) if index not in self.made]
        self.retries = Retries(suite.retries)
        self.meter = Meter(suite.caps, within=suite.meter)
        self.meter.had(self.kept.spent(self.meter.counts))
        # Attempts take turns in a world that they share.
        width = 1 if isinstance(suite.world, World) else min(suite.jobs, len(self.left))
        self.executor, runner = _executor(suite, width, tax, self.meter)
        warn = getattr(reporter, "warned", to_stderr)
        self.watch = Watch(list, warn) if runner is None else Watch(runner.tools, warn, stood=runner.stood)
        if runner is not None:
            runner.settle = self.watch.beat
        self.width = self.executor.width
        self.began = time.perf_counter()
        self.interrupted = False
        self.stopped: str | None = None
        self.refused: UsageError | None = None
        self.notes: list[str] = []
        self.replayed: Counter[str] = Counter()

    async def go(self) -> None:
        """Make the attempts, `width` at a time."""
        try:
            await self._open()
            await self._go()
        finally:
            await self.executor.close()

    async def _open(self) -> None:
        try:
            await self.executor.open()
        except UsageError as error:
            self.refused = error
            raise

    async def _go(self) -> None:
        self.tell("started", [job for _, job in self.left], self.width, self.suite.name)
        if self.meter.reached is not None:
            return
        jobs = iter(self.left)
        group = anyio.create_task_group()
        with self.meter.stopping(group.cancel_scope.cancel):
            async with group:
                for number in range(1, self.width + 1):
                    group.start_soon(self._work, jobs, group.cancel_scope)
                    if number % ABREAST == 0:
                        await asyncio.sleep(0)
        if self.refused is not None:
            raise self.refused

    async def _work(self, jobs: Iterator[tuple[int, Job]], scope: anyio.CancelScope) -> None:
        loop = asyncio.get_running_loop()
        for index, job in jobs:
            since = stepping.noted(loop)
            self.tell("began", job)
            try:
                attempt = await self.retries.made(functools.partial(self.executor.attempt, job))
            except UsageError as error:
                self.refused = self.refused or error
                scope.cancel()
                return
            except Exception as error:
                attempt = _broken(job, error)
            attempt = self.made[index] = self._named(attempt)
            self.replayed.update(("attempts", *attempt.transcript.replayed) if attempt.transcript.replayed else ())
            kept = await self.kept.wrote(index, attempt)
            self.tell("attempted", attempt)
            self.made[index] = kept
            if self.suite.fail_fast and attempt.status == "failed":
                self.stopped = f"stopped at the first failed case ({wording.visible(job.case.name)})"
                scope.cancel()
                return
            # A suite of turns that never wait would leave the loop no time for a timer, nor for Ctrl-C.
            await stepping.passed(since)

    def _named(self, attempt: Attempt) -> Attempt:
        import dataclasses

        return dataclasses.replace(attempt, suite=self.suite.name) if self.suite.name else attempt

    def tell(self, what: str, *about: Any) -> None:
        """Tell the reporter; one that breaks is told of in the report, and never costs a result."""
        try:
            getattr(self.reporter, what)(*about)
        except Exception as error:
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
        attempts = tuple(
            self.made.get(index) or _cancelled(job, why, self.suite.name) for index, job in enumerate(self.plan)
        )
        notes = (self.retries.note(), self.watch.note(), self.tax.note(len(self.made)), self._replayed())
        remarked = [each for each in notes if each]
        return Report(
            attempts=attempts,
            seconds=time.perf_counter() - self.began,
            interrupted=self.interrupted,
            stopped=stopped,
            notes=(*self.notes, *self.meter.notes(), *remarked, *self.kept.notes),
        )

    def _replayed(self) -> str:
        """That attempts were answered from recordings, and so not paid for."""
        if not self.replayed:
            return ""
        told = remarks.replayed(self.replayed["attempts"], self.replayed["model"])
        return f"{wording.visible(self.suite.name)}: {told}" if self.suite.name else told

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


def _cancelled(job: Job, why: str, suite: str) -> Attempt:
    verdict = Verdict(failures=(Failure("cancelled", remarks.not_finished(why)),))
    return Attempt(job.case, job.number, "cancelled", verdict, Transcript(said=job.case.said), suite)


def _broken(job: Job, error: Exception) -> Attempt:
    """The attempt at which the harness itself broke: an error of ours, which costs no other attempt its result."""
    verdict = Verdict(failures=(Failure("error.harness", f"the harness broke: {wording.exception(error)}"),))
    return Attempt(job.case, job.number, "error", verdict, Transcript(said=job.case.said))
