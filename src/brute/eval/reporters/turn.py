"""The turn of an attempt that did not pass, step by step and in short: what the model saw, what it did, and where it went wrong."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Sequence

from ..attempt import Attempt
from ..jsonable import plain as as_json
from ..transcript import Call, Request, Transcript
from ..verdict import Failure
from ..wording import both, listed, plural
from . import blame
from .inert import inert, paragraph, phrase
from .lines import INDENT, Line, seconds
from .steps import Made, Said, Step, Unmade, steps

LABEL = 9
"""How wide the column of labels is: `assistant`."""
_FIRST, _LAST, _MARKED = 5, 12, 6
"""How many steps are told of a long turn: the first, the last, and of those between the ones that failures lie in."""
_OUTCOMES = {"ran": "", "stubbed": "cyan", "denied": "yellow", "failed": "red"}
_COSTLY = ("budget.", "turn.deadline", "error.model")

Row = tuple[str, str, str]
"""A label, a text, and the style of the label."""


@dataclasses.dataclass(slots=True)
class Block:
    """One step: the rows that tell it, the spots that it is, and the kinds of the failures that lie there."""

    rows: list[Row]
    spots: tuple[str, ...] = ()
    kinds: list[str] = dataclasses.field(default_factory=list)


def turn_lines(attempt: Attempt) -> Iterator[Line]:
    """The steps of the turn, those that a failure lies in marked with it; of very many, the first, the last and the marked ones."""
    blocks = [*_blocks(attempt)]
    _mark(blocks, attempt.verdict.failures, attempt.transcript)
    marked = [n for n, block in enumerate(blocks) if block.kinds][:_MARKED]
    told = {*range(_FIRST), *range(len(blocks) - _LAST, len(blocks)), *marked}
    left = 0
    for number, block in enumerate(blocks):
        if number not in told:
            left += 1
            continue
        if left:
            yield _row("...", f"{plural(left, 'more step')}", "dim")
            left = 0
        yield from _lines(block)


def _lines(block: Block) -> Iterator[Line]:
    for number, (label, text, style) in enumerate(block.rows):
        yield _row(label, text, style, marked=bool(block.kinds) and number == 0)
    if block.kinds:
        yield ((" " * (len(INDENT) + 2 + LABEL + 1) + "^ " + both(dict.fromkeys(block.kinds)), "bold red"),)


def _row(label: str, text: str, style: str = "", marked: bool = False) -> Line:
    bar = ((" |", "dim"), (f" {text}" if text else "", ""))
    return ((INDENT, ""), ("> " if marked else "  ", "bold red"), (f"{label:<{LABEL}}", style or "bold"), *bar)


def _mark(blocks: Sequence[Block], failures: Iterable[Failure], transcript: Transcript) -> None:
    """Note in each block the failures that lie there; what lies in no step that is told lies in the last."""
    for failure in failures:
        spots = set(blame.spots(failure, transcript))
        there = [block for block in blocks if spots & set(block.spots)]
        for block in there or blocks[-1:]:
            block.kinds.append(failure.kind)


def _blocks(attempt: Attempt) -> Iterator[Block]:
    transcript = attempt.transcript
    costly = any(failure.kind.startswith(_COSTLY) for failure in attempt.verdict.failures)
    told, offered, beside = set(), False, False
    for step in steps(transcript):
        if isinstance(step, Said):
            told.add(step.number)
        if not offered and not (isinstance(step, Said) and step.message.role == "system"):
            offered = True
            yield from _tools(transcript)
        if isinstance(step, Made) and step.beside and not beside:
            beside = True
            yield from _unanswered(transcript, told, costly)
        yield from _block(step, transcript, costly)
    if not beside:
        yield from _unanswered(transcript, told, costly)
    yield from _end(transcript)


def _tools(transcript: Transcript) -> Iterator[Block]:
    if transcript.tools:
        yield Block([("tools", listed(transcript.tools, most=10), "dim")])


def _block(step: Step, transcript: Transcript, costly: bool) -> Iterator[Block]:
    if isinstance(step, Said):
        rows = [*_said(step, transcript, costly)]
        spots = (blame.message_spot(step.index), *([blame.request_spot(step.number)] if step.number else []))
        if rows:
            yield Block(rows, spots)
    elif isinstance(step, Unmade):
        yield Block([("no call", f"{inert(step.asked.name, 60)} {_json(step.asked.arguments)}: never made", "yellow")])
    else:
        yield Block([*_made(step.number, step.call)], (blame.call_spot(step.number),))


def _said(step: Said, transcript: Transcript, costly: bool) -> Iterator[Row]:
    message, style = step.message, "bold" if step.message.role != "system" else "dim"
    if message.role == "system":
        lines = [phrase(message.content, 160)]
    elif message is transcript.messages[-1]:
        lines = [*paragraph(message.content)]
    else:
        lines = [*paragraph(message.content, most=6, size=600)]
    if not message.content.strip():
        lines = [] if message.tool_calls else ["(blank)"]
    if costly and step.request is not None:
        lines.insert(0, f"({_cost(step.request, step.number)})")
    yield from _rows(message.role, lines, style)


def _made(number: int, call: Call) -> Iterator[Row]:
    by = f"{inert(call.agent, 60)}: " if call.agent else ""
    asked = call.malformed if call.arguments is None else _json(call.arguments)
    yield f"call {number}", f"{by}{inert(call.name, 60)} {inert(asked or '', 400)}", "bold"
    if call.executed is not None and call.executed != call.arguments:
        yield "", f"executed with {_json(call.executed)}", ""
    result = call.error if call.error is not None else call.result
    text = result if isinstance(result, str) else "" if result is None else _json(result)
    yield from _rows(call.outcome, [*paragraph(text, most=6, size=600)] if text.strip() else [""], _OUTCOMES[call.outcome])


def _rows(label: str, lines: Sequence[str], style: str) -> Iterator[Row]:
    for number, line in enumerate(lines):
        yield label if number == 0 else "", line, style


def _unanswered(transcript: Transcript, told: set[int], costly: bool) -> Iterator[Block]:
    """The model calls of which no message came: those that failed, and those that the budget was spent with."""
    for number, request in enumerate(transcript.requests, 1):
        if number in told or (request.error is None and (request.usage is None or not costly)):
            continue
        failed = f" failed: {inert(request.error)}" if request.error is not None else ""
        text = f"(model call {number}{failed})" if failed else f"({_cost(request, number)})"
        yield Block([("assistant", text, "bold")], (blame.request_spot(number),))


def _cost(request: Request, number: int) -> str:
    total = None if request.usage is None else request.usage.total
    known = [f"model call {number}: {'? tokens' if total is None else plural(total, 'token')}"]
    if request.started is not None and request.ended is not None:
        known.append(f"{seconds(request.ended - request.started)} s")
    return ", ".join(known)


def _end(transcript: Transcript) -> Iterator[Block]:
    """How the turn ended, where that was not by itself."""
    stopped, error = transcript.stopped, transcript.error
    if stopped and stopped.startswith("budget."):
        spent = stopped.removeprefix("budget.").replace("_", " ")
        yield Block([("stopped", f"the budget of {inert(spent)} was spent", "yellow")], (blame.END,))
    elif stopped:
        yield Block([("stopped", f"by {inert(stopped)}", "yellow")], (blame.END,))
    elif error is not None and error.kind.startswith("turn."):
        yield Block([("ended", inert(error.message), "yellow")], (blame.END,))


def _json(arguments: object) -> str:
    return inert(json.dumps(as_json({} if arguments is None else arguments), ensure_ascii=False))
