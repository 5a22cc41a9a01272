"""Several suites at the same time: one loop, and one number of attempts at a time for all of them together."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import anyio

from ..errors import UsageError
from . import signals
from .attempt import Job
from .collecting import seldom
from .executors.receiving import refuse_while_loading
from .lag import Span, Watch, to_stderr, watching
from .running import Run
from .signals import alarmed
from .threads import followed
from .tls import taxed

if TYPE_CHECKING:
    from .reporters.protocol import Reporter
    from .suite import Suite


class Abreast:
    """Several suites that run at the same time, at most `width` attempts at a time in all of them together.

    Each has its own caps, executor, world and deadline, and leaves its report in itself. An attempt begins only if it is still `needed`
    when its turn comes. `refused` says which suites could not be run, for bad input that was found at their first build; the others go on.
    """

    def __init__(
        self,
        suites: Sequence[Suite],
        reporter: Reporter,
        *,
        width: int,
        needed: Callable[[Suite, Job], bool] = lambda suite, job: True,
    ) -> None:
        self.suites = suites
        self.reporter = reporter
        self.width = width
        self.needed = needed
        self.refused: dict[Suite, UsageError] = {}
        self.notes: list[str] = []
        self._runs: list[Run] = []

    def stop(self, why: str) -> None:
        """End all of it: no attempt begins any more, and those under way are cancelled."""
        for run in self._runs:
            run.stop(why)

    async def go(self) -> None:
        """Make the attempts of all suites; cancellation is raised when every suite has its report."""
        refuse_while_loading()
        # One alarm for the loop that they share: it must not ring before any of them would be late.
        longest = max(suite.deadline for suite in self.suites)
        with seldom(), followed(), alarmed(longest + signals.SLACK), contextlib.ExitStack() as taxes:
            gate = anyio.Semaphore(self.width)
            for suite in self.suites:
                run = Run(suite, self.reporter, taxes.enter_context(taxed()))
                run.gate, run.needed = gate, functools.partial(self.needed, suite)
                self._runs.append(run)
            watch = Watch(self._tools, to_stderr, stood=self._stood)
            for run in self._runs:
                run.settled_by(watch)
            with watching(watch):
                async with anyio.create_task_group() as group:
                    for run in self._runs:
                        group.start_soon(self._one, run)
            self.notes += filter(None, [watch.note()])

    async def _one(self, run: Run) -> None:
        try:
            # Whoever blocks the loop blocks it for all of them, and is watched for once.
            await run.whole(contextlib.nullcontext())
        except UsageError as error:
            self.refused[run.suite] = error

    def _tools(self) -> list[str]:
        return [tool for run in self._runs for tool in run.watch.running()]

    def _stood(self, spans: Sequence[Span]) -> None:
        """Tell the attempts of all suites that the loop stood still; alone on it is one that has no other beside it in any of them."""
        underway = [under for run in self._runs if run.runner is not None for under in run.runner.underway]
        for under in underway:
            under.stood(spans, alone=len(underway) == 1)
