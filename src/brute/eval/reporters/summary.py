"""What a terminal says about a run: pure functions from its report to lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..report import CaseResult, Report
from ..wording import plural
from . import sums
from .headline import first_line, headline
from .inert import inert
from .lines import Line, named, outcome, seconds
from .placing import NOWHERE, Places, located
from .sums import Sums, counted

_ENDINGS = {0: "bold green", 1: "bold red", 130: "bold magenta"}
_CANCELLED = 5
"""How many cases that were never finished are listed: an interrupted run may have a thousand."""


def report_lines(report: Report, places: Places = NOWHERE) -> Iterator[Line]:
    """The summary, and last what failed, so that it stands at the bottom of a CI log."""
    if report.attempts:
        yield ((totals(report), ""),)
    for note in report.notes:
        yield ((f"note: {inert(note, 1000)}", ""),)
    if report.stopped:
        yield ((inert(report.stopped), ""),)
    yield from wrong(report, places)
    yield ((ending(report), _ENDINGS.get(report.exit_status, "bold yellow")),)


def totals(report: Report) -> str:
    """How many cases passed, pass^k, and what the run took."""
    return sums.totals(Sums.of(report.cases))


def wrong(report: Report, places: Places = NOWHERE) -> Iterator[Line]:
    """One line for each case that did not pass: where it was made, and its first sentence; the failed ones last."""
    cases = report.cases
    cancelled = [result for result in cases if result.status == "cancelled"]
    yield from (_wrong(result, NOWHERE) for result in cancelled[:_CANCELLED])
    if len(cancelled) > _CANCELLED:
        yield (outcome("cancelled"), (f"and {plural(len(cancelled) - _CANCELLED, 'more case')}", ""))
    for status in ("error", "failed"):
        yield from (_wrong(result, places) for result in cases if result.status == status)


def _wrong(result: CaseResult, places: Places) -> Line:
    those = [attempt for attempt in result.attempts if attempt.status == result.status]
    place = places.get((result.suite, result.case.name))
    about = [located(place)] if place is not None else []
    about += [f"{len(those)} of {result.case.runs} attempts"] if result.case.runs > 1 else []
    first = first_line(headline(result))
    beside = f" ({', '.join(about)})" if about else ""
    return (
        outcome(result.status),
        (f"{named(result.suite, result.case.name)}{beside}{': ' if first else ''}{first}", ""),
    )


def ending(report: Report) -> str:
    """The last line: how many cases came to each status, and the wall time."""
    told = counted(Counter(result.status for result in report.cases))
    if report.interrupted:
        return f"interrupted after {seconds(report.seconds)} s: {told or 'no attempt had ended'}"
    return f"{told} in {seconds(report.seconds)} s" if told else "nothing ran: no case was selected"
