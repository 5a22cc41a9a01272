"""The failures of one attempt, and what they come to."""

from __future__ import annotations

import pytest

from brute.eval import Failure, Verdict
from brute.eval.verdict import KINDS, STATUSES


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ([], "passed"),
        (["order"], "failed"),
        (["error.model"], "error"),
        (["cancelled"], "cancelled"),
        (["cancelled", "error.model"], "cancelled"),
        (["error.model", "call.forbidden"], "failed"),
        (["cancelled", "call.forbidden"], "failed"),
        (["a.kind.of.your.own"], "failed"),
    ],
)
def test_the_status_is_what_the_failures_come_to(kinds: list[str], status: str) -> None:
    """Passed is no failures and nothing else; one thing that the agent did wrong outweighs what could not be seen."""
    verdict = Verdict(tuple(Failure(kind, "x") for kind in kinds))
    assert verdict.status == status
    assert verdict.passed == (status == "passed")
    assert [failure.kind for failure in verdict.errors] == [
        kind for kind in kinds if kind.startswith(("error.", "cancelled"))
    ]


def test_every_kind_has_a_status_of_its_own() -> None:
    """None of them passes."""
    found = {Verdict((Failure(kind, "x"),)).status for kind in KINDS}
    assert found == set(STATUSES) - {"passed"}


def test_a_verdict_reads_as_its_sentences() -> None:
    """In order."""
    verdict = Verdict((Failure("order", "one"), Failure("check", "two")))
    assert verdict.sentences == ["one", "two"]
    assert str(verdict.failures[0]) == "one"
