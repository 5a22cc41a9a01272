"""Which model call a message came of."""

from __future__ import annotations

from typing import Any

from brute import Message, ToolCall, Usage
from brute.eval import Call, Request, Transcript
from brute.eval.reporters.pairing import Pairs, paired

SMALL, MIDDLE, LARGE = (Usage(input=tokens, output=5) for tokens in (10, 50, 100))
USER = Message(role="user", content="q")


def says(content: str = "", usage: Usage | None = None, *calls: str, **more: Any) -> Message:
    """What a model said, and the calls that it asked for."""
    asked = tuple(ToolCall(id=f"{content}{n}", name=name) for n, name in enumerate(calls))
    return Message(role="assistant", content=content, usage=usage, tool_calls=asked, **more)


def requests(*usages: Usage | None) -> list[Request]:
    """Model calls that used this."""
    return [Request(iteration=n, usage=usage) for n, usage in enumerate(usages, 1)]


def pairs(
    messages: list[Message], asked: list[Request], made: dict[int, list[int]] | None = None, **more: Any
) -> Pairs:
    """The pairs; `made` are the iterations of the calls that came of a message."""
    calls = {at: [Call(name="f", iteration=n) for n in those] for at, those in (made or {}).items()}
    return paired(Transcript(said="q", messages=messages, requests=asked, **more), calls)


def test_history_is_no_model_call() -> None:
    """Also where it tells what it used once."""
    old = [Message(role="user", content="h"), says("old", SMALL)]
    turn = [*old, USER, says("thinking", MIDDLE, "f"), says("done", LARGE)]
    assert pairs(turn, requests(MIDDLE, LARGE), {3: [1]}) == {3: 1, 4: 2}
    assert pairs([*old, USER, says("done", SMALL)], requests(SMALL)) == {3: 1}
    assert pairs([*old, USER], requests(None), stale=True) == {}
    assert pairs([USER, says("old", SMALL)], requests(SMALL), stale=True) == {}


def test_a_model_call_that_did_not_tell_what_it_used() -> None:
    """The next one's usage is not its."""
    turn = [USER, says("thinking", None, "f"), says("done", LARGE)]
    assert pairs(turn, requests(None, LARGE), {1: [1]}) == {1: 1, 2: 2}
    assert pairs(turn, requests(None, LARGE)) == {1: 1, 2: 2}


def test_usage_that_only_the_model_call_tells() -> None:
    """As of most frameworks."""
    assert pairs([USER, says("a"), says("b")], requests(SMALL, LARGE)) == {1: 1, 2: 2}


def test_one_that_failed_said_nothing() -> None:
    """The agent asked again by itself."""
    asked = [Request(iteration=1, error="529"), *(Request(iteration=n, usage=SMALL) for n in (2, 3))]
    assert pairs([USER, says("a", SMALL, "f"), says("b", SMALL)], asked, {1: [2]}) == {1: 2, 2: 3}


def test_what_inner_agents_asked() -> None:
    """Their messages are none of the turn's: the reply came after them, and is known by what it used."""
    turn = [USER, says("thinking", SMALL, "f"), says("done", LARGE)]
    assert pairs(turn, requests(SMALL, MIDDLE, LARGE, LARGE), {1: [1]}) == {1: 1, 2: 4}
    assert pairs(turn, requests(SMALL, MIDDLE, MIDDLE, LARGE), {1: [1]}) == {1: 1, 2: 4}
    # Nothing tells which of them it was.
    assert pairs([USER, says("a", None, "f"), says("b")], requests(SMALL, MIDDLE, LARGE), {1: [1]}) == {1: 1}


def test_what_no_model_said() -> None:
    """A layer wrote one of the messages: only what tells its usage is known."""
    turn = [USER, says("a layer's"), says("b", SMALL), says("c", LARGE)]
    assert pairs(turn, requests(SMALL, LARGE)) == {2: 1, 3: 2}
    assert pairs([USER, says("x"), says("y")], requests(SMALL)) == {}


def test_a_contradiction_is_no_pair() -> None:
    """Another usage, another model."""
    assert pairs([USER, says("a", SMALL)], requests(LARGE)) == {}
    assert pairs([USER, says("a", SMALL, model="m")], [Request(usage=SMALL, model="n")]) == {}


def test_the_order_of_both_is_kept() -> None:
    """A call under the name of an earlier iteration ties no later message to it."""
    turn = [USER, says("a", SMALL, "f"), says("b", LARGE, "f")]
    assert pairs(turn, requests(SMALL, LARGE), {1: [2], 2: [1]}) == {1: 2}
