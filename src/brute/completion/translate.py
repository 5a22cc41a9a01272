"""A conversation in the provider library's words, and what a provider answered in ours.

A `Message` has no room for what some providers must be told again on the next call (thought signatures, reasoning
items, their own ids). So the response that a message was made from is kept beside it for the turn, and goes back
word for word; a message that came from elsewhere (another turn, a script, a compaction) is translated from its fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..errors import ModelError
from ..messages import Message, ToolCall, Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters

    from ..tools import Tool

Said = dict[int, tuple[Message, "ModelResponse"]]
"""What was said in this turn by the message's id: the message, held so that its id stays its own, and its response."""


def history(messages: Sequence[Message], said: Said) -> list[ModelMessage]:
    """The conversation as the library wants it: requests and responses in turn."""
    from pydantic_ai.messages import ModelRequest

    found: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    pending: list[ToolCallPart] = []
    for message in messages:
        if message.role != "assistant":
            parts.append(_part(message, pending))
            continue
        if parts:
            found.append(ModelRequest(parts=parts))
            parts = []
        response = _response(message, said, len(found))
        if response.parts:
            found.append(response)
        pending = list(response.tool_calls)
    if parts:
        found.append(ModelRequest(parts=parts))
    return found


def _part(message: Message, pending: list[ToolCallPart]) -> ModelRequestPart:
    from pydantic_ai.messages import SystemPromptPart, ToolReturnPart, UserPromptPart

    if message.role == "system":
        return SystemPromptPart(content=message.content)
    if message.role == "user":
        return UserPromptPart(content=message.content)
    call = _answered(message, pending)
    return ToolReturnPart(
        tool_name=call.tool_name if call else "unknown",
        content=message.content,
        tool_call_id=call.tool_call_id if call else message.tool_call_id or "unknown",
        outcome="failed" if message.failed else "success",
    )


def _answered(message: Message, pending: list[ToolCallPart]) -> ToolCallPart | None:
    """The call that a tool message answers: by its id, or, where it carries none, the first still unanswered."""
    for call in pending:
        if not message.tool_call_id or call.tool_call_id == message.tool_call_id:
            pending.remove(call)
            return call
    return None


def _response(message: Message, said: Said, place: int) -> ModelResponse:
    kept = said.get(id(message)) or next((pair for pair in said.values() if _same(pair[0], message)), None)
    if kept is not None:
        return kept[1]
    from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart

    parts: list[ModelResponsePart] = [TextPart(content=message.content)] if message.content else []
    for index, call in enumerate(message.tool_calls):
        arguments = dict(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments
        # Providers tie results to calls by id; a call that has none gets one that no other call has.
        parts.append(ToolCallPart(call.name, arguments, tool_call_id=call.id or f"call_{place}_{index}"))
    return ModelResponse(parts=parts, model_name=message.model)


def _same(one: Message, other: Message) -> bool:
    """Whether a layer copied a message without changing what it says."""
    return bool(one.tool_calls) and one.tool_calls == other.tool_calls and one.content == other.content


def parameters(tools: Iterable[Tool]) -> ModelRequestParameters:
    """What the model may do: say something, or ask for one of these tools."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    offered = [
        ToolDefinition(name=tool.name, description=tool.description or None, parameters_json_schema=tool.parameters)
        for tool in tools
    ]
    return ModelRequestParameters(function_tools=offered, allow_text_output=True)


def message(response: ModelResponse, usage: Usage) -> Message:
    """What the model said."""
    calls = tuple(
        ToolCall(id=part.tool_call_id, name=part.tool_name, arguments=part.args) for part in response.tool_calls
    )
    return Message(role="assistant", content=_text(response), tool_calls=calls, usage=usage, model=response.model_name)


def _text(response: ModelResponse) -> str:
    # A refusal is what the model said, though its provider files it elsewhere.
    return response.text or str((response.provider_details or {}).get("refusal") or "")


_BROKEN_OFF = {
    "content_filter": "the answer was withheld by a content filter",
    "length": "the answer was cut off at the token limit before it said anything",
    "error": "the answer was broken off by an error",
    "tool_call": "the answer says that it asks for a tool, and asks for none",
}

_ENDED = "the answer was blank, and not ended by the model"


def check_ended(response: ModelResponse) -> None:
    """Refuse an answer that the model did not end itself, where it is blank, or a call may have been lost with its end.

    A silence would be made of what was not seen. Of the reasons that the library knows, `stop` alone says that the model was done.
    """
    reason = response.finish_reason
    if reason == "stop" or response.tool_calls:
        return
    if reason not in ("error", "tool_call") and _text(response).strip():
        return
    own = (response.provider_details or {}).get("finish_reason")
    told = f" ({own})" if isinstance(own, str) and own.lower() != reason else ""
    if not told and reason is None:
        told = " as far as it says"
    # Whatever else ended it (an aborted request, a machine that was overloaded) may be over at the next try.
    passing = reason in ("error", "tool_call") or (reason is None and own is not None)
    raise ModelError(_BROKEN_OFF.get(reason or "", _ENDED) + told, transient=passing)
