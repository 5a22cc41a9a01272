"""The calls that were asked for, which of them an event is about, and why one did not work."""

from __future__ import annotations

import asyncio
from typing import Any

from ..errors import TurnStopped
from ..hooks import ToolEvent
from ..messages import ToolCall
from . import wording
from .copying import copied
from .transcript import Call

Key = tuple[Any, int, int]
"""Where a call was asked for: the env of its turn (None: by the agent's own code), the iteration, its place in the batch."""


Entry = tuple[Key, ToolCall, Call]
"""A call in the book: where it was asked for, what the model's message holds of it, and what the transcript does."""


class Callbook:
    """The calls of a turn in the order in which they were asked for, which are those of `calls`."""

    def __init__(self, calls: list[Call]) -> None:
        self.calls = calls
        self.entries: list[Entry] = []
        self._by_key: dict[Key, Entry] = {}

    def add(self, asked: ToolCall, iteration: int, key: Key) -> Call:
        """Note a call; until it is known how it ended, it is one that never ran."""
        given = asked.parsed()
        # What a plain call reads of a text is made anew each time.
        if asked.arguments.__class__ is not str or asked.__class__ is not ToolCall:
            given = copied(given)
        call = Call(name=asked.name, id=asked.id, iteration=iteration, arguments=given, outcome="denied")
        if call.arguments is None:
            call.malformed = str(asked.arguments)
        entry = self._by_key[key] = key, asked, call
        self.entries.append(entry)
        self.calls.append(call)
        return call

    def begun(self, event: ToolEvent) -> Call | None:
        """The call that begins with this event; None where nobody asked for it."""
        entry = self._by_key.get((event.env, event.iteration, event.index))
        # What most calls are: a layer has taken none out of the batch, so that their places are those of the model's message.
        if entry is not None and entry[1] is event.call and entry[2].started is None:
            return entry[2]
        return self._moved(event)

    def _moved(self, event: ToolEvent) -> Call | None:
        """The call of an event that tells another place: the message may be a layer's, which took calls out, or made them anew."""
        waiting = [each for each in self.entries if each[2].started is None and each[2].name == event.name]
        if event.env is None:
            # Called by the agent's own code, which may be a layer that does what a model asked for.
            return next((call for _, _, call in waiting if call.arguments == event.arguments), None)
        waiting = [each for each in waiting if each[0][0] is event.env]
        same = [(key, call) for key, asked, call in waiting if asked is event.call]
        if same:
            return next((call for key, call in same if key[1] == event.iteration), same[-1][1])
        # What still stands in the conversation as it was asked for comes as itself.
        standing = {id(call) for message in event.env.messages for call in message.tool_calls}
        batch = [(key, call) for key, asked, call in waiting if key[1] == event.iteration and id(asked) not in standing]
        return _likest(batch, event)

    def unbegun(self) -> list[Entry]:
        """Those that a model asked for and of which no event told."""
        found = []
        for each in self.entries:
            if each[2].started is None and each[0][0] is not None:
                found.append(each)
        return found

    def clear(self) -> None:
        """Let go of the envs."""
        self.entries = []
        self._by_key.clear()


def _likest(batch: list[tuple[Key, Call]], event: ToolEvent) -> Call | None:
    """The one of a batch that is most like the event's call, which was made anew: by its id, its arguments, or its place."""
    parsed = event.call.parsed()
    for _, call in batch:
        if event.call.id and call.id == event.call.id:
            return call
    for _, call in batch:
        if call.arguments == parsed:
            return call
    return next((call for key, call in batch if key[2] == event.index), None)


def why(event: ToolEvent, error: BaseException | None) -> str | None:
    """Why a call did not work, in words; None where it did."""
    if error is None:
        return event.denied
    if isinstance(error, TurnStopped):
        return str(error)
    if isinstance(error, asyncio.CancelledError):
        return wording.CUT_CALL
    return wording.exception(error) if event.denied is None else event.denied
