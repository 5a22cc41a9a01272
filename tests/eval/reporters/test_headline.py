"""Which of its failures a case is told by: the same one in every report."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from brute.eval import Attempt, Case, Failure, Report
from brute.eval.logreading import Reading
from brute.eval.logtally import tally
from brute.eval.pytesting.showing import summary
from brute.eval.reporters.actions import Actions
from brute.eval.reporters.headline import first_line, headline
from brute.eval.reporters.html import html
from brute.eval.reporters.junit import junit
from brute.eval.reporters.lines import text_of
from brute.eval.reporters.markdown import markdown
from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.summary import wrong
from brute.eval.reporters.tallied import tallied
from tests.eval.logged import run_of
from tests.eval.reporters.sample import attempt, transcript

CASE = Case("c", said="?", runs=3)
BLIND = Failure("error.blind", "cannot tell tokens spent")
OVER = Failure("budget.seconds", "spent 2 seconds, budget 1")
MADE = (
    attempt(CASE, "error", BLIND, seen=transcript()),
    attempt(CASE, "failed", BLIND, OVER, number=2, seen=transcript()),
    attempt(CASE, "failed", Failure("mentions", "never said it"), number=3, seen=transcript()),
)
REPORT = Report(attempts=MADE)


def of_actions() -> str:
    """The first line of the message of the annotation."""
    stream = io.StringIO()
    only = dataclasses.replace(REPORT, attempts=MADE[1:])
    Actions(Outlet(stream), {}, {}, {}).finished(only)
    return stream.getvalue().rpartition("::")[2].split("%0A")[0]


def of_page() -> str:
    """What the list of the page says of the case, and first of its second attempt."""
    written = "".join(html(REPORT, {}))
    [case] = json.loads(written.partition('id="report">')[2].partition("</script>")[0])["cases"]
    assert case["attempts"][1]["words"][0] == case["why"]
    return str(case["why"])


READERS: dict[str, Callable[[], str]] = {
    "terminal": lambda: text_of(next(wrong(REPORT))).rpartition("): ")[2],
    "pytest": lambda: summary(REPORT.cases[0]).partition(": ")[2],
    "junit": lambda: "".join(junit(REPORT, {})).partition('message="')[2].partition('"')[0],
    "markdown": lambda: "".join(markdown(REPORT, {})).partition("| `c` | `")[2].partition("`")[0],
    "actions": of_actions,
    "html": of_page,
}


@pytest.mark.parametrize("reader", READERS)
def test_of_one_that_failed_it_is_what_it_did_wrong(reader: str) -> None:
    """And not what besides could not be seen, though that stands first in the verdict."""
    assert READERS[reader]() == OVER.message


def test_the_type_of_a_testcase_is_that_of_its_headline() -> None:
    """A server groups by it."""
    assert '<failure type="budget.seconds" message=' in "".join(junit(REPORT, {}))


def test_a_log_says_so_too(tmp_path: Path) -> None:
    """`brute show`, of a run that is counted and not read."""
    run_of(MADE, tmp_path / "runs.db")
    with Reading(tmp_path / "runs.db") as reading:
        lines = [text_of(line) for line in tallied(tally(reading, reading.run("last")))]
    assert lines[1] == f"failed     c (2 of 3 attempts): {OVER.message}"


def test_of_one_that_could_not_be_graded_it_is_the_first() -> None:
    """Of none there is none."""
    [result] = Report(attempts=MADE[:1]).cases
    assert headline(result) is BLIND
    bare = Report(
        attempts=(Attempt(CASE, 1, "passed", dataclasses.replace(MADE[0].verdict, failures=()), transcript()),)
    )
    assert headline(bare.cases[0]) is None
    assert first_line(None) == ""
