"""What a reporter is: something that reads a run as it goes on. It never decides anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..attempt import Attempt, Job
from ..report import Report


class Reporter(Protocol):
    """A reader of a run. The exit status comes from the report, never from a reporter.

    The methods are called on the loop, one at a time, in this order: `started` once, `began` and `attempted` for each attempt
    (in the order of completion), `finished` once, also when the run was interrupted. One that has a method `warned(sentence)` is told,
    on another thread, of what blocks the loop while it does; elsewhere that goes to standard error.
    """

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """A run of `plan` begins, `jobs` attempts at a time; `suite` names it."""
        ...

    def began(self, job: Job) -> None:
        """An attempt begins."""
        ...

    def attempted(self, attempt: Attempt) -> None:
        """An attempt has ended."""
        ...

    def finished(self, report: Report) -> None:
        """The run is over."""
        ...
