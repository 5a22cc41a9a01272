"""A transcript step by step, as it is told: each message, and under the one that asked for them the calls that came of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ...messages import Message, ToolCall
from ..transcript import Call, Request, Transcript
from .pairing import paired


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


@dataclasses.dataclass(frozen=True, slots=True)
class Unanswered:
    """A model call, by its number from 1, of which no message is known to have come: it failed, or an inner agent asked it."""

    number: int
    request: Request


Step = Said | Made | Unmade | Unanswered


def steps(transcript: Transcript) -> Iterator[Step]:
    """The steps of a turn. What a tool answered is told with its call, unless there is no call of that id."""
    untold = list(enumerate(transcript.calls, 1))
    came: dict[int, list[Made | Unmade]] = {}
    told: set[str] = set()
    spoken: list[int] = []
    for index, message in enumerate(transcript.messages):
        if message.role == "tool" and message.tool_call_id in told:
            continue
        spoken.append(index)
        found = [(asked, _taken(asked, untold)) for asked in message.tool_calls]
        came[index] = [Unmade(asked) if call is None else Made(*call) for asked, call in found]
        told.update(asked.id for asked, call in found if call is not None)
    pairs = paired(
        transcript, {at: [each.call for each in those if isinstance(each, Made)] for at, those in came.items()}
    )
    for index in spoken:
        number = pairs.get(index, 0)
        yield Said(index, transcript.messages[index], transcript.requests[number - 1] if number else None, number)
        yield from came[index]
    answered = {*pairs.values()}
    for number, request in enumerate(transcript.requests, 1):
        if number not in answered:
            yield Unanswered(number, request)
    for number, call in untold:
        yield Made(number, call, beside=True)


def _taken(asked: ToolCall, untold: list[tuple[int, Call]]) -> tuple[int, Call] | None:
    """The call that came of what the model asked for, which is told with that."""
    same = [each for each in untold if each[1].name == asked.name]
    found = next((each for each in same if each[1].id == asked.id), same[0] if same else None)
    if found is not None:
        untold.remove(found)
    return found
