"""The steps of a turn as blocks of labelled rows: what the model saw, each call and what came of it, how the turn ended."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from ...messages import Message
from ..attempt import Attempt
from ..jsonable import plain as as_json
from ..transcript import Call, Transcript
from ..wording import listed, plural
from . import blame
from .conversation import Room
from .inert import inert, paragraph, phrase
from .lines import seconds
from .steps import Made, Said, Step, Unanswered, Unmade, steps

SHORT, LONG = Room(6, 600), Room(24, 4000)
"""How much of a text is told: in passing, and where it is looked at."""
_OUTCOMES = {"ran": "dim", "stubbed": "cyan", "denied": "yellow", "failed": "red"}
_COSTLY = ("budget.", "turn.deadline", "error.model")

Row = tuple[str, str, str]
"""A label, a text, and the style of the label."""


@dataclasses.dataclass(slots=True)
class Block:
    """One step: the rows that tell it in so much room, the spots that it is, and the kinds of the failures that lie there."""

    rows: Callable[[Room], Sequence[Row]]
    spots: tuple[str, ...] = ()
    kinds: list[str] = dataclasses.field(default_factory=list)


def blocks(attempt: Attempt) -> Iterator[Block]:
    """The steps of the attempt, in the order in which they happened."""
    transcript, costs = attempt.transcript, _costs(attempt)
    offered = False
    for step in steps(transcript):
        if not offered and not (isinstance(step, Said) and step.message.role == "system"):
            offered = True
            yield from _tools(transcript)
        yield from _block(step, transcript, costs)
    yield from _end(attempt)


def _one(label: str, text: str, style: str, *spots: str) -> Block:
    return Block(lambda room: [(label, text, style)], spots)


def _tools(transcript: Transcript) -> Iterator[Block]:
    if transcript.tools:
        yield _one("tools", inert(listed(transcript.tools, most=10), 1000), "dim")


def _block(step: Step, transcript: Transcript, costs: Mapping[int, str]) -> Iterator[Block]:
    if isinstance(step, Unmade):
        asked = f"{inert(step.asked.name, 60)} {_json(step.asked.arguments, SHORT)}"
        yield _one("no call", f"{asked}: never made", "yellow")
    elif isinstance(step, Made):
        number, call = step.number, step.call
        yield Block(lambda room: [*_made(number, call, room)], (blame.call_spot(number),))
    elif isinstance(step, Unanswered):
        yield from _unanswered(step, costs)
    else:
        message, cost = step.message, costs.get(step.number, "")
        # What asks for tools and says nothing is told by its calls.
        if cost or message.content.strip() or not message.tool_calls:
            last = message is transcript.messages[-1] and message.role == "assistant"
            request = [blame.request_spot(step.number)] if step.number else []
            spots = (blame.message_spot(step.index), *request)
            yield Block(lambda room: [*_said(message, cost, LONG if last else room)], spots)


def _said(message: Message, cost: str, room: Room) -> Iterator[Row]:
    lines = [f"({cost})"] if cost else []
    if message.role == "system":
        lines.append(phrase(message.content, 200))
    elif message.content.strip():
        lines.extend(paragraph(message.content, most=room.lines, size=room.characters))
    elif not message.tool_calls:
        lines.append("(blank)")
    yield from _rows(message.role, lines, "dim" if message.role == "system" else "bold")


def _made(number: int, call: Call, room: Room) -> Iterator[Row]:
    by = f"{inert(call.agent, 60)}: " if call.agent else ""
    asked = _json(call.malformed if call.arguments is None else call.arguments, room)
    yield f"call {number}", f"{by}{inert(call.name, 60)} {asked}", "bold"
    if call.executed is not None and call.executed != call.arguments:
        yield "", f"executed with {_json(call.executed, room)}", ""
    result = call.error if call.error is not None else call.result
    text = result if isinstance(result, str) else "" if result is None else _json(result, room)
    lines = [*paragraph(text, most=room.lines, size=room.characters)] if text.strip() else [""]
    yield from _rows(call.outcome, lines, _OUTCOMES[call.outcome])


def _rows(label: str, lines: Sequence[str], style: str) -> Iterator[Row]:
    for number, line in enumerate(lines):
        yield label if number == 0 else "", line, style


def _json(thing: object, room: Room) -> str:
    """Arguments or a result as JSON; a text is what was malformed, and stands as it is."""
    text = thing if isinstance(thing, str) else json.dumps(as_json({} if thing is None else thing), ensure_ascii=False)
    return inert(text, room.characters)


def _unanswered(step: Unanswered, costs: Mapping[int, str]) -> Iterator[Block]:
    """A model call of which no message came: one that failed, or that the budget was spent with."""
    number, error = step.number, step.request.error
    text = costs.get(number) if error is None else f"model call {number} failed: {inert(error)}"
    if text:
        yield _one("assistant", f"({text})", "bold", blame.request_spot(number))


def _costs(attempt: Attempt) -> dict[int, str]:
    """What each model call took, by its number; nothing where nothing is wrong with that."""
    if not any(str(failure.kind).startswith(_COSTLY) for failure in attempt.verdict.failures):
        return {}
    told, spent = {}, 0
    for number, request in enumerate(attempt.transcript.requests, 1):
        total = None if request.usage is None else request.usage.total
        spent += total or 0
        known = ["? tokens" if total is None else plural(total, "token")]
        if spent != total and total is not None:
            known.append(f"{spent:,} in all")
        if request.started is not None and request.ended is not None:
            known.append(f"{seconds(request.ended - request.started)} s")
        told[number] = f"model call {number}: {', '.join(known)}"
    return told


def _end(attempt: Attempt) -> Iterator[Block]:
    """How the turn ended, where that was not by itself."""
    stopped, error = attempt.transcript.stopped, attempt.transcript.error
    if stopped and stopped.startswith("budget."):
        yield _one("stopped", _spent(stopped.removeprefix("budget."), attempt), "yellow", blame.END)
    elif stopped:
        yield _one("stopped", f"by {inert(stopped)}", "yellow", blame.END)
    elif error is not None and error.kind.startswith("turn."):
        yield _one("ended", inert(error.message), "yellow", blame.END)


def _spent(field: str, attempt: Attempt) -> str:
    """Which budget was spent, and before what the turn was stopped for it."""
    unit, limit = inert(field.replace("_", " ")), getattr(attempt.case.budget, field, None)
    budget = f"the budget of {unit if limit is None else f'{limit:,} {unit}'} was spent"
    return f"before model call {attempt.transcript.iterations}: {budget}" if field == "iterations" else budget
