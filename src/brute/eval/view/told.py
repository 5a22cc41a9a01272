"""What the page is told: runs, slices of a run, one attempt. Each answer is made of what lies in the log at that moment, and nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import UsageError
from ..cli.runs import made, state_of, when
from ..logchanges import changes
from ..logreading import Reading, Run, Written
from ..logschema import SERIALS
from ..logslices import attempts, before, counts, finite, gists, replaced
from ..masking import masked
from ..report import Report
from ..reporters.attempted import told
from ..reporters.headline import words
from ..reporters.hidden import hidden
from ..reporters.inert import inert, phrase
from ..reporters.sums import Sum, spent
from ..spent import Spent

Asked = Mapping[str, int]
"""The numbers in an address."""

LISTED = 1000
"""How many runs are listed."""

MOST = 2500
"""How many attempts are told at a time."""

PATIENCE = 0.1
"""Seconds that are spent at a time on transcripts of which only a word is said: in between, others are answered."""


class Missing(UsageError):
    """What is asked for and is not in the log."""


def runs(reading: Reading, asked: Asked) -> dict[str, Any]:
    """All runs, the last one first."""
    found = sorted(reading.runs(), key=lambda run: (run.started, run.number), reverse=True)
    return {"runs": [_run(run) for run in found[:LISTED]], "earlier": max(0, len(found) - LISTED), **_notes(reading)}


def run(reading: Reading, asked: Asked) -> dict[str, Any]:
    """Some attempts of a run, behind those that the page has, with the cases that they are of; and how the run stands."""
    found = _found(reading, asked["run"])
    head = {**_run(found), "notes": [inert(masked(note), 1000) for note in found.notes[:50]]}
    head |= {"replaced": replaced(reading, found), "planned": found.planned, "before": before(reading, found)}
    # What was written when it ended: less than that can be read of a damaged log.
    head["told"] = sum(n for status, n in found.counts.items() if status != "cancelled") if found.how else 0
    part = attempts(reading, found, asked.get("after", 0), min(MOST, max(1, asked.get("most", MOST))))
    cases = {each.cased: _case(each) for each in part.found}
    rows = [_row(each) for each in part.found]
    return {"run": head, "cases": list(cases.values()), "attempts": rows, **_rest(reading, part.last, part.more)}


def gist(reading: Reading, asked: Asked) -> dict[str, Any]:
    """What the list says of some transcripts of a run: how long it took, the tools, the reply."""
    found = _found(reading, asked["run"])
    part = gists(reading, found, asked.get("after", 0), MOST, PATIENCE)
    rows = [
        [each.id, each.seconds, [inert(name, 60) for name in each.tools[:100]], phrase(each.reply, 300)]
        for each in part.found
    ]
    return {"gists": rows, **_rest(reading, part.last, part.more)}


def attempt(reading: Reading, asked: Asked) -> dict[str, Any]:
    """One attempt with its transcript."""
    _found(reading, asked["id"] // SERIALS)
    if not counts(reading, asked["id"]):
        raise Missing("this attempt was made again since, or was never in the log")
    found = reading.attempt(asked["id"])
    ((seen,),) = (result.attempts for result in hidden(Report((found,))))
    return {**told(seen), **_notes(reading)}


def compared(reading: Reading, asked: Asked) -> dict[str, Any]:
    """What differs between what two runs were made of; what they came to, the page has by itself."""
    found = changes(reading, _found(reading, asked["run"]), _found(reading, asked["other"]))
    cases = [[*each[:2], [inert(name, 60) for name in each[2]]] for each in found.cases]
    return {"changes": [inert(masked(each), 400) for each in found.sentences[:100]], "cases": cases, **_notes(reading)}


Tell = Callable[[Reading, Asked], dict[str, Any]]


def _found(reading: Reading, number: int) -> Run:
    found = reading.runs(number)
    if not found:
        raise Missing(f"there is no run {number} in {reading.path}; it may have been taken out of it")
    return found[0]


def _run(run: Run) -> dict[str, Any]:
    state = state_of(run)
    return {
        "number": run.number,
        "id": inert(run.id, 40),
        "command": inert(run.command, 400),
        "began": when(run.started) if finite(run.started) and 0 <= run.started < 2**35 else "?",
        "state": state,
        "going": state == "running",
        "made": made(run),
        "seconds": run.seconds if finite(run.seconds) else None,
        "shard": inert(run.shard or "", 20),
        "commit": f"{inert(run.commit_id[:8])}{'+' if run.dirty else ''}" if run.commit_id else "",
        "failed": run.counts.get("failed", 0),
        "errors": run.counts.get("error", 0),
    }


def _case(written: Written) -> dict[str, Any]:
    attempt = written.attempt
    return {
        "index": written.cased,
        "suite": inert(attempt.suite, 200),
        "name": inert(attempt.case.name, 300),
        "said": inert(attempt.case.said or "", 2000),
        "runs": attempt.case.runs,
    }


def _row(written: Written) -> list[Any]:
    """Id, case, number, status, tokens and whether those are all, cost and whether that is all, the first sentences, what a judge used of it."""
    attempt = written.attempt
    report = Report((attempt,))
    told = [each for sum in spent(report) for each in _known(sum)]
    return [written.id, written.cased, attempt.number, attempt.status, *told, words(attempt), _judge(report.judged)]


def _known(sum: Sum) -> tuple[float, bool]:
    """What is known to have been spent, and whether that is all of it."""
    return (sum.known, not sum.unknown) if finite(sum.known) else (0, False)


def _judge(spent: Spent) -> list[float] | None:
    """Votes, those that did not tell their tokens, tokens, cost."""
    told = [spent.calls, spent.uncounted, spent.tokens, spent.cost]
    return told if spent.calls and all(map(finite, told)) else None


def _rest(reading: Reading, last: int, more: bool) -> dict[str, Any]:
    return {"after": last, "more": more, **_notes(reading)}


def _notes(reading: Reading) -> dict[str, Any]:
    return {"troubles": [inert(masked(note), 1000) for note in reading.notes[:50]]}
