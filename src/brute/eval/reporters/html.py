"""The report as one HTML page that needs nothing else: no network, no library, no file beside it.

Every text is data in a block that is never run, written so that no text can end it; the page's own script puts it on the screen as text. A
content security policy lets that one script run, known by its hash, and no request leave. Transcripts are blocks of their own, read when
somebody looks at one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..arguments import Place
from ..attempt import Attempt
from ..report import CaseResult, Report
from .attempted import told
from .headline import first_line, headline, words
from .hidden import notes, placed
from .inert import inert, phrase
from .placing import Places, located
from .shell import Shell, block
from .summary import ending, totals
from .sums import Sums, wilson

SCRIPTS = ("elements.js", "cases.js", "transcript.js", "page.js")
"""What draws a report, wherever its data comes from."""


def html(report: Report, places: Places) -> Iterator[str]:
    """The page in pieces, a transcript each; the list of cases comes after them, and the script last."""
    shell = Shell((*SCRIPTS, "embedded.js"))
    yield shell.head
    cases: list[dict[str, Any]] = []
    number = 0
    for result, place in placed(report, places):
        attempts = []
        for attempt in result.attempts:
            yield block(f"t{number}", told(attempt))
            attempts.append(_attempt(attempt, number))
            number += 1
        cases.append(_case(result, place, attempts))
    yield block("report", {**_head(report), "cases": cases})
    yield shell.foot


def _head(report: Report) -> dict[str, Any]:
    sums = Sums.of(report.cases)
    return {
        "ending": ending(report),
        "totals": totals(report) if report.attempts else "",
        "notes": [inert(note, 1000) for note in notes(report)[:50]],
        "count": dict(sums.count),
        "attempts": sums.attempts,
        "exit": report.exit_status,
    }


def _case(result: CaseResult, place: Place | None, attempts: list[dict[str, Any]]) -> dict[str, Any]:
    case = result.case
    sums, passed = Sums.of([result]), sum(attempt.passed for attempt in result.attempts)
    # What could not be graded says nothing about how often the agent is right.
    graded = sum(attempt.status in ("passed", "failed") for attempt in result.attempts)
    low, high = wilson(passed, graded)
    return {
        "suite": inert(result.suite, 200),
        "name": inert(case.name, 300),
        "status": result.status,
        "said": inert(case.said or "", 2000),
        "runs": case.runs,
        "place": "" if place is None else located(place),
        "why": first_line(headline(result), 400),
        "passed": passed,
        "graded": graded,
        "low": round(low, 4),
        "high": round(high, 4),
        "tokens": sums.tokens.told(),
        "cost": sums.cost.told(),
        "seconds": sums.seconds.told(),
        "attempts": attempts,
    }


def _attempt(attempt: Attempt, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "number": attempt.number,
        "status": attempt.status,
        "tools": [inert(name, 60) for name in list(attempt.transcript.counts)[:100]],
        "words": words(attempt),
        "reply": phrase(attempt.transcript.reply, 300),
    }
