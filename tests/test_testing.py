"""The double that our tests, our docs and users' tests share."""

from __future__ import annotations

from typing import Any

import pytest

import brute
from brute import Message, ToolCall, UsageError
from brute.testing import Script


def test_replies_are_played_one_a_model_call() -> None:
    """Messages as they are, texts as the assistant's."""
    script = Script(["one", Message(role="assistant", content="two", tool_calls=[ToolCall(name="f")])])
    agent = brute.agent().run(script)
    assert [agent.start("x").messages[-1].content for _ in range(2)] == ["one", "two"]
    assert script.calls == 2


def test_an_exception_is_raised() -> None:
    """As a model call that fails."""
    with pytest.raises(ConnectionError, match="reset"):
        brute.agent().run(Script([ConnectionError("reset")])).start("x")


def test_a_call_for_which_no_reply_is_left_is_refused() -> None:
    """With the number of those that there were."""
    agent = brute.agent().run(Script(["one"]))
    agent.start("x")
    with pytest.raises(UsageError, match=r"^the Script has no reply left; it holds 1$"):
        agent.start("x")


@pytest.mark.parametrize(
    ("replies", "sentence"),
    [
        ("hello", "Script takes a list of replies, got one str; write Script([...])"),
        (Message(role="assistant"), "Script takes a list of replies, got one Message; write Script([...])"),
        ([3], "a reply of a Script is a Message, a text or an exception, got 3"),
        ([ValueError], "a reply of a Script is a Message, a text or an exception, got <class 'ValueError'>"),
    ],
    ids=str,
)
def test_what_is_no_list_of_replies_is_refused(replies: Any, sentence: str) -> None:
    """When it is made."""
    with pytest.raises(UsageError) as caught:
        Script(replies)
    assert str(caught.value) == sentence
