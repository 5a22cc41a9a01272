"""What happens beside the hooks: calls that were answered without their events, and models that were asked behind a tool."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import ModelError, TurnStopped
from ..messages import Message
from . import wording
from .callbook import Callbook, Entry
from .transcript import Call


def beside(book: Callbook, earlier: Sequence[Message], stopped: str | None) -> Iterator[Call]:
    """The calls whose tools may have run although no event told of them; those that were answered count as ran.

    `earlier` is what stood in the conversation before the turn, `stopped` why the turn was stopped.
    """
    for entry in book.unbegun():
        came, call = fate(entry, book.entries, earlier), entry[2]
        if came == "answered":
            call.outcome, call.executed = "ran", call.arguments
            yield call
            continue
        kept = (stopped or "").startswith("budget.")  # from beginning
        if came is None or kept:
            call.error = wording.STOPPED_BEFORE if stopped else wording.NEVER_MADE
            continue
        yield call


def fate(entry: Entry, entries: Sequence[Entry], earlier: Sequence[Message] = ()) -> str | None:
    """What became of a call of which no event told.

    "answered": the conversation has an answer to it; "passed over": it went on after it in another way, so that nobody knows; None:
    nothing came after it, or a layer took it out of the conversation. What stood there `earlier` than the turn asks for none of its calls.
    """
    (env, _, _), _, call = entry
    messages, own = env.messages, call.id
    at, place = _standing(messages, entry, entries, {id(each) for each in earlier})
    if at is None:
        return "answered" if _orphaned(messages, own) else None
    after = messages[at + 1 :]
    again = next((n for n, each in enumerate(after) if own and any(one.id == own for one in each.tool_calls)), None)
    told = [message.tool_call_id for message in after[:again] if message.role == "tool"]
    direct = [message.tool_call_id for message in itertools.takewhile(lambda each: each.role == "tool", after)]
    if (own and own in told) or (len(direct) > place and not (own and direct[place])):
        return "answered"
    return "passed over" if after else None


def _standing(
    messages: Sequence[Message], entry: Entry, entries: Sequence[Entry], earlier: set[int]
) -> tuple[int | None, int]:
    """Where the message that asks for the call stands, and the call's place in it: the very one, or else a copy that a layer made."""
    new = [(at, each) for at, each in enumerate(messages) if each.tool_calls and id(each) not in earlier]
    asks = [(at, place, call) for at, each in new for place, call in enumerate(each.tool_calls)]
    _, asked, noted = entry
    same = [(at, place) for at, place, call in asks if call is asked]
    if same:
        # A scripted model may say one message twice: the last time it stands is the last time it was asked for.
        later = sum(each[1] is asked for each in itertools.dropwhile(lambda each: each is not entry, entries)) - 1
        return same[max(len(same) - 1 - later, 0)]
    known = {id(each[1]) for each in entries}
    for at, place, call in reversed(asks):
        alike = call.id == noted.id if noted.id else call.parsed() == noted.arguments
        if id(call) not in known and call.name == noted.name and alike:
            return at, place
    return None, 0


def _orphaned(messages: Sequence[Message], own: str) -> bool:
    """Whether there is an answer to a call of this id that nothing in the conversation asks for."""
    asked = sum(call.id == own for message in messages for call in message.tool_calls)
    return bool(own) and sum(each.role == "tool" and each.tool_call_id == own for each in messages) > asked


def asked_a_model(error: BaseException | None) -> bool:
    """Whether what a tool raised came of a model call of its own that failed."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ModelError):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def whose(env: Any) -> str:
    """Whose model it is: the agent's, or that of an inner agent, which is known by what it was asked."""
    if env is None or env.outer is None:
        return "outer"
    return f"inner {next((message.content for message in env.messages if message.role == 'user'), '')}"


def left_running() -> TurnStopped:
    """What stops whatever a turn left running, at the next event that it comes to."""
    return TurnStopped("the attempt is over, and the agent had left this running")
