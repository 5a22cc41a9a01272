"""A report with every secret in it masked, whole values before anything is clipped or escaped: what is written to files is made of this."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from ..arguments import Place
from ..attempt import Attempt
from ..case import Case
from ..jsonable import plain
from ..masking import masked, masked_value
from ..report import CaseResult, Report
from ..showing import pattern
from ..transcript import Transcript
from ..verdict import Failure, Verdict
from ..wording import exception
from .placing import Places


def hidden(report: Report) -> Iterator[CaseResult]:
    """The cases of the report, one after the other, so that the transcripts of only one of them are in memory at a time."""
    for result in report.cases:
        case = _case(result.case)
        suite = masked(plain(result.suite))
        yield CaseResult(case, suite, tuple(_attempt(each, case, suite) for each in result.attempts))


def placed(report: Report, places: Places) -> Iterator[tuple[CaseResult, Place | None]]:
    """The same, each with where it was made: a place is known by the name that the case really has, of which a part may be secret."""
    keys = ((result.suite, result.case.name) for result in report.cases)
    yield from zip(hidden(report), map(places.get, keys), strict=True)


def notes(report: Report) -> list[str]:
    """What is to be said of the run as a whole."""
    said = [*report.notes, *([report.stopped] if report.stopped else [])]
    return [masked(str(plain(each))) for each in said]


def _case(case: Case) -> Case:
    name, said = masked(plain(case.name)), None if case.said is None else masked(plain(case.said))
    if (name, said) == (case.name, case.said):
        return case
    # Past the refusals of what could not be meant: this case was one already.
    made = copy.copy(case)
    object.__setattr__(made, "name", name)
    object.__setattr__(made, "said", said)
    return made


def _attempt(attempt: Attempt, case: Case, suite: str) -> Attempt:
    failures = tuple(_failure(each) for each in attempt.verdict.failures)
    seen, verdict = _transcript(attempt.transcript), Verdict(failures)
    return dataclasses.replace(attempt, case=case, verdict=verdict, transcript=seen, suite=suite)


def _failure(failure: Failure) -> Failure:
    # A check may put anything into its failures.
    return Failure(
        str(plain(failure.kind)),
        masked(str(plain(failure.message))),
        masked_value(plain(worded(failure.expected))),
        masked_value(plain(failure.actual)),
        masked(str(plain(failure.detail))),
    )


def worded(expected: Any) -> Any:
    """What was expected, patterns in their own words."""
    if isinstance(expected, re.Pattern):
        return pattern(expected)
    return [worded(each) for each in expected] if isinstance(expected, tuple) else expected


def _transcript(transcript: Transcript) -> Transcript:
    try:
        made = Transcript.from_json(masked_value(transcript.to_json()))
        # A duration that is none: JSON has no word for it.
        made.seconds = None if isinstance(made.seconds, str) else made.seconds
        return made
    except Exception as error:
        # It lies in a log that is gone, or a check made something of it that is none; a verdict is worth more than what it is about.
        return Transcript(
            notes=[f"the transcript can't be read: {masked(exception(error))}"], blind=["calls", "iterations", "usage"]
        )
