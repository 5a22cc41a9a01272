"""The calls that were asked for, and which of them an event is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..hooks import ToolEvent
from ..messages import ToolCall
from .copying import copied
from .transcript import Call

Key = tuple[Any, int, int]
"""Where a call was asked for: the env of its turn (None: by the agent's own code), the iteration, its place in the batch."""


class Callbook:
    """The calls of a turn in the order in which they were asked for, which are those of `calls`."""

    def __init__(self, calls: list[Call]) -> None:
        self.calls = calls
        self._by_key: dict[Key, Call] = {}

    def add(self, asked: ToolCall, iteration: int, key: Key) -> Call:
        """Note a call; until it is known how it ended, it is one that never ran."""
        call = Call(
            name=asked.name, id=asked.id, iteration=iteration, arguments=copied(asked.parsed()), outcome="denied"
        )
        if call.arguments is None:
            call.malformed = str(asked.arguments)
        self._by_key[key] = call
        self.calls.append(call)
        return call

    def begun(self, event: ToolEvent) -> Call | None:
        """The call that begins with this event; None where nobody asked for it."""
        call = self._by_key.get((event.env, event.iteration, event.index))
        if event.env is None:
            # Called by the agent's own code, which may be a layer that does what a model asked for.
            call = next(
                filter(lambda each: each.started is None and each.arguments == event.arguments, self._named(event)),
                None,
            )
        return call if call is not None and call.started is None and call.name == event.name else None

    def _named(self, event: ToolEvent) -> Iterator[Call]:
        return (call for call in self._by_key.values() if call.name == event.name)

    def unbegun(self) -> Iterator[tuple[Any, Call]]:
        """Those that a model asked for and of which no event told, each with the env of its turn."""
        return ((env, call) for (env, _, _), call in self._by_key.items() if env is not None and call.started is None)

    def clear(self) -> None:
        """Let go of the envs."""
        self._by_key.clear()
