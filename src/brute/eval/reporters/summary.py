"""What a terminal says about a run: pure functions from its report to lines."""

from __future__ import annotations

from collections.abc import Iterator

from ..report import CaseResult, Report
from ..verdict import Status
from ..wording import plural
from .inert import inert, paragraph
from .lines import Line, named, outcome, seconds
from .placing import NOWHERE, Places, located
from .sums import dollars

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
    cases = report.cases
    told = f"{report.count('passed'):,} of {plural(len(cases), 'case')} passed"
    if len(report.attempts) != len(cases):
        told += f" ({plural(len(report.attempts), 'attempt')})"
    parts = [told, *_pass_k(report), tokens(report), *_cost(report)]
    return ", ".join(parts) + _judged(report)


def _pass_k(report: Report) -> Iterator[str]:
    if report.pass_k is None:
        return
    k, share = report.pass_k
    several = [result for result in report.cases if result.case.runs > 1]
    passed = sum(result.status == "passed" for result in several)
    yield f"pass^{k} {share:.2f} ({passed:,} of {plural(len(several), 'case')})"


def _unseen(report: Report) -> int:
    """The attempts that were not finished: what they spent is not in the sums."""
    return sum(attempt.status == "cancelled" for attempt in report.attempts)


def tokens(report: Report) -> str:
    """The tokens that all attempts spent, as far as they were reported."""
    known, silent = report.tokens
    unknown = silent + _unseen(report)
    if unknown and not known:
        return "tokens unknown"
    return f"tokens at least {known:,}" if unknown else f"tokens {known:,}"


def _cost(report: Report) -> Iterator[str]:
    known, silent = report.cost
    unknown = silent + _unseen(report)
    if known or not unknown:
        yield f"cost {'at least ' if unknown else ''}${known:,.{2 if known >= 1 or not known else 4 if known >= 0.001 else 6}f}"


def _judged(report: Report) -> str:
    """What of it was a judge's, where one was asked."""
    spent = report.judged
    if not spent.calls:
        return ""
    tokens = f"{'at least ' if spent.uncounted else ''}{plural(spent.tokens, 'token')}"
    cost = f", {dollars(spent.cost)}" if spent.cost else ""
    return f" (the judge: {plural(spent.calls, 'vote')}, {tokens}{cost})"


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
    failures = those[0].verdict.failures
    # Of one that failed, what it did wrong, and not what besides could not be seen.
    told = next((each for each in failures if not each.is_error or result.status != "failed"), None)
    first = next(paragraph(str(told)), "") if told is not None else ""
    beside = f" ({', '.join(about)})" if about else ""
    return (
        outcome(result.status),
        (f"{named(result.suite, result.case.name)}{beside}{': ' if first else ''}{first}", ""),
    )


def ending(report: Report) -> str:
    """The last line: how many cases came to each status, and the wall time."""
    words: tuple[Status, ...] = ("failed", "passed", "error", "cancelled")
    counts = {status: report.count(status) for status in words}
    told = ", ".join(
        f"{n:,} {'errors' if status == 'error' and n > 1 else status}" for status, n in counts.items() if n
    )
    if report.interrupted:
        return f"interrupted after {seconds(report.seconds)} s: {told or 'no attempt had ended'}"
    return f"{told} in {seconds(report.seconds)} s" if told else "nothing ran: no case was selected"
