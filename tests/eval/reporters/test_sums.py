"""What several cases came to: the same words and the same unknowns in every report."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from brute import Usage
from brute.eval import Attempt, Budget, Case, Failure, Report, Request, Transcript
from brute.eval.logreading import Reading
from brute.eval.logtally import tally
from brute.eval.reporters.attempted import told
from brute.eval.reporters.html import html
from brute.eval.reporters.json import json as as_json
from brute.eval.reporters.junit import junit
from brute.eval.reporters.lines import spent_in_all, text_of
from brute.eval.reporters.markdown import markdown
from brute.eval.reporters.summary import totals
from brute.eval.reporters.sums import Sum, Sums, dollars
from brute.eval.reporters.tallied import tallied
from brute.eval.spent import Spent
from tests.eval.logged import run_of
from tests.eval.reporters.sample import attempt, transcript

CASE = Case("c", said="?")
JUDGED = Spent(calls=1, tokens=1005, cost=0.5)
PRICED = Request(usage=Usage(input=50, output=50, cost=0.01))


def one(**more: Any) -> Attempt:
    """An attempt that failed and cost something."""
    return attempt(CASE, "failed", Failure("mentions", "no"), seen=transcript("hi", requests=[PRICED]), **more)


CANCELLED = attempt(CASE, "cancelled", Failure("cancelled", "not finished"), seen=Transcript())
RETRIED = one(earlier=Usage(input=60, output=40, cost=0.02))


def row(made: Attempt) -> list[str]:
    """Tokens, cost and seconds in the table of the Markdown."""
    [line] = [
        each
        for each in "".join(markdown(Report(attempts=(made,)), {})).splitlines()
        if each.startswith(("| ❌", "| 🚫"))
    ]
    return [cell.strip() for cell in line.split("|")[5:8]]


def listed(made: Attempt) -> dict[str, Any]:
    """The case in the list of the page."""
    written = "".join(html(Report(attempts=(made,)), {}))
    case: dict[str, Any] = json.loads(written.partition('id="report">')[2].partition("</script>")[0])["cases"][0]
    return case


@pytest.mark.parametrize(
    ("sum", "said", "shown"),
    [
        (Sum(5, 0), "5", "5"),
        (Sum(5, 2), "at least 5", "≥ 5"),
        (Sum(0, 2), "unknown", "?"),
        (Sum(0, 0), "0", "0"),
    ],
)
def test_a_sum_says_how_much_of_it_is_known(sum: Sum, said: str, shown: str) -> None:
    """What is not known is never 0, and what is known of it is not left out."""
    assert (sum.said(str), sum.shown(str), sum.nothing) == (said, shown, said == "unknown")


def test_what_is_known_of_an_attempt_that_was_tried_again_is_told() -> None:
    """In the table as in the totals, the page and its line."""
    assert row(RETRIED) == ["≥ 200", "≥ $0.0300", "0.4"]
    assert listed(RETRIED)["tokens"] == {"known": 200, "all": False}
    assert totals(Report(attempts=(RETRIED,))).endswith("tokens at least 200, cost at least $0.0300")
    assert spent_in_all(RETRIED).endswith("cost $0.0100; tries before: tokens at least 100, cost at least $0.0200")


def test_what_a_judge_used_stands_beside_what_the_attempt_spent() -> None:
    """In the lines of JUnit and of the page."""
    judged = one(judged=JUDGED)
    line = "iterations 1, tokens 100, seconds 0.4, cost $0.0100; the judge: 1 vote, 1,005 tokens, $0.5000"
    assert spent_in_all(judged) == told(judged)["spent"] == line
    assert f"spent: {line}" in "".join(junit(Report(attempts=(judged,)), {}))


def test_what_was_not_finished_has_spent_nobody_knows_how_much() -> None:
    """Not 0: of an attempt as of its case."""
    assert row(CANCELLED) == ["?", "?", "?"]
    [case] = json.loads("".join(as_json(Report(attempts=(CANCELLED,)), {})))["cases"]
    assert (case["attempts"][0]["tokens"], case["attempts"][0]["cost"]) == (None, None)
    written = "".join(junit(Report(attempts=(CANCELLED,)), {}))
    assert "spent: iterations ?, tokens ?, seconds ?, cost ?" in written
    assert '<property name="tokens" value="unknown"/>' in written
    limited = dataclasses.replace(CANCELLED, case=Case("c", said="?", budget=Budget(tool_calls=3)))
    assert "tool calls ?/3" in spent_in_all(limited)


def test_a_transcript_that_a_check_broke_has_spent_nobody_knows_how_much() -> None:
    """Its verdict is told all the same."""
    seen = transcript("hi", calls=None)
    assert row(attempt(CASE, "failed", Failure("check", "broken"), seen=seen)) == ["?", "?", "?"]


def test_the_seconds_of_an_attempt_are_those_by_the_clock_everywhere() -> None:
    """Also where the loop stood still for some of them."""
    held = attempt(CASE, "failed", Failure("mentions", "no"), seen=transcript("hi", seconds=1.7, held=1.5))
    assert row(held)[2] == "1.7"
    assert listed(held)["seconds"] == {"known": 1.7, "all": True}
    written = "".join(junit(Report(attempts=(held,)), {}))
    assert 'name="c" time="1.700"' in written
    assert "seconds 1.7, cost" in written
    assert "seconds 1.7" in told(held)["spent"]


@pytest.mark.parametrize("seconds", ["abc", float("nan"), -5.0, None, True])
def test_seconds_that_are_none(seconds: Any) -> None:
    """Are not known."""
    assert Sums.of(Report(attempts=(attempt(CASE, "passed", seen=transcript(seconds=seconds)),)).cases).seconds == (
        0.0,
        1,
    )


@pytest.mark.parametrize(
    ("cost", "written"),
    [(1234.5, "$1,234.50"), (1, "$1.00"), (0.0615, "$0.0615"), (0.0001, "$0.000100"), (0, "$0.00"), (None, "?")],
)
def test_money(cost: float | None, written: str) -> None:
    """As exact as one wants to read it."""
    assert dollars(cost) == written


def test_a_run_in_a_log_says_what_it_said_at_its_end(tmp_path: Path) -> None:
    """Word for word: pass^k, what is known of the spending, a known price of nothing, and the judge's part."""
    several = Case("several", said="?", runs=2)
    free = [Request(usage=Usage(input=1, output=1, cost=0.0))]
    made = [
        attempt(several, "passed", number=1, seen=transcript("hi", requests=free)),
        attempt(several, "passed", number=2, seen=transcript("hi", requests=free)),
    ]
    runs = [made, [*made, one(judged=JUDGED), dataclasses.replace(RETRIED, case=Case("d", said="?", runs=3))]]
    for number, each in enumerate(runs):
        run_of(each, tmp_path / f"{number}.db")
        with Reading(tmp_path / f"{number}.db") as reading:
            lines = [text_of(line) for line in tallied(tally(reading, reading.run("last")))]
        assert lines[0] == totals(Report(attempts=tuple(each)))
    assert lines[0] == (
        "1 of 3 cases passed (4 attempts), pass^3 0.50 (1 of 2 cases), tokens at least 1,309, cost at least $0.5400 "
        "(the judge: 1 vote, 1,005 tokens, $0.5000)"
    )
