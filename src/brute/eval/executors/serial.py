"""Attempts one after the other, in the order of the plan."""

from __future__ import annotations

from ..attempt import Attempt, Job
from ..runner import Runner


class Serial:
    """Attempts one after the other on the running loop: what every other executor must agree with."""

    width = 1

    def __init__(self, runner: Runner) -> None:
        self.runner = runner

    async def open(self) -> None:
        """Nothing."""

    async def attempt(self, job: Job) -> Attempt:
        """The attempt, made here."""
        return await self.runner.attempt(job)

    async def close(self) -> None:
        """Nothing."""
