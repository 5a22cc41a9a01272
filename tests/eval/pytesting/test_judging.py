"""`pytest --brute --brute-judge`: cases whose rubrics a model is asked about."""

from __future__ import annotations

import pytest

from tests.eval.pytesting.conftest import GREEN, Run

JUDGED = """
from brute import Message
from brute.eval import Case, Suite


def judge(env):
    met = "the rate" in env.messages[-1].content.partition("The record")[0]
    return '{"met": %s, "reason": "so it is"}' % ("true" if met else "false")


CASES = [Case("is right", said="rates?", judge="says the rate"), Case("is polite", said="rates?", judge="is polite")]
SUITE = Suite("agent.py", CASES, judge=judge)
"""
WITHOUT = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [Case("is judged", said="rates?", judge="says the rate")]
"""


def test_an_item_fails_with_what_the_judge_found(run: Run) -> None:
    """The other one passes."""
    ended = run(eval_judged=JUDGED)
    ended.assert_outcomes(passed=1, failed=1)
    ended.stdout.fnmatch_lines(['*did not meet "is polite" (1 of 1 vote): so it is*'])


def test_where_nobody_judges_the_items_of_that_file_alone_are_errors(run: Run) -> None:
    """With the sentence."""
    ended = run(eval_green=GREEN, eval_judged=WITHOUT)
    ended.assert_outcomes(passed=2, errors=1)
    ended.stdout.fnmatch_lines(['*could not be graded: case "is judged" asks*'])


@pytest.mark.parametrize("words", [("--brute-judge", "wise"), ("--brute-votes", "0")], ids=str)
def test_what_could_not_be_meant_is_refused(run: Run, words: tuple[str, str]) -> None:
    """Before anything is collected."""
    assert run(*words, eval_judged=WITHOUT).ret == pytest.ExitCode.USAGE_ERROR
