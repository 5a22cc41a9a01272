"""A case that did not pass, as pytest shows it."""

from __future__ import annotations

import pytest

from brute.eval import Attempt, Case, Failure, Transcript, Verdict
from brute.eval.pytesting import showing
from brute.eval.report import CaseResult


def attempt(*failures: Failure, number: int = 1, runs: int = 1) -> Attempt:
    """An attempt with these failures."""
    verdict = Verdict(failures)
    return Attempt(Case("greets", said="hi", runs=runs), number, verdict.status, verdict, Transcript(said="hi"))


def result(*attempts: Attempt) -> CaseResult:
    """The attempts of a case."""
    return CaseResult(attempts[0].case, "", attempts)


WRONG = Failure("mentions", 'never said "hello"; the reply was "bye"')
BLIND = Failure("error.blind", "cannot tell tokens spent")


@pytest.mark.parametrize(
    ("attempts", "sentence"),
    [
        ([attempt(WRONG)], 'never said "hello"; the reply was "bye"'),
        ([attempt(BLIND, WRONG)], 'never said "hello"; the reply was "bye"'),
        ([attempt(BLIND)], "could not be graded: cannot tell tokens spent"),
        ([attempt(), attempt(WRONG)], '1 of 2 attempts failed: never said "hello"; the reply was "bye"'),
        ([attempt(), attempt(BLIND)], "1 of 2 attempts could not be graded: cannot tell tokens spent"),
        ([attempt(Failure("check", "two\nlines"))], "two lines"),
    ],
)
def test_the_summary_is_one_line(attempts: list[Attempt], sentence: str) -> None:
    """What the agent did wrong comes before what could not be seen."""
    assert showing.summary(result(*attempts)) == sentence


def test_all_attempts_are_told_the_first_wrong_ones_in_full() -> None:
    """Of the others, how they ended."""
    made = [attempt(*([] if n == 1 else [WRONG]), number=n, runs=6) for n in range(1, 7)]
    told = showing.told(result(*made))
    assert [line.split(", ")[1] for line in told if "attempt" in line] == [f"attempt {n} of 6" for n in range(1, 7)]
    assert told[0].startswith("passed")
    assert sum("never said" in line for line in told) == 5


def test_a_thousand_attempts_are_not_a_thousand_pages() -> None:
    """The rest is counted."""
    told = showing.told(result(*(attempt(WRONG, number=n, runs=1000) for n in range(1, 1001))))
    assert told[-1] == "and 900 more attempts"
    assert len(told) < 1000


def test_what_can_not_be_shown_costs_its_own_lines() -> None:
    """A check may put anything into its failures."""

    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no words")

    told = showing.told(result(attempt(Failure("check", Odd()))))  # type: ignore[arg-type]
    assert "(the rest could not be shown: RuntimeError: no words)" in told[-1]
