"""Where in a turn a failure lies: the steps that a reader should look at first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ..transcript import Call, Transcript
from ..verdict import Failure

OF_REPLY = ("mentions", "reply.unwanted", "absent", "judge", "check")
"""The kinds of failures that are about the last message."""
END = "end"
"""The spot of how the turn ended."""


def call_spot(number: int) -> str:
    """The spot of a call, by its number from 1."""
    return f"c{number}"


def message_spot(index: int) -> str:
    """The spot of a message, by its place in the conversation."""
    return f"m{index}"


def request_spot(number: int) -> str:
    """The spot of a model call, by its number from 1."""
    return f"r{number}"


def lies_in(failure: Failure, call: Call) -> bool:
    """Whether the failure is about this call."""
    if failure.kind == "call.forbidden":
        return bool(failure.expected == f"no call to {call.name}")
    if failure.kind in ("call.arguments", "call.missing"):
        return isinstance(failure.expected, dict) and call.name in failure.expected
    return failure.kind == "order" and isinstance(failure.expected, list) and call.name in failure.expected


def spots(failure: Failure, transcript: Transcript) -> list[str]:
    """Where the failure lies, the first spot first; the end of the turn where it lies in no single step."""
    return list(_spots(failure, transcript)) or [END]


def _spots(failure: Failure, transcript: Transcript) -> Iterator[str]:
    kind, calls = failure.kind, transcript.calls
    if kind == "order":
        yield from _out_of_order(failure, transcript)
    elif kind.startswith("call."):
        yield from (call_spot(n) for n, call in enumerate(calls, 1) if lies_in(failure, call))
    elif kind.startswith("budget."):
        yield from _overspent(kind.removeprefix("budget."), failure.expected, transcript)
    elif kind == "turn.deadline":
        yield from (call_spot(n) for n, call in enumerate(calls, 1) if call.ended is None and call.started is not None)
    elif kind in ("error.stub", "error.unstubbed", "error.replay", "error.hook", "turn.raised", "turn.crashed"):
        broken = [n for n, call in enumerate(calls, 1) if call.error is not None or _unended(call)]
        yield from (call_spot(n) for n in broken[-1:])
    elif kind == "error.model":
        broken = [n for n, request in enumerate(transcript.requests, 1) if request.error is not None]
        yield from (request_spot(n) for n in broken[-1:])
    elif kind == "check" and (
        quoted := [n for n, call in enumerate(calls, 1) if _quotes(failure, call, transcript.reply)]
    ):
        yield from map(call_spot, quoted)
    elif (kind in OF_REPLY or kind == "reply.missing") and transcript.messages:
        yield message_spot(len(transcript.messages) - 1)


def _quotes(failure: Failure, call: Call, reply: str) -> bool:
    """Whether the sentence quotes what the call was made with; a short text may stand in it by chance, or as a part of the reply."""
    said = str(failure.message)
    told = said.replace(reply, "") if len(reply) >= 8 else said
    texts = (each for each in (call.arguments or {}).values() if isinstance(each, str))
    return any(len(text) >= 8 and text in told for text in texts)


def _unended(call: Call) -> bool:
    return call.started is not None and call.ended is None


def _out_of_order(failure: Failure, transcript: Transcript) -> Iterator[str]:
    """The call at which the order was lost."""
    wanted = failure.expected
    if not isinstance(wanted, Sequence) or isinstance(wanted, str):
        return
    # Repeats in a row count once, unless the list itself has some.
    repeats = any(one == other for one, other in itertools.pairwise(wanted))
    place, before = 0, None
    for number, call in enumerate(transcript.calls, 1):
        if call.name not in wanted or (call.name == before and not repeats):
            continue
        if list(wanted[place : place + 1]) != [call.name]:
            yield call_spot(number)
            return
        place, before = place + 1, call.name


def _overspent(what: str, limit: object, transcript: Transcript) -> Iterator[str]:
    """The step that was one too many."""
    if not isinstance(limit, (int, float)):
        return
    if what == "tool_calls" and limit < len(transcript.calls):
        yield call_spot(int(limit) + 1)
    elif what == "iterations" and limit < len(transcript.requests):
        yield request_spot(int(limit) + 1)
    elif what in ("tokens", "seconds"):
        spent = 0.0
        for number, request in enumerate(transcript.requests, 1):
            used = (request.usage.input or 0) + (request.usage.output or 0) if request.usage is not None else 0
            spent = spent + used if what == "tokens" else request.ended or 0.0
            if spent > limit:
                yield request_spot(number)
                return
