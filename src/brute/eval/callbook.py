"""The calls that were asked for, and which of them an event is about."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from ..hooks import ToolEvent
from ..messages import ToolCall
from .copying import copied
from .transcript import Call

Key = tuple[Any, int, int]
"""Where a call was asked for: the env of its turn (None: by the agent's own code), the iteration, its place in the batch."""


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """A call in the book: where it was asked for, what the model's message holds of it, and what the transcript does."""

    key: Key
    asked: ToolCall
    call: Call


class Callbook:
    """The calls of a turn in the order in which they were asked for, which are those of `calls`."""

    def __init__(self, calls: list[Call]) -> None:
        self.calls = calls
        self._entries: list[Entry] = []
        self._by_key: dict[Key, Entry] = {}

    def add(self, asked: ToolCall, iteration: int, key: Key) -> Call:
        """Note a call; until it is known how it ended, it is one that never ran."""
        call = Call(
            name=asked.name, id=asked.id, iteration=iteration, arguments=copied(asked.parsed()), outcome="denied"
        )
        if call.arguments is None:
            call.malformed = str(asked.arguments)
        entry = self._by_key[key] = Entry(key, asked, call)
        self._entries.append(entry)
        self.calls.append(call)
        return call

    def begun(self, event: ToolEvent) -> Call | None:
        """The call that begins with this event; None where nobody asked for it."""
        entry = self._by_key.get((event.env, event.iteration, event.index))
        # What most calls are: a layer has taken none out of the batch, so that their places are those of the model's message.
        if entry is None or entry.asked is not event.call or entry.call.started is not None:
            entry = self._moved(event)
        return None if entry is None else entry.call

    def _moved(self, event: ToolEvent) -> Entry | None:
        """The call of an event that tells another place: the message may be a layer's, which took calls out, or made them anew."""
        waiting = [each for each in self._entries if each.call.started is None and each.call.name == event.name]
        if event.env is None:
            # Called by the agent's own code, which may be a layer that does what a model asked for.
            return next((each for each in waiting if each.call.arguments == event.arguments), None)
        waiting = [each for each in waiting if each.key[0] is event.env]
        same = [each for each in waiting if each.asked is event.call]
        if same:
            return next((each for each in same if each.key[1] == event.iteration), same[-1])
        # What still stands in the conversation as it was asked for comes as itself.
        standing = {id(call) for message in event.env.messages for call in message.tool_calls}
        batch = [each for each in waiting if each.key[1] == event.iteration and id(each.asked) not in standing]
        asked, parsed = event.call, event.call.parsed()
        for fits in (
            lambda each: bool(asked.id) and each.call.id == asked.id,
            lambda each: each.call.arguments == parsed,
            lambda each: each.key[2] == event.index,
        ):
            found = [each for each in batch if fits(each)]
            if found:
                return found[0]
        return None

    def unbegun(self) -> Iterator[Entry]:
        """Those that a model asked for and of which no event told."""
        return (each for each in self._entries if each.key[0] is not None and each.call.started is None)

    @property
    def entries(self) -> list[Entry]:
        """All of them."""
        return self._entries

    def clear(self) -> None:
        """Let go of the envs."""
        self._entries = []
        self._by_key.clear()
