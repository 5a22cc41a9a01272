"""What a conversation is made of."""

from __future__ import annotations

from typing import Any

import pytest

from brute import Message, Messages, ToolCall, Usage, UsageError


@pytest.mark.parametrize("nothing", [None, {}, "", "  \n", "null", "{}", '""'], ids=repr)
def test_no_arguments_are_one_and_the_same(nothing: Any) -> None:
    """Edge case 4: missing, None, {} and "" are all no arguments."""
    assert ToolCall(name="f", arguments=nothing).parsed() == {}


@pytest.mark.parametrize(
    "malformed",
    [
        '{"a": 1',
        "[1]",
        "3",
        '"text"',
        '{"a": 1} trailing',
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
        [1],
        3,
        "{'a': 1}",
        '"{\\"a\\": 1}"',
    ],
    ids=lambda each: repr(each)[:20],
)
def test_malformed_arguments_are_none_and_no_crash(malformed: Any) -> None:
    """Whatever a model sends."""
    assert ToolCall(name="f", arguments=malformed).parsed() is None


def test_arguments_are_a_mapping_or_the_json_of_one() -> None:
    """Of a key given twice the last counts, as for every parser; the mapping is a copy."""
    given = {"a": 1}
    parsed = ToolCall(name="f", arguments=given).parsed()
    assert parsed == given
    assert parsed is not given
    assert ToolCall(name="f", arguments='{"a": 1, "a": 2, "b": "\\ud800"}').parsed() == {"a": 2, "b": "\ud800"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"role": "asistant"},
            "a message's role must be one of system, user, assistant, tool; got 'asistant' (did you mean \"assistant\"?)",
        ),
        ({"role": "user", "content": ["x"]}, "a message's content must be a text, got ['x']"),
        ({"role": "user", "tool_calls": "x"}, "a message's tool_calls must be a list of ToolCalls, got 'x'"),
        ({"role": "user", "tool_calls": None}, "a message's tool_calls must be a list of ToolCalls, got None"),
        (
            {"role": "user", "tool_calls": [{"name": "x"}]},
            "a message's tool_calls must be ToolCalls, got {'name': 'x'}",
        ),
    ],
    ids=str,
)
def test_what_is_no_message_is_refused(given: dict[str, Any], sentence: str) -> None:
    """Where it is made, and not where it is read."""
    with pytest.raises(UsageError) as caught:
        Message(**given)
    assert str(caught.value) == sentence


def test_a_message_takes_what_providers_send() -> None:
    """No content is an empty one; calls become a tuple."""
    made = Message(role="assistant", content=None, tool_calls=[ToolCall(name="f")])  # type: ignore[arg-type]
    assert (made.content, made.tool_calls) == ("", (ToolCall(name="f"),))


def test_a_conversation_has_a_word_for_each_kind_of_message() -> None:
    """Each answers the conversation."""
    log = (
        Messages()
        .system("s")
        .user("u")
        .assistant("", [ToolCall(name="f", id="1")], usage=Usage(input=1))
        .tool("r", "1", failed=True)
    )
    assert [message.role for message in log] == ["system", "user", "assistant", "tool"]
    assert (log[2].usage, log[3].tool_call_id, log[3].failed) == (Usage(input=1), "1", True)
    assert log.reply == ""
    assert log.assistant("a").reply == "a"


def test_usage_that_was_not_reported_stays_unknown() -> None:
    """In a sum as well."""
    assert Usage(input=1, output=2) + Usage(input=3, output=4) == Usage(input=4, output=6)
    assert (Usage(input=1, output=2) + Usage(input=3)).total is None
    assert Usage(input=0, output=0).total == 0
    assert Usage().total is None
