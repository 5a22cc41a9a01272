"""What is said of a run that has been counted and not read: the same words as at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..logtally import Tally, Wrong
from ..wording import plural
from .headline import first_line, foremost
from .lines import Line, named, outcome
from .sums import PassK, Sum, Sums, counted, totals


def tallied(tally: Tally, state: str = "finished") -> Iterator[Line]:
    """How many cases passed and what was spent; a line for each case that did not pass, the failed ones last; the counts.

    `state` is how the run ended: the counts of one that has no end are not those of the whole.
    """
    sums = _sums(tally)
    if sums.cases:
        told = totals(sums)
        yield ((told.replace(" passed", " that can be read passed", 1) if tally.damaged else told, ""),)
    for status in ("cancelled", "error", "failed"):
        yield from (_wrong(each) for each in tally.wrong if each.attempt.status == status)
    ending = counted(sums.count)
    if tally.damaged:
        ending = f"the log is damaged, and not all of the run can be read: {ending or 'no attempt can'}"
    elif state != "finished":
        ending = f"{state}: {ending or 'no attempt has ended'}"
    passed = set(tally.cases) == {"passed"} and not tally.damaged and state == "finished"
    yield ((ending or "no attempt has ended", "bold green" if passed else "bold red"),)


def _sums(tally: Tally) -> Sums:
    """What was counted, as the sums of a report."""
    return Sums(
        cases=sum(tally.cases.values()),
        count=Counter(tally.cases),
        attempts=tally.attempts,
        tokens=Sum(*tally.tokens),
        cost=Sum(*tally.cost),
        pass_k=None if tally.pass_k is None else PassK(*tally.pass_k),
        judged=tally.judged,
    )


def _wrong(wrong: Wrong) -> Line:
    attempt = wrong.attempt
    first = first_line(next(iter(foremost(attempt)), None))
    several = f" ({wrong.count} of {plural(wrong.of, 'attempt')})" if wrong.of > 1 else ""
    return (
        outcome(attempt.status),
        (f"{named(attempt.suite, attempt.case.name)}{several}{': ' if first else ''}{first}", ""),
    )
