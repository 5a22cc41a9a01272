"""What pytest is told of each case, and that pytest's own options do what they do everywhere."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.eval.pytesting.conftest import GREEN, GREY, RED, Run, logged

FAILED = """
failed     says 4.5, attempt 1 of 2
    search (stubbed); iterations 2, tokens ?, seconds *
    - never said "4.5"; the reply was "Rates were held at 4.25%."

user
    | search

assistant (* s)
    call 1: search {"query": "bank"} stubbed
        | held

assistant (* s)  <- mentions
    | Rates were held at 4.25%.
failed     says 4.5, attempt 2 of 2
"""

HOSTILE = r"""
import brute
from brute.eval import Case


def agent():
    said = "\x1b[2J\n::error::gone\n##vso[task.complete]\x00\ud800 <b>&]]>"
    return brute.agent().run(lambda env: said)


AGENT = agent
CASES = [Case("is hostile", said="x", mentions=["4.5"])]
"""


def test_a_case_that_passes_is_a_test_that_passes(run: Run) -> None:
    """And the exit status is pytest's."""
    result = run(eval_green=GREEN)
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*= evals =*", "2 of 2 cases passed, tokens unknown", "*2 passed in*"])


def test_a_case_that_fails_is_shown_with_what_it_did(run: Run) -> None:
    """Every sentence, the calls, the reply; all attempts in one item; the first sentence in the summary."""
    result = run(eval_red=RED)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    shown = [line.replace("[", "[[]") for line in FAILED.strip().splitlines()]
    result.stdout.fnmatch_lines(["*__ eval_red.py: says 4.5 __*", *shown], consecutive=True)
    result.stdout.fnmatch_lines(['FAILED eval_red.py::says 4.5 - 2 of 2 attempts failed: never said "4.5"; the*'])


def test_a_case_that_can_not_be_graded_is_an_error(run: Run) -> None:
    """Which pytest counts and shows apart from failures, as of a test whose fixture broke."""
    result = run(eval_grey=GREY)
    result.assert_outcomes(errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*__ ERROR at setup of eval_grey.py: is checked __*",
            "error      is checked",
            "    - the check \"is checked\" raised KeyError: 'id'",
            "      | eval_grey.py:9 in is_checked",
            "ERROR eval_grey.py::is checked - could not be graded: the check*",
        ]
    )


@pytest.mark.parametrize(
    ("style", "sentence", "reply"), [("short", 1, 0), ("line", 1, 0), ("no", 0, 0), ("long", 1, 1)]
)
def test_tb_says_how_much_is_shown(run: Run, style: str, sentence: int, reply: int) -> None:
    """As it does of tests."""
    shown = run(f"--tb={style}", "-rN", eval_red=RED.replace(", runs=2", "")).stdout.str()
    assert shown.count('never said "4.5"; the reply was "Rates were held at 4.25%."') == sentence
    assert shown.count("<- mentions") == reply


def test_hostile_text_is_inert(run: Run, folder: Path) -> None:
    """On the terminal, in the summary and in the JUnit file."""
    result = run("--junit-xml=report.xml", "--brute-log=none", eval_hostile=HOSTILE)
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "\x1b[2J" not in shown
    assert "\ud800" not in shown
    assert "##vso[" not in shown
    assert not any(line.startswith("::error") for line in result.outlines)
    assert r"\u001b[2J" in shown
    case = ElementTree.parse(folder / "report.xml").find(".//testcase")
    assert case is not None
    assert r"\u001b[2J" in (case.findtext("failure") or "")


def test_colours_where_pytest_has_them(run: Run) -> None:
    """The failure is red on a terminal."""
    assert "\x1b[31m    - never said" in run("--color=yes", eval_red=RED).stdout.str()


def test_secrets_are_masked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """In all that pytest gets."""
    monkeypatch.setenv("NEWS_API_KEY", "correct-horse-7")
    text = GREEN.replace("4.25", "correct-horse-7").replace("rates?", "correct-horse-7")
    result = run("--tb=long", eval_green=text)
    assert "correct-horse-7" not in result.stdout.str()
    assert "***NEWS_API_KEY***" in result.stdout.str()


class TestPytestsOwn:
    """Options, files and hooks of pytest."""

    def test_k(self, run: Run) -> None:
        """By names."""
        run("-k", "says and 4", eval_red=RED, eval_green=GREEN).assert_outcomes(failed=1, deselected=3)

    def test_deselected_cases_are_never_run(self, run: Run, folder: Path) -> None:
        """The log has the one attempt."""
        run("-k", "says and rate", eval_green=GREEN, eval_red=RED)
        assert logged(folder / ".brute" / "runs.db") == [("finished", {"passed": 1})]

    def test_lf(self, run: Run) -> None:
        """The last failures alone, errors among them."""
        run(eval_red=RED, eval_grey=GREY)
        result = run("--lf")
        result.assert_outcomes(failed=1, errors=1)
        assert "passed" not in result.outlines[-1]

    def test_junit(self, run: Run, folder: Path) -> None:
        """Failure and error apart, with what was spent, and the time of the case's own attempts."""
        run("--junit-xml=report.xml", eval_red=RED, eval_grey=GREY)
        suite = ElementTree.parse(folder / "report.xml").find("testsuite")
        assert suite is not None
        assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
        red = suite.find("testcase[@name='says 4.5']")
        assert red is not None
        failure = red.find("failure")
        assert failure is not None
        assert (failure.get("message") or "").startswith('2 of 2 attempts failed: never said "4.5"')
        assert [(each.get("name"), each.get("value")) for each in red.iter("property")] == [("attempts", "2")]
        assert red.get("classname") == "eval_red"
        grey = suite.find("testcase[@name='is checked']/error")
        assert grey is not None
        assert "could not be graded" in (grey.get("message") or "")

    def test_what_was_spent_is_in_the_junit_file(self, run: Run, folder: Path) -> None:
        """As far as the model tells."""
        usage = "Message(role='assistant', content='hi', usage=Usage(input=30, output=12))"
        text = f"import brute\nfrom brute import Message, Usage\nfrom brute.eval import Case\ndef AGENT(): return brute.agent().run(lambda env: {usage})\nCASES = [Case('a', said='x', runs=2)]\n"
        run("--junit-xml=report.xml", eval_a=text)
        found = [
            (each.get("name"), each.get("value")) for each in ElementTree.parse(folder / "report.xml").iter("property")
        ]
        assert found == [("attempts", "2"), ("tokens", "84")]

    def test_durations_are_those_of_the_attempts(self, run: Run, folder: Path) -> None:
        """Not of all that were made with the first of them."""
        (folder / "conftest.py").write_text(
            "def pytest_runtest_logreport(report):\n"
            "    if report.when != 'teardown': print('took', report.nodeid, report.when, report.duration)\n"
            "import pytest\n"
            "@pytest.hookimpl(trylast=True)\n"
            "def pytest_runtest_setup(item):\n"
            "    if item.name == 'slow': item.result.attempts[0].transcript.seconds = 7.5\n"
        )
        text = GREEN + "\n@Case('slow', said='x')\ndef slow(t): pass\n"
        result = run("-s", eval_green=text)
        took = dict(line.partition("took ")[2].rsplit(" ", 1) for line in result.outlines if "took " in line)
        assert took["eval_green.py::slow call"] == "7.5"
        assert {took[key] for key in took if key.endswith("setup")} == {"0.0"}

    def test_setup_plan_runs_nothing(self, run: Run, folder: Path) -> None:
        """It only says what would be."""
        result = run("--setup-plan", eval_green=GREEN)
        assert "no tests ran" in result.outlines[-1]
        assert not (folder / ".brute").exists()

    def test_an_item_that_is_run_again_is_made_again(self, run: Run, folder: Path) -> None:
        """As a plugin does that gives a test another chance."""
        (folder / "conftest.py").write_text(
            "from _pytest.runner import runtestprotocol\n"
            "def pytest_runtest_protocol(item, nextitem):\n"
            "    if item.name == 'answers': runtestprotocol(item, nextitem=nextitem, log=False)\n"
        )
        run(eval_green=GREEN).assert_outcomes(passed=2)
        assert [counts for _, counts in logged(folder / ".brute" / "runs.db")] == [{"passed": 2}, {"passed": 1}]

    def test_what_an_agent_prints_is_captured(self, run: Run) -> None:
        """With the first of the cases that were made together."""
        text = GREEN.replace(
            'AGENT = "agent.py"',
            "import brute\ndef AGENT():\n    print('noise')\n    return brute.agent().run(lambda env: 'hi')",
        )
        result = run(eval_green=text)
        result.assert_outcomes(passed=1, failed=1)
        assert "noise" not in result.stdout.str()
        assert "noise" in run("-s").stdout.str()


class TestTheSummary:
    """What stands at the end."""

    def test_notes_on_the_run_are_told(self, run: Run) -> None:
        """Such as that its log can't be written, also with -q."""
        result = run("-q", "--brute-log", "agent.py/runs.db", eval_green=GREEN)
        result.assert_outcomes(passed=2)
        assert "note: the run log agent.py/runs.db can't be written" in result.stdout.str()

    def test_it_says_nothing_where_no_case_ran(self, run: Run) -> None:
        """A run of tests is a run of tests."""
        assert "evals" not in run(test_a="def test_a(): pass").stdout.str()
