"""What an executor is: how one attempt is made, and how many at a time. Which, when, and what comes of it is the conductor's."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from ..attempt import Attempt, Job


class Executor(Protocol):
    """How attempts are made, `width` at a time at the most.

    `open` comes before everything else, and raises `UsageError` where the suite is none that this executor can run. `attempt` raises it for
    bad input found at the first build, and the harness' own exceptions; whoever cancels it gets the time to clean up that a
    turn has, and no more. `close` comes last, whatever happened, and leaves nothing running that could be stopped.
    """

    @property
    def width(self) -> int:
        """How many attempts may be under way at a time."""
        ...

    async def open(self) -> None:
        """Make ready."""
        ...

    def attempt(self, job: Job) -> Awaitable[Attempt]:
        """The attempt that the job orders."""
        ...

    async def close(self) -> None:
        """Give back everything."""
        ...
