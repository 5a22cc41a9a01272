"""The turn of an attempt that did not pass, step by step and in short: what the model saw, what it did, and where it went wrong."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..attempt import Attempt
from ..jsonable import plain as as_json
from ..transcript import Call, Transcript
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
_OUTCOMES = {"ran": "dim", "stubbed": "cyan", "denied": "yellow", "failed": "red"}
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
        yield (
            (
                " " * (len(INDENT) + 2 + LABEL + 1)
                + "^ "
                + both(inert(kind, 60) for kind in dict.fromkeys(block.kinds)),
                "bold red",
            ),
        )


def _row(label: str, text: str, style: str = "", marked: bool = False) -> Line:
    bar = ((" |", "dim"), (f" {text}" if text else "", ""))
    before = ((INDENT, ""), ("> ", "bold red")) if marked else ((f"{INDENT}  ", ""),)
    return (*before, (f"{label:<{LABEL}}", style), *bar)


def _mark(blocks: Sequence[Block], failures: Iterable[Failure], transcript: Transcript) -> None:
    """Note in each block the failures that lie there; what lies in no step that is told lies in the last."""
    for failure in failures:
        spots = set(blame.spots(failure, transcript))
        there = [block for block in blocks if spots & set(block.spots)]
        for block in there or blocks[-1:]:
            block.kinds.append(failure.kind)


def _blocks(attempt: Attempt) -> Iterator[Block]:
    transcript = attempt.transcript
    costs = _costs(attempt)
    told, offered, beside = set(), False, False
    for step in steps(transcript):
        if isinstance(step, Said):
            told.add(step.number)
        if not offered and not (isinstance(step, Said) and step.message.role == "system"):
            offered = True
            yield from _tools(transcript)
        if isinstance(step, Made) and step.beside and not beside:
            beside = True
            yield from _unanswered(transcript, told, costs)
        yield from _block(step, transcript, costs)
    if not beside:
        yield from _unanswered(transcript, told, costs)
    yield from _end(attempt)


def _tools(transcript: Transcript) -> Iterator[Block]:
    if transcript.tools:
        yield Block([("tools", inert(listed(transcript.tools, most=10), 1000), "dim")])


def _block(step: Step, transcript: Transcript, costs: Mapping[int, str]) -> Iterator[Block]:
    if isinstance(step, Said):
        rows = [*_said(step, transcript, costs)]
        spots = (blame.message_spot(step.index), *([blame.request_spot(step.number)] if step.number else []))
        if rows:
            yield Block(rows, spots)
    elif isinstance(step, Unmade):
        yield Block([("no call", f"{inert(step.asked.name, 60)} {_json(step.asked.arguments)}: never made", "yellow")])
    else:
        yield Block([*_made(step.number, step.call)], (blame.call_spot(step.number),))


def _said(step: Said, transcript: Transcript, costs: Mapping[int, str]) -> Iterator[Row]:
    message, style = step.message, "bold" if step.message.role != "system" else "dim"
    if message.role == "system":
        lines = [phrase(message.content, 200)]
    elif message is transcript.messages[-1] and message.role == "assistant":
        lines = [*paragraph(message.content)]
    else:
        lines = [*paragraph(message.content, most=6, size=600)]
    if not message.content.strip():
        lines = [] if message.tool_calls else ["(blank)"]
    if step.number in costs:
        lines.insert(0, f"({costs[step.number]})")
    yield from _rows(message.role, lines, style)


def _made(number: int, call: Call) -> Iterator[Row]:
    by = f"{inert(call.agent, 60)}: " if call.agent else ""
    asked = call.malformed if call.arguments is None else _json(call.arguments)
    yield f"call {number}", f"{by}{inert(call.name, 60)} {inert(asked or '', 400)}", "bold"
    if call.executed is not None and call.executed != call.arguments:
        yield "", f"executed with {_json(call.executed)}", ""
    result = call.error if call.error is not None else call.result
    text = result if isinstance(result, str) else "" if result is None else _json(result)
    yield from _rows(
        call.outcome, [*paragraph(text, most=6, size=600)] if text.strip() else [""], _OUTCOMES[call.outcome]
    )


def _rows(label: str, lines: Sequence[str], style: str) -> Iterator[Row]:
    for number, line in enumerate(lines):
        yield label if number == 0 else "", line, style


def _unanswered(transcript: Transcript, told: set[int], costs: Mapping[int, str]) -> Iterator[Block]:
    """The model calls of which no message came: those that failed, and those that the budget was spent with."""
    for number, request in enumerate(transcript.requests, 1):
        if number in told or (request.error is None and (request.usage is None or number not in costs)):
            continue
        failed = f"model call {number} failed: {inert(request.error)}" if request.error is not None else ""
        yield Block([("assistant", f"({failed or costs[number]})", "bold")], (blame.request_spot(number),))


def _costs(attempt: Attempt) -> dict[int, str]:
    """What each model call took, by its number; nothing where nothing is wrong with that."""
    if not any(failure.kind.startswith(_COSTLY) for failure in attempt.verdict.failures):
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
        yield Block([("stopped", _spent(stopped.removeprefix("budget."), attempt), "yellow")], (blame.END,))
    elif stopped:
        yield Block([("stopped", f"by {inert(stopped)}", "yellow")], (blame.END,))
    elif error is not None and error.kind.startswith("turn."):
        yield Block([("ended", inert(error.message), "yellow")], (blame.END,))


def _spent(field: str, attempt: Attempt) -> str:
    """Which budget was spent, and before what the turn was stopped for it."""
    unit, limit = inert(field.replace("_", " ")), getattr(attempt.case.budget, field, None)
    budget = f"the budget of {unit if limit is None else f'{limit:,} {unit}'} was spent"
    return f"before model call {attempt.transcript.iterations}: {budget}" if field == "iterations" else budget


def _json(arguments: object) -> str:
    return inert(json.dumps(as_json({} if arguments is None else arguments), ensure_ascii=False))
