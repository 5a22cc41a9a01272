"""A conversation in the OpenAI form that llama.cpp speaks, there and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..messages import Message, ToolCall, Usage, as_count

if TYPE_CHECKING:
    from ..tools import Tool


def spoken(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The messages as llama.cpp's chat endpoint takes them.

    >>> spoken([Message(role="user", content="hi")])
    [{'role': 'user', 'content': 'hi'}]
    """
    return [_message(message) for message in messages]


def _message(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        made["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.role == "tool":
        made["tool_call_id"] = message.tool_call_id or ""
    return made


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(dict(call.arguments or {}))
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def offered(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools as llama.cpp's chat endpoint takes them."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def whole(body: dict[str, Any]) -> dict[str, Any]:
    r"""The request as UTF-8 can have it: llama.cpp takes no halves of characters, such as a tool's result may hold.

    >>> whole({"prompt": "a\ud800b"}) == {"prompt": "a\ufffdb"}
    True
    """
    told = json.dumps(body, ensure_ascii=False)
    clean: dict[str, Any] = json.loads(_HALVES.sub("\ufffd", told)) if _HALVES.search(told) else body
    return clean


_HALVES = re.compile("[\ud800-\udfff]")


def check_ended(message: Message, pieces: Iterable[dict[str, Any]]) -> None:
    """Refuse a blank answer that the model did not end itself: a model that thinks first may be cut off before it says anything."""
    if message.content.strip() or message.tool_calls:
        return
    reasons = [choice.get("finish_reason") for piece in pieces for choice in piece.get("choices") or ()]
    if "length" in reasons:
        raise ModelError(
            "the answer was cut off at the token limit before it said anything (Local(..., max_tokens=) sets it)"
        )
    if "stop" not in reasons:
        raise ModelError("the answer was broken off before it said anything")


def heard(pieces: Sequence[dict[str, Any]], model: str) -> Message:
    """The assistant message that streamed pieces make together.

    >>> heard([{"choices": [{"delta": {"content": "Hel"}}]}, {"choices": [{"delta": {"content": "lo"}}]}], "m").content
    'Hello'
    """
    text: list[str] = []
    calls: dict[int, dict[str, str]] = {}
    for delta in (choice.get("delta") or {} for piece in pieces for choice in piece.get("choices") or ()):
        text.append(delta.get("content") or "")
        for part in delta.get("tool_calls") or ():
            _add(calls.setdefault(part.get("index", 0), {"id": "", "name": "", "arguments": ""}), part)
    made = tuple(ToolCall(**calls[index]) for index in sorted(calls))
    return Message(role="assistant", content="".join(text), tool_calls=made, usage=used(pieces), model=model)


def _add(call: dict[str, str], part: dict[str, Any]) -> None:
    """Add a piece of a tool call to what is known of it: its arguments come in many pieces, the rest in one."""
    function = part.get("function") or {}
    call["id"] = call["id"] or part.get("id") or ""
    call["name"] += function.get("name") or ""
    call["arguments"] += function.get("arguments") or ""


def used(pieces: Iterable[dict[str, Any]]) -> Usage | None:
    """The tokens of a request, from the piece that reports them; None where none does.

    llama.cpp counts what it took from its cache as part of the prompt, and so does `input`.
    """
    for piece in pieces:
        counts = piece.get("usage")
        if counts:
            cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens")
            input, output = map(as_count, (counts.get("prompt_tokens"), counts.get("completion_tokens")))
            return Usage(input=input, output=output, cache_read=as_count(cached))
    return None
