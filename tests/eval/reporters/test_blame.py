"""Where failures lie."""

from __future__ import annotations

from typing import Any

import pytest

from brute import Message, Usage
from brute.eval import Call, Case, Failure, Request, Transcript, only
from brute.eval import call as Times
from brute.eval.grading import grade
from brute.eval.reporters.blame import WHERE, spots
from brute.eval.verdict import KINDS
from tests.support.make import call, transcript
from tests.support.make import case as make_case

CALLS = [
    Call(name="read", started=0.1, ended=0.2),
    Call(name="read", started=0.2, ended=0.3),
    Call(name="write", started=0.3, ended=0.4, outcome="failed", error="no"),
    Call(name="shell", started=0.4),
]
REQUESTS = [
    Request(usage=Usage(input=10, output=5), ended=0.1),
    Request(ended=0.3),
    Request(usage=Usage(input=10, output=5), ended=0.5, error="529"),
]
TURN = Transcript(
    messages=[Message(role="user", content="hi"), Message(role="assistant", content="ho")],
    calls=CALLS,
    requests=REQUESTS,
)


@pytest.mark.parametrize(
    ("kind", "expected", "found"),
    [
        ("call.forbidden", "no call to write", ["c3"]),
        ("call.arguments", {"read": "path x"}, ["c1", "c2"]),
        ("call.missing", {"fetch": ["any arguments"]}, ["end"]),
        ("order", ["write", "read"], ["c1"]),
        ("order", ["read", "shell", "write"], ["c3"]),
        ("order", ["read", "read", "read"], ["end"]),
        ("order", ["read", "write", "shell", "fetch"], ["end"]),
        ("order", ["read", "write"], ["end"]),
        ("order", None, ["end"]),
        ("order", [1, None], ["end"]),
        ("call.missing", {1: []}, ["end"]),
        ("call.unwanted", object(), ["end"]),
        ("mentions", "x", ["m1"]),
        ("absent", None, ["m1"]),
        ("reply.missing", None, ["m1"]),
        ("reply.unwanted", None, ["m1"]),
        ("check", None, ["m1"]),
        ("budget.tool_calls", 2, ["c3"]),
        ("budget.tool_calls", 9, ["end"]),
        ("budget.iterations", 1, ["r2"]),
        ("budget.tokens", 20, ["r3"]),
        ("budget.seconds", 0.2, ["r2"]),
        ("budget.seconds", 9, ["end"]),
        ("budget.tokens", "many", ["end"]),
        ("turn.deadline", 600, ["c4"]),
        ("turn.raised", None, ["c4"]),
        ("error.stub", None, ["c4"]),
        ("error.model", None, ["r3"]),
        ("error.build", None, []),
        ("error.tool", None, []),
        ("error.check", None, []),
        ("error.blind", 5, []),
        ("cancelled", None, []),
        ("turn.output", None, ["end"]),
        ("turn.memory", None, ["c4"]),
        ("judge", None, ["m1"]),
        ("call.forbidden", "no call to wr*", ["c3"]),
        ("call.arguments", {"r*": "path x"}, ["c1", "c2"]),
        ("order", ["w*", "r*"], ["c1"]),
        ("order", ["parallel('write', 'read')", "shell"], ["end"]),
        ("anything else", None, ["end"]),
    ],
)
def test_where_a_failure_lies(kind: str, expected: Any, found: list[str]) -> None:
    """At the step that a reader should look at first, or at the end where it is in none."""
    assert spots(Failure(kind, "no", expected), TURN) == found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ('noted "rates were raised" where they were held', ["c1"]),
        ('said "It says that rates were raised." where they were held', ["m1"]),
        ('said "It says that rates were raised." and noted "rates were raised"', ["c1"]),
        ("is about a bird", ["m1"]),
    ],
)
def test_a_check_that_quotes_what_a_call_was_made_with(sentence: str, found: list[str]) -> None:
    """It is about that call, unless it quotes the reply, and the call's text only as a part of that."""
    turn = Transcript(
        messages=[
            Message(role="user", content="hi"),
            Message(role="assistant", content="It says that rates were raised."),
        ],
        calls=[
            Call(name="note", arguments={"text": "rates were raised", "n": 1}),
            Call(name="x", arguments={"y": "bird"}),
        ],
    )
    assert spots(Failure("check", sentence), turn) == found


def test_every_kind_of_failure_is_known_here() -> None:
    """So that a new one is not told at the reply, which may be right."""
    assert {*WHERE} == {*KINDS}


def graded(case: Case, *made: Call) -> list[list[str]]:
    """Where the failures of a turn with these calls lie."""
    seen = transcript(*made)
    return [spots(failure, seen) for failure in grade(case, seen).failures]


def test_calls_that_are_too_many_are_the_ones_that_are_meant() -> None:
    """All that were made so; and of `only` each call besides, though another that is wanted is just like it."""
    made = [call("read", path="a"), call("write"), call("nope"), call("write", "failed"), call("read", path="a")]
    assert graded(make_case(calls={"read": Times({}, times=1)}), *made) == [["c1", "c5"]]
    assert graded(make_case(calls=only({"read": {}})), *made) == [["c2"], ["c3"], ["c4"], ["c5"]]
    assert graded(make_case(calls={"r*": Times({"path": "a"}, times=1)}), *made) == [["c1", "c5"]]


def test_a_step_of_an_order_that_was_denied() -> None:
    """It was asked for in its place, and nothing else is wrong with it."""
    assert graded(make_case(order=["read", "write"]), call("read"), call("write", "denied")) == [["c2"]]


def test_an_old_reply_is_not_to_blame() -> None:
    """The turn said nothing: what stands last was there before it."""
    seen = transcript(stale=True)
    assert spots(Failure("mentions", "no"), seen) == ["end"]


def test_a_turn_in_which_nothing_happened() -> None:
    """Whatever is wrong with it lies at its end."""
    kinds = (
        "order",
        "call.missing",
        "mentions",
        "budget.tokens",
        "turn.deadline",
        "turn.raised",
        "check",
    )
    assert {spot for kind in kinds for spot in spots(Failure(kind, "no", 3), Transcript())} == {"end"}
