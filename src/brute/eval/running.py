"""The run of a suite: attempts side by side, each reported as it ends, and a report whatever happened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anyio

from ..errors import UsageError
from . import signals, wording
from .adapters import adapt
from .attempt import Attempt, Job
from .collecting import seldom
from .keeping import Keeping
from .report import Report
from .reporters.protocol import Reporter
from .runner import Runner
from .signals import alarmed
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
    with seldom(), taxed() as tax, alarmed(suite.deadline + signals.SLACK):
        one = Run(suite, reporter, tax)
        try:
            await one.go()
        except asyncio.CancelledError:
            one.interrupted = True
            raise
        finally:
            # The log is told first, for what it has to say of itself stands in the report.
            one.kept.end(one.report(), refused=one.refused is not None)
            suite.report = one.report()
            if one.refused is None:
                one.tell("finished", suite.report)
                # Once more, for a reporter that broke at the very end.
                suite.report = one.report()


class Run:
    """One run under way: the plan, what has come of it so far, and who is told."""

    def __init__(self, suite: Suite, reporter: Reporter, tax: Tax) -> None:
        self.suite = suite
        self.reporter = reporter
        self.plan = suite.plan()
        self.tax = tax
        self.runner = Runner(
            suite.builder, adapt, suite.world, deadline=suite.deadline, unstubbed=suite.unstubbed, tax=tax
        )
        self.kept = Keeping(suite, self.plan)
        self.made = dict(self.kept.done)
        self.left = [(index, job) for index, job in enumerate(self.plan) if index not in self.made]
        # Attempts take turns in a world that they share.
        self.width = 1 if isinstance(suite.world, World) else min(suite.jobs, len(self.left))
        self.began = time.perf_counter()
        self.interrupted = False
        self.stopped: str | None = None
        self.refused: UsageError | None = None
        self.notes: list[str] = []

    async def go(self) -> None:
        """Make the attempts, `width` at a time."""
        self.tell("started", [job for _, job in self.left], self.width, self.suite.name)
        jobs = iter(self.left)
        async with anyio.create_task_group() as group:
            for number in range(1, self.width + 1):
                group.start_soon(self._work, jobs, group.cancel_scope)
                if number % ABREAST == 0:
                    await asyncio.sleep(0)
        if self.refused is not None:
            raise self.refused

    async def _work(self, jobs: Iterator[tuple[int, Job]], scope: anyio.CancelScope) -> None:
        for index, job in jobs:
            self.tell("began", job)
            try:
                attempt = await self.runner.attempt(job)
            except UsageError as error:
                self.refused = self.refused or error
                scope.cancel()
                return
            except Exception as error:
                attempt = _broken(job, error)
            attempt = self.made[index] = self._named(attempt)
            kept = await self.kept.wrote(index, attempt)
            self.tell("attempted", attempt)
            self.made[index] = kept
            if self.suite.fail_fast and attempt.status == "failed":
                self.stopped = f"stopped at the first failed case ({wording.visible(job.case.name)})"
                scope.cancel()
                return

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

    def report(self) -> Report:
        """The report on what has been made so far; the rest of the plan is cancelled."""
        why = "the run was interrupted" if self.interrupted else self.stopped or "the run ended before it"
        attempts = tuple(
            self.made.get(index) or _cancelled(job, why, self.suite.name) for index, job in enumerate(self.plan)
        )
        taxed = self.tax.note(len(self.made))
        return Report(
            attempts=attempts,
            seconds=time.perf_counter() - self.began,
            interrupted=self.interrupted,
            stopped=self.stopped,
            notes=(*self.notes, *([taxed] if taxed else []), *self.kept.notes),
        )


def _cancelled(job: Job, why: str, suite: str) -> Attempt:
    verdict = Verdict(failures=(Failure("cancelled", f"not finished: {why}"),))
    return Attempt(job.case, job.number, "cancelled", verdict, Transcript(said=job.case.said), suite)


def _broken(job: Job, error: Exception) -> Attempt:
    """The attempt at which the harness itself broke: an error of ours, which costs no other attempt its result."""
    verdict = Verdict(failures=(Failure("error.harness", f"the harness broke: {wording.exception(error)}"),))
    return Attempt(job.case, job.number, "error", verdict, Transcript(said=job.case.said))
