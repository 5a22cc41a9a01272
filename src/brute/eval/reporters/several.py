"""Several reporters as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..attempt import Attempt, Job
from ..report import Report
from ..wording import exception
from .outlet import complain
from .protocol import Reporter


class Several:
    """A reporter that tells others, in their order; what breaks one of them costs only its own report.

    `unwritten` says what could not be written, the first of it. There is a `warned` where one of the others has it.
    """

    def __init__(self, *reporters: Reporter) -> None:
        self._reporters = reporters
        self._broken: str | None = None
        for reporter in reporters:
            if hasattr(reporter, "warned"):
                self.warned = reporter.warned

    @property
    def unwritten(self) -> str | None:
        """Why a report could not be written, if so."""
        said = (getattr(reporter, "unwritten", None) for reporter in self._reporters)
        return next(filter(None, (self._broken, *said)), None)

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Tell all of them."""
        self._tell("started", plan, jobs, suite)

    def began(self, job: Job) -> None:
        """Tell all of them."""
        self._tell("began", job)

    def attempted(self, attempt: Attempt) -> None:
        """Tell all of them."""
        self._tell("attempted", attempt)

    def finished(self, report: Report) -> None:
        """Tell all of them."""
        self._tell("finished", report)

    def close(self) -> None:
        """Let those that draw stop drawing."""
        for reporter in self._reporters:
            if hasattr(reporter, "close"):
                reporter.close()

    def _tell(self, what: str, *about: Any) -> None:
        for reporter in self._reporters:
            try:
                getattr(reporter, what)(*about)
            except Exception as error:
                if self._broken is None:
                    self._broken = f"the reporter {type(reporter).__name__} broke: {exception(error)}"
                    complain(self._broken)
