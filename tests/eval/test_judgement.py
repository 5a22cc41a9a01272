"""What votes come to: more than half decide, and what can't be read is for neither side."""

from __future__ import annotations

import pytest

from brute import Usage
from brute.eval.judgement import Judgement, Vote, spent
from brute.eval.spent import Spent

SIDES = {"y": True, "n": False, "?": None}


def of(votes: str, of: int, error: str | None = None) -> Judgement:
    """A judgement by these votes."""
    return Judgement(rubric="is kind", votes=[Vote(met=SIDES[each], reason=each) for each in votes], of=of, error=error)


@pytest.mark.parametrize(
    ("votes", "asked", "met", "decided"),
    [
        ("", 1, None, False), ("y", 1, True, True), ("n", 1, False, True), ("?", 1, None, True),
        ("y", 3, None, False), ("yy", 3, True, True), ("nn", 3, False, True), ("yn", 3, None, False), ("yny", 3, True, True),
        ("y?", 3, None, False), ("y?y", 3, True, True), ("yn?", 3, None, True), ("??", 3, None, True), ("??y", 3, None, True),
        ("y", 2, None, False), ("yn", 2, None, True), ("yy", 2, True, True), ("?", 2, None, True),
        ("yyny", 5, True, True), ("ynyn", 5, None, False), ("ynyn?", 5, None, True),
    ],
)  # fmt: skip
def test_more_than_half_of_the_votes_decide(votes: str, asked: int, met: bool | None, decided: bool) -> None:
    """And no more of them are asked for than could change it: a pass on a part of what was asked for would be luck."""
    judgement = of(votes, asked)
    assert (judgement.met, judgement.decided) == (met, decided)


def test_what_could_not_be_asked_to_the_end_is_neither() -> None:
    """Whatever was said before."""
    judgement = of("yy", 3, error="down")
    assert (judgement.met, judgement.decided) == (None, True)


def test_the_reason_is_that_of_the_side() -> None:
    """The first of it."""
    assert [of("yn?", 3).told(side) for side in SIDES.values()] == ["y", "n", "?"]
    assert of("y", 1).told(False) == ""


def test_a_rubric_is_known_again_where_a_secret_in_it_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a log has it."""
    monkeypatch.setenv("BILLING_API_KEY", "b-771c0aa93f")
    assert Judgement(rubric="never says ***BILLING_API_KEY***").is_of("never says b-771c0aa93f")
    assert not Judgement(rubric="never says it").is_of("never says b-771c0aa93f")


def test_what_was_used_is_a_floor_that_says_so() -> None:
    """A vote whose usage is not known, and a call that failed, are counted as not told."""
    votes = [Vote(usage=Usage(input=3, output=2, cost=0.5)), Vote()]
    both = [Judgement(rubric="a", votes=votes, of=3), Judgement(rubric="b", error="down")]
    assert spent(both) == Spent(calls=3, uncounted=2, unpriced=2, tokens=5, cost=0.5)
    assert spent([]) == Spent()
