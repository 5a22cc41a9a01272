"""Several suites at the same time: one loop, and one number of attempts at a time for all of them together."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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
from .world import World

if TYPE_CHECKING:
    from .reporters.protocol import Reporter
    from .suite import Suite


class Abreast:
    """Several suites that run at the same time, at most `width` attempts at a time in all of them together.

    Each has its own caps, executor and deadline, and leaves its report in itself; attempts take turns in one world that several suites have. An
    attempt begins only if it is still `needed` when its turn comes. `refused` says which suites could not be run, for bad input that was found at their first build; the others go on.
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
            gate, worlds = anyio.Semaphore(self.width), _Worlds()
            for suite in self.suites:
                run = Run(suite, self.reporter, taxes.enter_context(taxed()))
                run.gate, run.needed = worlds.turns(suite.world, gate), functools.partial(self.needed, suite)
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


class _Worlds:
    """The worlds that suites have in common, each for one attempt at a time, whichever suite it is of."""

    def __init__(self) -> None:
        self._locks: dict[int, anyio.Lock] = {}

    def turns(self, world: Any, gate: anyio.Semaphore) -> contextlib.AbstractAsyncContextManager[Any]:
        """What an attempt in `world` is made within: `gate`, and before it, where the world is one for all of them, its turn in that."""
        return _Turn(self._locks.setdefault(id(world), anyio.Lock()), gate) if isinstance(world, World) else gate


class _Turn:
    """An attempt's turn in a world, and then a place at the gate, which it does not hold while it waits for the world."""

    def __init__(self, world: anyio.Lock, gate: anyio.Semaphore) -> None:
        self._world = world
        self._gate = gate

    async def __aenter__(self) -> None:
        await self._world.acquire()
        try:
            await self._gate.acquire()
        except BaseException:
            self._world.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._gate.release()
        self._world.release()
