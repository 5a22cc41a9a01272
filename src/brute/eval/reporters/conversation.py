"""A transcript as a person reads it: who said what, each call with its arguments and its result, and where the failure lies."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from ...messages import Message, ToolCall
from ..attempt import Attempt
from ..jsonable import plain as as_json
from ..transcript import Call, Request, Transcript
from ..verdict import Failure
from ..wording import value
from .inert import inert, paragraph
from .lines import Line, failure_lines, heading, plain, remarks, seconds, spent, tools

_OUTCOMES = {"ran": "", "stubbed": "cyan", "denied": "yellow", "failed": "red"}
_REPLY = ("mentions", "reply.unwanted", "absent", "check")


@dataclasses.dataclass(frozen=True, slots=True)
class Room:
    """How much of one text is shown: so many lines of it, and so many characters."""

    lines: int = 60
    characters: int = 8000


FULL = Room(10**9, 10**9)
"""Everything is shown."""


def conversation(attempt: Attempt, room: Room = Room()) -> Iterator[Line]:
    """The whole attempt: its verdict, then what was said and done, then what it came to."""
    transcript = attempt.transcript
    yield heading(attempt)
    yield plain(f"{tools(transcript)}; {spent(attempt)}")
    for failure in attempt.verdict.failures:
        yield from failure_lines(failure)
    yield from _said(_Telling(attempt, room))
    yield from _end(transcript)
    yield from remarks(attempt)


class _Telling:
    """One attempt being told: which calls have been told, and which model call is next."""

    def __init__(self, attempt: Attempt, room: Room) -> None:
        self.failures = attempt.verdict.failures
        self.transcript = attempt.transcript
        self.room = room
        self.untold = list(enumerate(self.transcript.calls, 1))
        self.requests = iter(self.transcript.requests)
        self.told: set[str] = set()

    def taken(self, asked: ToolCall) -> tuple[int, Call] | None:
        """The call that came of what the model asked for, with its number."""
        same = [each for each in self.untold if each[1].name == asked.name]
        found = next((each for each in same if each[1].id == asked.id), same[0] if same else None)
        if found is not None:
            self.untold.remove(found)
            self.told.add(asked.id)
        return found


def _said(telling: _Telling) -> Iterator[Line]:
    messages = telling.transcript.messages
    for message in messages:
        if message.role == "tool" and message.tool_call_id in telling.told:
            continue
        request = next(telling.requests, None) if message.role == "assistant" and message.usage is not None else None
        last = message is messages[-1]
        yield ()
        yield _who(message, request, [each for each in telling.failures if last and each.kind in _REPLY])
        yield from _text(message.content, telling.room)
        for asked in message.tool_calls:
            found = telling.taken(asked)
            if found is None:
                yield plain(f"asked for {inert(asked.name, 60)} {_shown(asked.arguments)}: never made", "yellow")
            else:
                yield from _call(*found, telling)
    if telling.untold:
        yield ()
        yield (("calls beside the conversation", "bold"),)
        for number, call in telling.untold:
            yield from _call(number, call, telling)


def _who(message: Message, request: Request | None, failures: list[Failure]) -> Line:
    usage = message.usage
    known = [inert(message.model or "", 60)]
    if usage is not None and usage.total is not None:
        known.append(f"{usage.total:,} tokens")
    if request is not None and request.started is not None and request.ended is not None:
        known.append(f"{seconds(request.ended - request.started)} s")
    told = ", ".join(filter(None, known))
    marks = "".join(f"  <- {each.kind}" for each in failures)
    return ((message.role, "bold"), (f" ({told})" if told else "", "dim"), (marks, "red"))


def _call(number: int, call: Call, telling: _Telling) -> Iterator[Line]:
    marks = "".join(f"  <- {each.kind}" for each in telling.failures if _lies_in(each, call))
    by = f" by {inert(call.agent, 60)}" if call.agent else ""
    asked = call.malformed if call.arguments is None else call.arguments
    yield (
        (f"    call {number}{by}: ", "dim"),
        (f"{inert(call.name, 60)} {_shown(asked, telling.room)}", ""),
        (f" {call.outcome}", _OUTCOMES.get(call.outcome, "")),
        (marks, "red"),
    )
    if call.executed is not None and call.executed != call.arguments:
        yield plain(f"    executed with {_shown(call.executed, telling.room)}", "yellow")
    if call.error is not None:
        yield plain(f"    {inert(call.error, 1000)}", "red")
    if call.result is not None and call.result != call.error:
        text = call.result if isinstance(call.result, str) else _shown(call.result, telling.room)
        yield from _text(text, telling.room, deeper="    ")


def _lies_in(failure: Failure, call: Call) -> bool:
    """Whether the failure is about this call."""
    if failure.kind == "call.forbidden":
        return bool(failure.expected == f"no call to {call.name}")
    if failure.kind in ("call.arguments", "call.missing"):
        return isinstance(failure.expected, dict) and call.name in failure.expected
    return failure.kind == "order" and isinstance(failure.expected, list) and call.name in failure.expected


def _shown(thing: Any, room: Room | None = None) -> str:
    """Arguments or a result as JSON, in full as far as there is room."""
    if room is None or isinstance(thing, str):
        return inert(thing, 1000) if isinstance(thing, str) else value({} if thing is None else thing)
    return inert(json.dumps(as_json({} if thing is None else thing), ensure_ascii=False), room.characters)


def _text(text: str, room: Room, deeper: str = "") -> Iterator[Line]:
    if text.strip():
        for line in paragraph(text, most=room.lines, size=room.characters, width=room.characters):
            yield plain(f"{deeper}| {line}")


def _end(transcript: Transcript) -> Iterator[Line]:
    """How the turn ended, where that was not with a reply."""
    ended = [
        *(
            f"model call {n} failed: {inert(each.error, 1000)}"
            for n, each in enumerate(transcript.requests, 1)
            if each.error
        ),
        *([f"stopped: {inert(transcript.stopped)}"] if transcript.stopped else []),
        *([f"ended: {inert(transcript.error.message, 1000)}"] if transcript.error is not None else []),
        *(f"published: {inert(value(each), 1000)}" for each in transcript.published),
    ]
    if ended:
        yield ()
        for each in ended:
            yield plain(each, "yellow")
