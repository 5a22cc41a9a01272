"""Attempts side by side on the running loop, sync leaves on threads."""

from __future__ import annotations

from collections.abc import Awaitable

from ..attempt import Attempt, Job
from ..runner import Runner


class Local:
    """Attempts side by side on the running loop: the quickest way, as far as agents wait and don't compute.

    What blocks a thread for ever is left behind in it, and what ends or crashes the process ends the run.
    """

    def __init__(self, runner: Runner, width: int) -> None:
        self.runner = runner
        self.width = width

    async def open(self) -> None:
        """Nothing."""

    def attempt(self, job: Job) -> Awaitable[Attempt]:
        """The attempt, made here."""
        return self.runner.attempt(job)

    async def close(self) -> None:
        """Nothing."""
