"""Conversations in llama.cpp's form, there and back."""

from __future__ import annotations

from typing import Any

from brute import Message, Tool, ToolCall, Usage
from brute.completion import chat


def delta(**fields: Any) -> dict[str, Any]:
    """A streamed piece."""
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


def part(index: int, arguments: str = "", name: str | None = None, id: str | None = None) -> dict[str, Any]:
    """A streamed piece of a tool call."""
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"index": index, "function": function} | ({"id": id, "type": "function"} if id else {})


def test_a_conversation_with_a_call_is_written_as_openai_does() -> None:
    """Arguments go out as JSON text, and a result names the call that it answers."""
    said = [
        Message(role="system", content="Be brief."),
        Message(role="user", content="rates?"),
        Message(role="assistant", tool_calls=(ToolCall(id="1", name="search", arguments={"query": "rates"}),)),
        Message(role="tool", content="4.25%", tool_call_id="1"),
    ]
    assert chat.spoken(said) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "rates?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"query": "rates"}'}}
            ],
        },
        {"role": "tool", "content": "4.25%", "tool_call_id": "1"},
    ]


def test_arguments_that_came_as_text_go_back_as_they_came() -> None:
    """Even malformed ones: the model sees what it wrote."""
    (message,) = chat.spoken([Message(role="assistant", tool_calls=(ToolCall(name="f", arguments='{"a": '),))])
    assert message["tool_calls"][0]["function"]["arguments"] == '{"a": '


def test_a_call_without_arguments_is_written_with_none() -> None:
    """Nothing is an empty object in JSON."""
    (message,) = chat.spoken([Message(role="assistant", tool_calls=(ToolCall(name="f"),))])
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


def test_tools_are_offered_with_their_schemas() -> None:
    """Name, description and parameters, in the OpenAI form."""
    tool = Tool(name="search", description="Search.", parameters={"type": "object"}, function=print)
    function = {"name": "search", "description": "Search.", "parameters": {"type": "object"}}
    assert chat.offered([tool]) == [{"type": "function", "function": function}]


def test_pieces_of_two_calls_are_put_together() -> None:
    """Arguments come in pieces, which may alternate between the calls."""
    pieces = [
        delta(role="assistant", content=None),
        delta(tool_calls=[part(0, name="search", id="a")]),
        delta(tool_calls=[part(1, '{"id"', name="read", id="b"), part(0, '{"query": ')]),
        delta(tool_calls=[part(0, '"rates"}'), part(1, ": 2}")]),
        {
            "choices": [{"delta": {}, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4},
        },
    ]
    assert chat.heard(pieces, "m") == Message(
        role="assistant",
        tool_calls=(
            ToolCall(id="a", name="search", arguments='{"query": "rates"}'),
            ToolCall(id="b", name="read", arguments='{"id": 2}'),
        ),
        usage=Usage(input=9, output=4),
        model="m",
    )


def test_usage_that_no_piece_reports_is_unknown() -> None:
    """Not reported is None, never 0."""
    assert chat.heard([delta(content="hi")], "m").usage is None


def test_what_came_from_the_cache_is_part_of_the_input() -> None:
    """The cached tokens are told apart, and counted once."""
    counts = {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 90}}
    assert chat.used([{"choices": []}, {"usage": counts}]) == Usage(input=100, output=5, cache_read=90)


def test_what_is_no_number_of_tokens_is_not_reported() -> None:
    """A server that reports nonsense costs the number, and not the turn."""
    assert chat.used([{"usage": {"prompt_tokens": "9", "completion_tokens": 4}}]) == Usage(input=None, output=4)
