"""What both terminal reporters say, guarded: a value that can't be shown costs its own lines, never the run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..attempt import Attempt, Job
from ..report import Report
from ..wording import exception, plural
from .inert import inert
from .lines import Line, attempt_lines, heading, plain
from .summary import ending, report_lines


def opening(plan: Sequence[Job], jobs: int, suite: str) -> Line:
    """The line before the first attempt: what is to run, and how much of it at a time."""
    cases = len({id(job.case) for job in plan})
    told = plural(cases, "case") + (f", {plural(len(plan), 'attempt')}" if len(plan) != cases else "")
    width = f", up to {jobs:,} at a time" if min(jobs, len(plan)) > 1 else ""
    return ((f"{inert(suite, 200)}{': ' if suite else ''}{told}{width}", "dim"),)


def ended(attempt: Attempt) -> list[Line]:
    """The lines on an attempt."""
    return guarded(attempt_lines(attempt), attempt)


def guarded(told: Iterable[Line], attempt: Attempt) -> list[Line]:
    """What is told of an attempt, as far as it can be shown."""
    lines, error = _made(told)
    return [*(lines or [heading(attempt)]), _unshown(error)] if error else lines


def about(report: Report) -> list[Line]:
    """The lines on a run."""
    lines, error = _made(report_lines(report))
    return [*lines, _unshown(error), ((ending(report), ""),)] if error else lines


def _made(lines: Iterable[Line]) -> tuple[list[Line], Exception | None]:
    # A check may put anything into its failures, and what it put there may raise when it is made a text.
    made: list[Line] = []
    try:
        made.extend(lines)
    except Exception as error:
        return made, error
    return made, None


def _unshown(error: Exception) -> Line:
    return plain(f"(the rest could not be shown: {exception(error)})")
