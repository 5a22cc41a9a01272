"""A transcript step by step, as it is told: each message, and under the one that asked for them the calls that came of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...messages import Message, ToolCall
from ..transcript import Call, Request, Transcript


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    """A message, by its place in the conversation, with the model call that it came of, and that one's number."""

    index: int
    message: Message
    request: Request | None = None
    number: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A call, by its number from 1; `beside` says that no message asked for it."""

    number: int
    call: Call
    beside: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Unmade:
    """A call that a message asked for and that nobody made."""

    asked: ToolCall


Step = Said | Made | Unmade


def steps(transcript: Transcript) -> Iterator[Step]:
    """The steps of a turn. What a tool answered is told with its call, unless there is no call of that id."""
    untold = list(enumerate(transcript.calls, 1))
    requests = iter(enumerate(transcript.requests, 1))
    told: set[str] = set()
    for index, message in enumerate(transcript.messages):
        if message.role == "tool" and message.tool_call_id in told:
            continue
        used = message.role == "assistant" and message.usage is not None
        number, request = next(requests, (0, None)) if used else (0, None)
        yield Said(index, message, request, number)
        for asked in message.tool_calls:
            found = _taken(asked, untold)
            if found is None:
                yield Unmade(asked)
            else:
                told.add(asked.id)
                yield Made(*found)
    for number, call in untold:
        yield Made(number, call, beside=True)


def _taken(asked: ToolCall, untold: list[tuple[int, Call]]) -> tuple[int, Call] | None:
    """The call that came of what the model asked for, which is told with that."""
    same = [each for each in untold if each[1].name == asked.name]
    found = next((each for each in same if each[1].id == asked.id), same[0] if same else None)
    if found is not None:
        untold.remove(found)
    return found
