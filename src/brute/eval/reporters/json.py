"""The report as JSON: all of it, for another program. `docs/report.schema.json` says what stands where."""

from __future__ import annotations

import json as _json
from collections.abc import Iterator
from typing import Any

from ... import __version__
from ..arguments import Place
from ..attempt import Attempt
from ..jsonable import plain
from ..masking import masked
from ..report import CaseResult, Report
from ..verdict import Failure
from .hidden import notes, placed
from .placing import Places
from .sums import Sums

FORMAT = 1
"""The number of the file's form; it grows when a field changes its meaning. New fields may come without."""


def json(report: Report, places: Places) -> Iterator[str]:
    """The report in pieces, a case each, so that all transcripts are never in memory at once."""
    head = _dumped(_head(report, Sums.of(report.cases)))
    yield f'{head[:-1]},"cases":['
    for number, (result, place) in enumerate(placed(report, places)):
        yield f"{',' if number else ''}\n{_dumped(_case(result, place))}"
    yield "\n]}\n"


def _dumped(data: Any) -> str:
    # ASCII alone, so that whoever reads the file needs to know of no encoding.
    return _json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _head(report: Report, sums: Sums) -> dict[str, Any]:
    pass_k = None if sums.pass_k is None else {"k": sums.pass_k.k, "share": sums.pass_k.share}
    return {
        "format": FORMAT,
        "brute": __version__,
        "exit_status": report.exit_status,
        "passed": report.passed,
        "interrupted": report.interrupted,
        "stopped": report.stopped and notes(report)[-1],
        "notes": notes(report)[: len(report.notes)],
        "seconds": plain(report.seconds),
        "counts": dict(sums.count),
        "attempts": sums.attempts,
        "pass_k": pass_k,
        "tokens": {"known": sums.tokens.known, "unknown": sums.tokens.unknown},
        "cost": {"known": plain(sums.cost.known), "unknown": sums.cost.unknown},
        "judged": plain(report.judged),
    }


def _case(result: CaseResult, place: Place | None) -> dict[str, Any]:
    case = result.case
    return {
        "suite": result.suite,
        "name": case.name,
        "status": result.status,
        "said": case.said,
        "runs": case.runs,
        "place": None if place is None else {"file": masked(plain(place.path)), "line": place.line},
        "budget": plain(case.budget),
        "attempts": [_attempt(each) for each in result.attempts],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    transcript = attempt.transcript
    # What was not finished has spent nobody knows how much.
    seen = attempt.status != "cancelled"
    return {
        "number": attempt.number,
        "status": attempt.status,
        "failures": [_failure(each) for each in attempt.verdict.failures],
        "tokens": transcript.tokens if seen else None,
        "cost": transcript.cost if seen else None,
        "left_behind": attempt.left_behind,
        "earlier": plain(attempt.earlier),
        "judged": plain(attempt.judged),
        "transcript": transcript.to_json(),
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "kind": failure.kind,
        "message": failure.message,
        **plain({"expected": failure.expected, "actual": failure.actual}),
        "detail": failure.detail,
    }
