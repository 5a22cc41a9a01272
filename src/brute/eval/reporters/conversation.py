"""A transcript as a person reads it: who said what, each call with its arguments and its result, and where the failure lies."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

from ...messages import Message
from ..attempt import Attempt
from ..jsonable import plain as as_json
from ..judgewording import summed
from ..transcript import Request, Transcript
from ..wording import plural, value
from .blame import call_spot, message_spot, request_spot, spots
from .inert import inert, paragraph
from .lines import Line, failure_lines, heading, plain, remarks, seconds, spent, tools
from .steps import Made, Said, Unanswered, Unmade, steps

_OUTCOMES = {"ran": "", "stubbed": "cyan", "denied": "yellow", "failed": "red"}


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
    yield from _said(attempt, room)
    yield from _end(transcript)
    yield from remarks(attempt)


def _said(attempt: Attempt, room: Room) -> Iterator[Line]:
    transcript, marks = attempt.transcript, _marks(attempt)
    beside = False
    for step in steps(transcript):
        if isinstance(step, Said):
            yield ()
            yield _who(step.message, step.request, marks(message_spot(step.index), request_spot(step.number)))
            yield from _text(step.message.content, room)
        elif isinstance(step, Unanswered):
            yield from _unanswered(step, marks(request_spot(step.number)))
        elif isinstance(step, Unmade):
            yield plain(f"asked for {inert(step.asked.name, 60)} {_shown(step.asked.arguments)}: never made", "yellow")
        else:
            if step.beside and not beside:
                beside = True
                yield ()
                yield (("calls beside the conversation", "bold"),)
            yield from _call(step, marks(call_spot(step.number)), room)


def _marks(attempt: Attempt) -> Callable[..., str]:
    """What stands beside a step: the kinds of the failures that lie at its spots."""
    there = [(each, spots(each, attempt.transcript)) for each in attempt.verdict.failures]

    def marks(*spots: str) -> str:
        kinds = [each.kind for each, where in there if not {*spots}.isdisjoint(where)]
        return "".join(f"  <- {inert(kind, 60)}" for kind in kinds)

    return marks


def _unanswered(step: Unanswered, marks: str) -> Iterator[Line]:
    """A model call of which no message came, where that is worth a line."""
    if step.request.error or marks:
        told = f"model call {step.number}{f' failed: {inert(step.request.error, 1000)}' if step.request.error else ''}"
        yield ()
        yield ((f"    {told}", "yellow"), (marks, "red"))


def _who(message: Message, request: Request | None, marks: str) -> Line:
    usage = message.usage if request is None else request.usage or message.usage
    known = [inert(message.model or "", 60)]
    if usage is not None and usage.total is not None:
        known.append(plural(usage.total, "token"))
    if request is not None and request.started is not None and request.ended is not None:
        known.append(f"{seconds(request.ended - request.started)} s")
    told = ", ".join(filter(None, known))
    return ((message.role, "bold"), (f" ({told})" if told else "", "dim"), (marks, "red"))


def _call(made: Made, marks: str, room: Room) -> Iterator[Line]:
    number, call = made.number, made.call
    by = f" by {inert(call.agent, 60)}" if call.agent else ""
    asked = call.malformed if call.arguments is None else call.arguments
    yield (
        (f"    call {number}{by}: ", "dim"),
        (f"{inert(call.name, 60)} {_shown(asked, room)}", ""),
        (f" {call.outcome}", _OUTCOMES.get(call.outcome, "")),
        (marks, "red"),
    )
    if call.executed is not None and call.executed != call.arguments:
        yield plain(f"    executed with {_shown(call.executed, room)}", "yellow")
    if call.error is not None:
        yield plain(f"    {inert(call.error, 1000)}", "red")
    if call.result is not None and call.result != call.error:
        text = call.result if isinstance(call.result, str) else _shown(call.result, room)
        yield from _text(text, room, deeper="    ")


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
        *([f"stopped: {inert(transcript.stopped)}"] if transcript.stopped else []),
        *([f"ended: {inert(transcript.error.message, 1000)}"] if transcript.error is not None else []),
        *(inert(summed(each), 2000) for each in transcript.judgements),
        *(f"published: {inert(value(each), 1000)}" for each in transcript.published),
    ]
    if ended:
        yield ()
        for each in ended:
            yield plain(each, "yellow")
