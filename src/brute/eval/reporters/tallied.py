"""What is said of a run that has been counted and not read: the same words as at its end."""

from __future__ import annotations

from collections.abc import Iterator

from ..logtally import Tally, Wrong
from ..wording import plural
from .inert import paragraph
from .lines import Line, named, outcome


def tallied(tally: Tally, state: str = "finished") -> Iterator[Line]:
    """How many cases passed and what was spent; a line for each case that did not pass, the failed ones last; the counts.

    `state` is how the run ended: the counts of one that has no end are not those of the whole.
    """
    cases = sum(tally.cases.values())
    if cases:
        many = f" ({plural(tally.attempts, 'attempt')})" if tally.attempts != cases else ""
        of = f"{plural(cases, 'case')}{' that can be read' if tally.damaged else ''}"
        yield ((f"{tally.cases.get('passed', 0):,} of {of} passed{many}, {_tokens(tally)}{_cost(tally)}", ""),)
    for status in ("cancelled", "error", "failed"):
        yield from (_wrong(each) for each in tally.wrong if each.attempt.status == status)
    words = ("failed", "passed", "error", "cancelled")
    told = [(tally.cases[word], word) for word in words if tally.cases.get(word)]
    ending = ", ".join(f"{n:,} {'errors' if word == 'error' and n > 1 else word}" for n, word in told)
    if tally.damaged:
        ending = f"the log is damaged, and not all of the run can be read: {ending or 'no attempt can'}"
    elif state != "finished":
        ending = f"{state}: {ending or 'no attempt has ended'}"
    passed = set(tally.cases) == {"passed"} and not tally.damaged and state == "finished"
    yield ((ending or "no attempt has ended", "bold green" if passed else "bold red"),)


def _tokens(tally: Tally) -> str:
    known, silent = tally.tokens
    if silent and not known:
        return "tokens unknown"
    return f"tokens {'at least ' if silent else ''}{known:,}"


def _cost(tally: Tally) -> str:
    known, silent = tally.cost
    return f", cost {'at least ' if silent else ''}${known:,.{2 if known >= 1 else 6}f}" if known else ""


def _wrong(wrong: Wrong) -> Line:
    attempt = wrong.attempt
    sentences = attempt.verdict.sentences
    first = next(paragraph(str(sentences[0])), "") if sentences else ""
    several = f" ({wrong.count} of {plural(wrong.of, 'attempt')})" if wrong.of > 1 else ""
    return (
        outcome(attempt.status),
        (f"{named(attempt.suite, attempt.case.name)}{several}{': ' if first else ''}{first}", ""),
    )
