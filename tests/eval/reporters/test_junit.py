"""JUnit XML: the golden file, the schema, and text that is none of XML's."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute import Usage
from brute.eval import Attempt, Case, Failure, Report, Transcript
from brute.eval.arguments import Place
from brute.eval.reporters.junit import TOLD, junit
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE, KNOWS, PLACES, REPORT, attempt, transcript
from tests.support.golden import same_as_golden

etree = pytest.importorskip("lxml.etree")

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[2] / "support" / "junit.xsd"))


def written(report: Report = REPORT, places: Any = PLACES) -> str:
    """The file that is written about a run."""
    return "".join(junit(report, places))


def read(report: Report = REPORT, places: Any = PLACES) -> Any:
    """The document that a server makes of it, once it was found valid: by a parser that takes no text of over 10 MB."""
    root = etree.fromstring(written(report, places).encode())
    SCHEMA.assertValid(root)
    return root


def one(*made: Attempt, **about: Any) -> Any:
    """The testcase of the only case."""
    (found,) = read(Report(attempts=made, **about)).iter("testcase")
    return found


def test_a_run_with_everything_in_it() -> None:
    """The whole document on the sample, hostile text included, is the golden one, and valid."""
    read()
    same_as_golden(written(), GOLDEN / "junit.xml")


@pytest.mark.parametrize(
    ("made", "tag"),
    [
        (ATTEMPTS[:1], None),
        (ATTEMPTS[:2], "failure"),
        (ATTEMPTS[5:6], "error"),
        (ATTEMPTS[7:], "error"),
        ((ATTEMPTS[0], dataclasses.replace(ATTEMPTS[0], status="cancelled", number=2)), "error"),
    ],
)
def test_a_failure_and_an_error_are_told_apart(made: tuple[Attempt, ...], tag: str | None) -> None:
    """The agent that misbehaved is a failure, what could not be graded or was not finished is an error, and neither is skipped."""
    assert [child.tag for child in one(*made)] == [*([tag] if tag else []), "system-out"]


def test_the_counts_are_those_of_the_cases() -> None:
    """A testcase a case, whatever the number of its attempts, and the sums of the root are those of its suites."""
    root = read()
    (suite,) = root
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["7", "3", "3", "0"]
    assert [root.get(name) for name in ("tests", "failures", "errors", "time")] == ["7", "3", "3", "4.200"]


def test_what_a_suite_spent_stands_in_its_properties() -> None:
    """Tokens, cost and pass^k, and "at least" where not all of it is known."""
    used = dataclasses.replace(ATTEMPTS[0], suite="one")
    lost = dataclasses.replace(ATTEMPTS[5], suite="two", earlier=Usage(input=1, output=1, cost=0.5))
    first, second = (
        {each.get("name"): each.get("value") for each in suite.iter("property")}
        for suite in read(Report(attempts=(used, lost), notes=("a note",)))
    )
    assert first == {"attempts": "1", "tokens": "120", "cost": "$0.0012", "pass^2": "1.0000", "note": "a note"}
    assert second == {"attempts": "1", "tokens": "at least 2", "cost": "at least $0.5000"}


def test_every_attempt_is_told_inside_its_case() -> None:
    """With its calls, its failures and what it spent."""
    told = one(*ATTEMPTS[:2]).find("system-out").text
    assert "passed     searches for what it cannot know, attempt 1 of 2\n" in told
    assert "failed     searches for what it cannot know, attempt 2 of 2\n" in told
    assert "    spent: iterations 1/2, tokens 120/2000, seconds 0.4, cost $0.0012\n" in told


def test_of_very_many_attempts_those_that_did_not_pass_are_told() -> None:
    """And how many there are besides."""
    case = Case("often", said="?", runs=300)
    made = [attempt(case, "passed", number=n, seen=transcript("ok")) for n in range(1, 300)]
    made.append(attempt(case, "failed", Failure("check", "the last one"), number=300, seen=transcript("ok")))
    told = one(*made).find("system-out").text
    assert told.count("spent:") == TOLD
    assert "the last one" in told
    assert told.endswith(f"and {300 - TOLD} more attempts")


def test_a_case_says_where_it_stands() -> None:
    """The place of the case opens its failure, and its file is what it is filed under where no suite has a name."""
    root = read()
    failed = next(each for each in root.iter("testcase") if each.get("name").startswith("raises"))
    assert failed.get("classname") == "evals.eval_agent"
    assert failed.find("failure").text.startswith("evals/eval_agent.py:30\n- the turn raised KeyError")


@pytest.mark.parametrize(
    ("suite", "place", "filed"),
    [
        ("evals/eval_a.py", None, "evals.eval_a"),
        ("evals/eval_a.py:SUITE", None, "evals.eval_a.SUITE"),
        ("", Place("eval_b.py", 3), "eval_b"),
        ("", None, "brute"),
        ("..", None, "brute"),
    ],
)
def test_what_a_case_is_filed_under(suite: str, place: Place | None, filed: str) -> None:
    """A dotted name, of which Jenkins makes a tree; GitLab shows it as the suite."""
    places = {} if place is None else {(suite, KNOWS.name): place}
    made = dataclasses.replace(ATTEMPTS[2], suite=suite)
    assert [each.get("classname") for each in read(Report(attempts=(made,)), places).iter("testcase")] == [filed]


def test_two_names_are_two_testcases() -> None:
    """GitLab leaves out the second of one name, so that names which are clipped to the same are told apart."""
    cases = [Case("n" * 1000 + end, said="?") for end in "ab"]
    names = [
        each.get("name")
        for each in read(Report(attempts=tuple(attempt(case, "passed") for case in cases))).iter("testcase")
    ]
    assert len(set(names)) == 2


HUGE = (HOSTILE + "]]><!--&#0;<![CDATA[ \ufffe \uffff \x85 \x7f [[ATTACHMENT|/etc/passwd]]") * 80_000


@pytest.mark.parametrize(
    "text", [HUGE, "<" * 10_000_000, "\x00" * 10_000_000, "]]>" * 3_500_000], ids=["all", "<", "0", "]]>"]
)
def test_ten_megabytes_of_anything(text: str) -> None:
    """The file is valid and small, whatever a model wrote, and however much of it."""
    case = Case(f"huge {text[:50]}", said="?")
    seen = transcript(text, published=[text], notes=[text], stopped=text)
    made = attempt(case, "failed", Failure("check", text, detail=text), seen=seen, suite=text[:100])
    report = Report(attempts=(made,), notes=(text,), stopped=text)
    assert len(written(report)) < 3_000_000
    read(report)


def test_no_reply_attaches_a_file_of_the_workspace() -> None:
    """GitLab and Jenkins publish what stands in [[ATTACHMENT|...]]."""
    made = attempt(
        KNOWS, "failed", Failure("check", "[[ATTACHMENT|a]]"), seen=transcript("x [[attachment|/etc/passwd]]")
    )
    assert "[[attachment" not in written(Report(attempts=(made,))).lower()


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec=None), max_size=60), st.text(st.characters(codec=None), max_size=60))
def test_whatever_text_there_is(one: str, other: str) -> None:
    """Any character at all, lone surrogates too, in every place that text comes to."""
    case = Case(f"x{one}", said=other)
    made = attempt(
        case, "failed", Failure("check", one, one, other, other), seen=transcript(other, notes=[one]), suite=one
    )
    read(Report(attempts=(made,), notes=(other,)), {(one, case.name): Place(other, 3)})


def test_nothing_ran() -> None:
    """A run without an attempt is a document without a suite."""
    assert len(read(Report(interrupted=True))) == 0


def test_a_secret_is_masked_before_it_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one with letters that XML has another way to write."""
    monkeypatch.setenv("MY_API_KEY", "a<b&c-12345>")
    made = attempt(
        Case("a<b&c-12345>", said="?"), "failed", Failure("check", "no: a<b&c-12345>"), seen=transcript("a<b&c-12345>")
    )
    text = written(Report(attempts=(made,), notes=("a<b&c-12345>",)))
    assert "12345" not in text
    assert text.count("***MY_API_KEY***") >= 4


def test_a_transcript_that_can_not_be_read_costs_no_verdict() -> None:
    """A check may have made something of it that is none."""
    seen = Transcript(messages=["no message"])  # type: ignore[list-item]
    assert "the transcript can't be read" in one(attempt(KNOWS, "passed", seen=seen)).find("system-out").text
