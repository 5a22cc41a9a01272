"""Which of its failures a case is told by, wherever there is room for one."""

from __future__ import annotations

from ..attempt import Attempt
from ..report import CaseResult
from ..verdict import Failure
from .inert import paragraph


def headline(result: CaseResult) -> Failure | None:
    """The failure that made the case what it is, of the first attempt that came to the same."""
    attempt = next((each for each in result.attempts if each.status == result.status), None)
    return next(iter(foremost(attempt)), None) if attempt is not None else None


def foremost(attempt: Attempt) -> list[Failure]:
    """The failures of an attempt, the one that made it what it is first: of one that failed what it did wrong, and not what besides could not be seen."""
    failures = attempt.verdict.failures
    return sorted(failures, key=lambda each: attempt.status == "failed" and each.is_error)


def first_line(failure: Failure | None, width: int = 1000) -> str:
    """The first line of its sentence; nothing of none."""
    return next(paragraph(str(failure), width=width), "") if failure is not None else ""


def words(attempt: Attempt, most: int = 5) -> list[str]:
    """The first lines of what is wrong with an attempt, as a page has them to be searched."""
    return [first_line(each, 400) for each in foremost(attempt)[:most]]
