"""What happens beside the hooks: calls that were answered without their events, and models that were asked behind a tool."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ModelError
from ..messages import Message
from .transcript import Call


def answered(messages: Sequence[Message], call: Call) -> bool:
    """Whether the conversation holds an answer to the call, by its id, or by its place where it has none."""
    if call.id:
        return any(message.role == "tool" and message.tool_call_id == call.id for message in messages)
    for place, message in enumerate(messages):
        names = [asked.name for asked in message.tool_calls]
        if call.name in names and len(_answers(messages[place + 1 :])) > names.index(call.name):
            return True
    return False


def _answers(messages: Sequence[Message]) -> list[Message]:
    """The tool messages that the conversation begins with."""
    end = next((place for place, message in enumerate(messages) if message.role != "tool"), len(messages))
    return list(messages[:end])


def asked_a_model(error: BaseException | None) -> bool:
    """Whether what a tool raised came of a model call of its own that failed."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ModelError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
