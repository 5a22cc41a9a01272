"""Wishes that say how many calls, how they ended, and that there are no others."""

from __future__ import annotations

import time

import pytest

from brute.eval import Failure, call, only
from brute.eval.grading import grade
from tests.support.make import call as made
from tests.support.make import case, transcript

ERROR = Failure("error.model", "the model call failed: 529 overloaded")


def test_a_call_too_many_fails_a_broken_turn_and_one_too_few_does_not() -> None:
    """No later step could mend the first; a later step could mend the second."""
    wanting = case(calls={"f": call(times=1)})
    assert grade(wanting, transcript("f", "f", error=ERROR)).status == "failed"
    assert grade(wanting, transcript(error=ERROR)).status == "error"
    assert grade(case(calls=only({"f": {}})), transcript("g", error=ERROR)).status == "failed"
    assert grade(case(calls=only({"f": {}})), transcript(error=ERROR)).status == "error"
    assert grade(case(calls={"f": {}}), transcript(error=ERROR)).status == "error"


def test_a_bound_goes_for_the_calls_that_no_other_wish_has() -> None:
    """The call to a=1 is the first wish's; of the others there may be one."""
    wanting = case(calls={"f": [{"a": 1}, call(at_most=1)]})
    assert grade(wanting, transcript(made("f", a=1), made("f", a=2))).passed
    assert grade(wanting, transcript(made("f", a=2), made("f", a=1))).passed
    assert not grade(wanting, transcript(made("f", a=1), made("f", a=2), made("f", a=3))).passed
    assert not grade(wanting, transcript(made("f", a=1), made("f", a=1), made("f", a=1))).passed


def test_names_that_overlap_share_the_calls() -> None:
    """One call is not two, whichever of its names it is wanted by."""
    wanting = case(calls={"mail_*": {}, "mail_send": {}})
    assert not grade(wanting, transcript("mail_send")).passed
    assert grade(wanting, transcript("mail_send", "mail_read")).passed


def test_denied_calls_are_other_calls() -> None:
    """As in `never`: the agent asked for it."""
    verdict = grade(case(calls=only({"f": {}})), transcript("f", made("g", "denied")))
    assert verdict.sentences == ["called g besides what this case wants (call 2 of 2, denied: {})"]


def test_no_calls_is_another_thing_than_no_expectation() -> None:
    """Edge case 2."""
    assert grade(case(calls={}), transcript("f")).passed
    assert not grade(case(calls=only({})), transcript("f")).passed


@pytest.mark.parametrize("outcome", ["asked", "ran", "failed", "denied"])
def test_outcomes(outcome: str) -> None:
    """A stub that answered counts as run; whatever was asked for counts as asked."""
    meets = {"asked": {"ran", "stubbed", "failed", "denied"}, "ran": {"ran", "stubbed"}}.get(outcome, {outcome})
    for how in ("ran", "stubbed", "failed", "denied"):
        assert grade(case(calls={"f": call(outcome=outcome)}), transcript(made("f", how))).passed == (how in meets)


def test_a_call_to_no_tool_did_not_fail_as_a_tool_does() -> None:
    """It never got there."""
    assert not grade(case(calls={"f": call(outcome="failed")}), transcript(made("f", "failed"), tools=["g"])).passed


def test_many_calls_are_paired_at_once() -> None:
    """Five hundred wishes with as many calls, each with a bound."""
    calls = [made("f", n=n % 5) for n in range(500)]
    wanting = case(calls=only({"f": [call({"n": n}, times=100) for n in range(5)]}))
    began = time.process_time()
    assert grade(wanting, transcript(*calls)).passed
    assert not grade(wanting, transcript(*calls, made("f", n=1))).passed
    assert time.process_time() - began < 5
