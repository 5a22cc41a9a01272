"""One attempt as data for a page: its steps, its failures and where they lie, and how long everything took."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from ...messages import ToolCall
from ..attempt import Attempt
from ..jsonable import plain
from ..judgewording import summed
from ..transcript import Call, Transcript
from ..verdict import Failure
from ..wording import plural, value, visible
from .blame import END, call_spot, message_spot, request_spot, spots
from .contrast import contrast
from .inert import inert
from .lines import seconds, spent_in_all
from .steps import Made, Said, Unanswered, Unmade, steps

EACH, ALL = 20_000, 300_000
"""How many characters of one text are shown, and of all those of an attempt."""


class Allowance:
    """How much text there still is room for in one attempt."""

    def __init__(self, each: int = EACH, all: int = ALL) -> None:
        self._each, self._left = each, all

    def cut(self, text: str) -> str:
        """The text with all that acts instead of being read written out, but for its lines, as far as there is room."""
        size = max(200, min(self._each, self._left))
        self._left -= min(len(text), size)
        shown = re.sub(r"[^\n\t]+", lambda found: visible(found[0]), text[:size].replace("\r\n", "\n"))
        return shown if len(text) <= size else f"{shown}\n... {plural(len(text) - size, 'more character')}"

    def data(self, thing: Any) -> str:
        """A value as it is read: a text as it is, else JSON."""
        return self.cut(thing if isinstance(thing, str) else json.dumps(plain(thing), ensure_ascii=False, indent=1))


def told(attempt: Attempt) -> dict[str, Any]:
    """The attempt as data."""
    room, transcript = Allowance(), attempt.transcript
    failures = [_failure(each, transcript, room) for each in attempt.verdict.failures[:200]]
    return {
        "spent": spent_in_all(attempt),
        "left": attempt.left_behind,
        "failures": failures,
        "steps": [*_steps(transcript, room), *_end(transcript, room)],
        "bars": list(_bars(transcript)),
        "notes": [inert(note, 1000) for note in transcript.notes[:50]],
    }


def _failure(failure: Failure, transcript: Transcript, room: Allowance) -> dict[str, Any]:
    sides = contrast(failure)
    return {
        "kind": inert(failure.kind, 60),
        "error": failure.is_error,
        "message": room.cut(failure.message),
        "detail": room.cut(failure.detail),
        "spots": spots(failure, transcript)[:20],
        "wanted": sides and sides[0],
        "got": sides and sides[1],
    }


def _steps(transcript: Transcript, room: Allowance) -> Iterator[dict[str, Any]]:
    for step in steps(transcript):
        if isinstance(step, Said):
            usage = step.message.usage if step.request is None else step.request.usage or step.message.usage
            marks = [request_spot(step.number)] if step.request is not None else []
            yield {
                "what": "said",
                "spots": [message_spot(step.index), *marks],
                "who": step.message.role,
                "text": room.cut(step.message.content),
                "model": inert(step.message.model or "", 60),
                "tokens": None if usage is None else usage.total,
                "took": _took(step.request),
            }
        elif isinstance(step, Unmade):
            yield _asked(step.asked, room)
        elif isinstance(step, Unanswered):
            yield {"what": "note", "spots": [request_spot(step.number)], "text": room.cut(_unanswered(step))}
        else:
            yield _call(step, room)


def _unanswered(step: Unanswered) -> str:
    """A model call of which no message came: how it failed, or what it took."""
    if step.request.error:
        return f"model call {step.number} failed: {step.request.error}"
    usage, took = step.request.usage, _took(step.request)
    known = [] if usage is None or usage.total is None else [plural(usage.total, "token")]
    known += [] if took is None else [f"{seconds(took)} s"]
    return f"model call {step.number}{''.join(f', {each}' for each in known)}: no message is known to have come of it"


def _asked(asked: ToolCall, room: Allowance) -> dict[str, Any]:
    return {"what": "unmade", "spots": [], "name": inert(asked.name, 60), "asked": room.data(asked.arguments or {})}


def _call(made: Made, room: Allowance) -> dict[str, Any]:
    call = made.call
    asked = call.malformed if call.arguments is None else call.arguments
    same = call.executed is None or call.executed == call.arguments
    return {
        "what": "call",
        "spots": [call_spot(made.number)],
        "number": made.number,
        "name": inert(call.name, 60),
        "by": inert(call.agent or "", 60),
        "outcome": call.outcome,
        "asked": room.data({} if asked is None else asked),
        "malformed": call.arguments is None,
        "executed": None if same else room.data(call.executed),
        "error": None if call.error is None else room.cut(call.error),
        "result": None if call.result is None or call.result == call.error else room.data(call.result),
        "took": _took(call),
    }


def _end(transcript: Transcript, room: Allowance) -> Iterator[dict[str, Any]]:
    """How the turn ended, and what of it stands in no message."""
    told = [
        *(
            f"model call {n} failed before: {tried}"
            for n, each in enumerate(transcript.requests, 1)
            for tried in each.retries[:20]
        ),
        *(f"published {value(each)}" for each in transcript.published[:50]),
        *(summed(each) for each in transcript.judgements[:50]),
        *([f"stopped: {transcript.stopped}"] if transcript.stopped else []),
        *([f"ended: {transcript.error.message}"] if transcript.error is not None else []),
    ]
    for text in told:
        yield {"what": "note", "spots": [], "text": room.cut(text)}
    took = f" after {transcript.seconds:.3g} s" if _moment(transcript.seconds) is not None else ""
    yield {"what": "end", "spots": [END], "text": f"the turn ended{took}"}


def _bars(transcript: Transcript) -> Iterator[dict[str, Any]]:
    """What took time, in the order in which it began."""
    bars = [
        *(_bar(request_spot(n), f"model call {n}", "model", each) for n, each in enumerate(transcript.requests, 1)),
        *(_bar(call_spot(n), inert(each.name, 40), each.outcome, each) for n, each in enumerate(transcript.calls, 1)),
    ]
    yield from sorted((bar for bar in bars if bar is not None), key=lambda bar: bar["from"])[:200]


def _bar(spot: str, label: str, kind: str, timed: Any) -> dict[str, Any] | None:
    started, ended = _moment(timed.started), _moment(timed.ended)
    if started is None:
        return None
    return {"spot": spot, "label": label, "kind": kind, "from": started, "to": ended}


def _took(timed: Call | Any) -> float | None:
    started, ended = (None, None) if timed is None else (_moment(timed.started), _moment(timed.ended))
    return None if started is None or ended is None else round(ended - started, 4)


def _moment(seconds: Any) -> float | None:
    right = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and math.isfinite(seconds)
    return float(seconds) if right else None
