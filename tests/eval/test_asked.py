"""A framework's call is found again among those that the model asked for."""

from __future__ import annotations

import pytest

from brute import ToolCall
from brute.eval.asked import Asked
from brute.messages import Message


def call(name: str, id: str = "", **arguments: object) -> ToolCall:
    """A call."""
    return ToolCall(id=id, name=name, arguments=arguments)


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        (call("search", "c2"), 1),
        (call("prefixed_search", "c2"), 1),
        (call("search", "other", q="b"), 1),
        (call("search", q="b"), 1),
        (call("search", q="z"), 0),
        (call("search"), 0),
    ],
    ids=["by id", "renamed by a toolset", "id of the framework's own", "without id", "changed arguments", "name alone"],
)
def test_a_call_is_found(wanted: ToolCall, place: int) -> None:
    """By its id, else by what it says."""
    asked = Asked()
    asked.add(1, (call("search", "c1", q="a"), call("search", "c2", q="b")))
    assert asked.take(wanted, 1)[:2] == (1, place)


def test_an_id_that_is_used_twice_means_the_latest() -> None:
    """Scripted models count from 1 in each answer."""
    asked = Asked()
    asked.add(1, (call("search", "c1"),))
    asked.add(2, (call("search", "c1"),))
    assert [asked.take(call("search", "c1"), 2)[0] for _ in range(2)] == [2, 1]


def test_what_nobody_asked_for_stands_in_no_batch() -> None:
    """The agent's own code made it."""
    asked = Asked()
    asked.add(1, (call("search", "c1"),))
    first, second = asked.take(call("fetch"), 1), asked.take(call("fetch"), 1)
    assert (first[0], first[1] != second[1], first[1] > 1000) == (1, True, True)


def test_results_stand_in_the_order_of_their_calls() -> None:
    """Whichever ended first; each is told once."""
    asked = Asked()
    asked.result(1, 1, Message(role="tool", content="b"))
    asked.result(1, 0, Message(role="tool", content="a"))
    assert [message.content for message in asked.results()] == ["a", "b"]
    assert asked.results() == []
