"""How far a run has come."""

from __future__ import annotations

import dataclasses
from collections import Counter

from ..attempt import Attempt, Job
from ..verdict import STATUSES
from .inert import inert
from .lines import STYLES, Line, seconds


@dataclasses.dataclass(slots=True)
class Progress:
    """How far a run has come: the attempts in all, how those that ended came out, and the names of those under way."""

    total: int = 0
    ended: Counter[str] = dataclasses.field(default_factory=Counter)
    running: dict[tuple[int, int], str] = dataclasses.field(default_factory=dict)

    def began(self, job: Job) -> None:
        """Take note that an attempt is under way."""
        number = f" {job.number}/{job.case.runs}" if job.case.runs > 1 else ""
        self.running[id(job.case), job.number] = f"{inert(job.case.name, 60)}{number}"

    def attempted(self, attempt: Attempt) -> None:
        """Take note that an attempt has ended."""
        self.running.pop((id(attempt.case), attempt.number), None)
        self.ended[attempt.status] += 1

    def line(self, elapsed: float) -> Line:
        """The progress in one line, what matters most first: a narrow terminal cuts off its end."""
        done = sum(self.ended.values())
        counts = [(f", {self.ended[status]:,} {status}", STYLES[status]) for status in STATUSES if self.ended[status]]
        # Whoever has been under way for longest is what one waits for.
        waiting = ", ".join(list(self.running.values())[:5])
        named = ((f"  {waiting}", "dim"),) if waiting else ()
        return ((f"{done:,}/{self.total:,} attempts", "bold"), *counts, (f", {seconds(elapsed)} s", ""), *named)
