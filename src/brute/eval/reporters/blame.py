"""Where in a turn a failure lies: the steps that a reader should look at first."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from ..globs import suits
from ..jsonable import plain
from ..outcomes import asked
from ..transcript import Call, Transcript
from ..verdict import Failure

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


def spots(failure: Failure, transcript: Transcript) -> list[str]:
    """Where the failure lies, the first spot first; the end of the turn where it lies in no single step.

    Nowhere, where the turn is not to blame: a slip in the case, a check that crashed, what the adapter could not see.
    """
    found = list(WHERE.get(failure.kind, _nowhere)(failure, transcript))
    return found or ([] if failure.is_error else [END])


def _nowhere(failure: Failure, transcript: Transcript) -> Iterator[str]:
    yield from ()


def _calls(failure: Failure, transcript: Transcript) -> Iterator[str]:
    yield from (call_spot(n) for n, call in enumerate(transcript.calls, 1) if _is_about(failure, call))


def _is_about(failure: Failure, call: Call) -> bool:
    wanted = failure.expected
    if failure.kind == "call.forbidden":
        return isinstance(wanted, str) and suits(wanted.removeprefix("no call to "), call.name)
    return isinstance(wanted, dict) and any(suits(str(tool), call.name) for tool in wanted)


def _unwanted(failure: Failure, transcript: Transcript) -> Iterator[str]:
    """The calls of which there are too many; or the one besides, whose number the sentence has, since another may be just like it."""
    besides = re.search(r" besides what this case wants \(call ([\d,]+) of ", str(failure.message))
    if besides is not None:
        yield call_spot(int(besides[1].replace(",", "")))
        return
    made = plain(failure.actual if isinstance(failure.actual, list) else [failure.actual])
    for number, call in enumerate(transcript.calls, 1):
        if plain(asked(call)) in made and _is_about(failure, call):
            yield call_spot(number)


def _reply(failure: Failure, transcript: Transcript) -> Iterator[str]:
    """The last message, unless it was there before the turn."""
    if transcript.messages and not transcript.stale:
        yield message_spot(len(transcript.messages) - 1)


def _check(failure: Failure, transcript: Transcript) -> Iterator[str]:
    quoted = [n for n, call in enumerate(transcript.calls, 1) if _quotes(failure, call, transcript.reply)]
    yield from map(call_spot, quoted) if quoted else _reply(failure, transcript)


def _running(failure: Failure, transcript: Transcript) -> Iterator[str]:
    yield from (call_spot(n) for n, call in enumerate(transcript.calls, 1) if _unended(call))


def _broken(failure: Failure, transcript: Transcript) -> Iterator[str]:
    broken = [n for n, call in enumerate(transcript.calls, 1) if call.error is not None or _unended(call)]
    yield from map(call_spot, broken[-1:])


def _model(failure: Failure, transcript: Transcript) -> Iterator[str]:
    broken = [n for n, request in enumerate(transcript.requests, 1) if request.error is not None]
    yield from map(request_spot, broken[-1:])


def _quotes(failure: Failure, call: Call, reply: str) -> bool:
    """Whether the sentence quotes what the call was made with; a short text may stand in it by chance, or as a part of the reply."""
    said = str(failure.message)
    told = said.replace(reply, "") if len(reply) >= 8 else said
    texts = (each for each in (call.arguments or {}).values() if isinstance(each, str))
    return any(len(text) >= 8 and text in told for text in texts)


def _unended(call: Call) -> bool:
    return call.started is not None and call.ended is None


def _out_of_order(failure: Failure, transcript: Transcript) -> Iterator[str]:
    """The call at which the order was lost; where it was kept, those that did not get to their tools."""
    wanted = failure.expected
    if not isinstance(wanted, list) or not all(isinstance(step, str) and "(" not in step for step in wanted):
        return  # of steps in groups, only the words are known; and a check may have failures of this kind, too
    # Repeats in a row count once, unless the list itself has some.
    repeats = any(one == other for one, other in itertools.pairwise(wanted))
    calls = [(n, call) for n, call in enumerate(transcript.calls, 1) if any(suits(step, call.name) for step in wanted)]
    place = 0
    for number, call in calls:
        if place and not repeats and suits(wanted[place - 1], call.name):
            continue
        if not any(suits(step, call.name) for step in wanted[place : place + 1]):
            yield call_spot(number)
            return
        place += 1
    if place == len(wanted):
        yield from (call_spot(number) for number, call in calls if call.outcome == "denied")


def _overspent(failure: Failure, transcript: Transcript) -> Iterator[str]:
    """The step that was one too many."""
    what, limit = failure.kind.removeprefix("budget."), failure.expected
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


WHERE: Mapping[str, Callable[[Failure, Transcript], Iterator[str]]] = {
    **dict.fromkeys(("turn.raised", "turn.crashed", "turn.memory"), _broken),
    "turn.deadline": _running,
    **dict.fromkeys(("turn.output", "turn.left"), _nowhere),
    **dict.fromkeys(("call.missing", "call.arguments", "call.forbidden"), _calls),
    "call.unwanted": _unwanted,
    "order": _out_of_order,
    **dict.fromkeys(("mentions", "reply.missing", "reply.unwanted", "absent", "judge"), _reply),
    **dict.fromkeys(("budget.iterations", "budget.tool_calls", "budget.tokens", "budget.seconds"), _overspent),
    "check": _check,
    **dict.fromkeys(("error.stub", "error.unstubbed", "error.replay", "error.hook"), _broken),
    "error.model": _model,
    **dict.fromkeys(("error.build", "error.world", "error.tool", "error.judge", "error.check"), _nowhere),
    **dict.fromkeys(("error.blind", "error.harness", "cancelled"), _nowhere),
}
"""By the kind of a failure, what tells where in the turn it lies."""
