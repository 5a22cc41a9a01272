"""Where failures lie."""

from __future__ import annotations

from typing import Any

import pytest

from brute import Message, Usage
from brute.eval import Call, Failure, Request, Transcript
from brute.eval.reporters.blame import spots

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
        ("error.build", None, ["end"]),
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


def test_a_turn_in_which_nothing_happened() -> None:
    """Whatever is wrong with it lies at its end."""
    kinds = (
        "order",
        "call.missing",
        "mentions",
        "budget.tokens",
        "turn.deadline",
        "turn.raised",
        "error.model",
        "check",
    )
    assert {spot for kind in kinds for spot in spots(Failure(kind, "no", 3), Transcript())} == {"end"}
