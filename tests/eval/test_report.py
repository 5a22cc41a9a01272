"""What a run came to."""

from __future__ import annotations

import pytest

from brute import Usage
from brute.eval import Attempt, Report, Request
from brute.eval.report import joined
from tests.support.make import attempt, case, transcript

ONE, TWO = case("one"), case("two", runs=3)


def ran(*kinds: str, **more: object) -> Report:
    """A report on attempts at one case each, with failures of these kinds ("" for none)."""
    made = (attempt(case(str(number)), 1, *filter(None, [kind])) for number, kind in enumerate(kinds))
    return Report(attempts=tuple(made), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (ran("", ""), 0),
        (ran("", "order"), 1),
        (ran("error.model", "order", "cancelled"), 1),
        (ran("", "error.model"), 3),
        (ran("", "cancelled"), 3),
        (ran(), 5),
        (ran(interrupted=True), 130),
        (ran("", interrupted=True), 130),
        (ran("order", interrupted=True), 130),
    ],
    ids=lambda each: "" if isinstance(each, Report) else str(each),
)
def test_the_exit_status(report: Report, status: int) -> None:
    """Nothing that ran nothing, could not be graded or was interrupted is 0. Seen in the original: an empty suite was."""
    assert report.exit_status == status
    assert report.passed == (status == 0)


def test_a_case_passes_only_if_every_attempt_does() -> None:
    """Two times in three is a case that fails."""
    report = Report(attempts=(attempt(TWO, 1), attempt(TWO, 2, "order"), attempt(TWO, 3), attempt(ONE)))
    assert [(result.case.name, result.status, len(result.attempts)) for result in report.cases] == [
        ("two", "failed", 3),
        ("one", "passed", 1),
    ]
    assert (report.count("passed"), report.count("failed"), report.exit_status) == (1, 1, 1)
    assert report.pass_k == (3, 0.0)
    assert Report(attempts=(attempt(ONE),)).pass_k is None


@pytest.mark.parametrize(
    ("kinds", "status"),
    [(("", "cancelled"), "cancelled"), (("cancelled", "error.model"), "error"), (("error.model", "order"), "failed")],
)
def test_a_case_is_the_worst_of_its_attempts(kinds: tuple[str, ...], status: str) -> None:
    """Failed before error before cancelled before passed."""
    made = tuple(attempt(TWO, number, *filter(None, [kind])) for number, kind in enumerate(kinds, 1))
    assert Report(attempts=made).cases[0].status == status


def test_cases_of_one_name_in_two_suites_are_two() -> None:
    """A report may hold several suites."""
    report = joined(
        [
            Report(attempts=(attempt(ONE, suite="a"),), seconds=1.0, notes=("n",)),
            Report(attempts=(attempt(ONE, 1, "order", suite="b"),)),
        ]
    )
    assert [(result.suite, result.status) for result in report.cases] == [("a", "passed"), ("b", "failed")]
    assert (report.seconds, report.notes, report.exit_status) == (1.0, ("n",), 1)


def used(usage: Usage | None) -> Attempt:
    """An attempt with one model call that used this."""
    return attempt(ONE, transcript=transcript(requests=[Request(usage=usage)]))


def test_what_was_not_reported_is_counted_and_not_added() -> None:
    """Tokens and cost are what is known, and of how many attempts it is not."""
    report = Report(attempts=(used(Usage(input=1, output=2, cost=0.5)), used(None), used(Usage(input=1))))
    assert report.tokens == (3, 2)
    assert report.cost == (0.5, 2)


def test_attempts_may_be_given_by_position() -> None:
    """`Report(attempts, ...)`; the rest goes by name."""
    assert Report((attempt(ONE),), seconds=1.0) == Report(attempts=(attempt(ONE),), seconds=1.0)
    assert Report(()).exit_status == 5
    with pytest.raises(TypeError):
        Report((), 1.0)  # type: ignore[misc]
