"""A tool that other code calls as the function that it was made of: that is a call as well."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Collection
from typing import Any

from ...calling import working
from ...hooks import ToolEvent
from ...messages import ToolCall
from ..bridging import wait
from ..foreign import Turn
from ..known import Known, served


class Direct:
    """Such a call in a turn; `hidden` are the parameters that no model gives."""

    def __init__(
        self,
        turn: Turn,
        name: str,
        function: Callable[..., Any],
        bound: inspect.BoundArguments,
        hidden: Collection[str | None],
    ) -> None:
        self.turn = turn
        self.name = name
        self.function = function
        self.given = {name: value for name, value in bound.arguments.items() if name not in hidden}
        self._beside = {name: value for name, value in bound.arguments.items() if name in hidden}
        self._bound = bound

    async def _begun(self) -> ToolEvent:
        asked = ToolCall(name=self.name, arguments=dict(self.given))
        event = await self.turn.begin(asked, tool=Known(self.name, check=_taken), arguments=dict(self.given))
        if event.outcome is not None:
            await self.turn.end(event)
        return event

    def _run(self, event: ToolEvent) -> Any:
        if event.arguments == self.given:
            return self.function(*self._bound.args, **self._bound.kwargs)
        return self.function(**self._beside, **(event.arguments or {}))

    def blocking(self) -> Any:
        """What it answers, while this thread stands still."""
        event = wait(self._begun())
        if event.outcome is not None:
            return served(event)
        try:
            with working(event):
                result = self._run(event)
        except BaseException as error:
            wait(self.turn.end(event, error=error))
            raise
        wait(self.turn.end(event, result))
        return result

    async def awaited(self) -> Any:
        """What it answers."""
        event = await self._begun()
        if event.outcome is not None:
            return served(event)
        try:
            with working(event):
                result = await self._run(event)
        except BaseException as error:
            await self.turn.end(event, error=error)
            raise
        await self.turn.end(event, result)
        return result

    async def by_parts(self) -> AsyncGenerator[Any, None]:
        """What it answers part by part; the last of them is its result."""
        event, last = await self._begun(), None
        if event.outcome is not None:
            yield served(event)
            return
        try:
            with working(event):
                async for last in self._run(event):
                    yield last
        except BaseException as error:
            await self.turn.end(event, error=error)
            raise
        await self.turn.end(event, last)


def called(
    turn: Turn,
    name: str,
    function: Callable[..., Any],
    given: tuple[Any, ...],
    named: dict[str, Any],
    hidden: Collection[str | None] = (),
) -> Any:
    """What the function of the tool answers to this call, or what is served in its stead."""
    bound = inspect.signature(function).bind(*given, **named)  # raises what the function would
    call = Direct(turn, name, function, bound, hidden)
    plain = inspect.unwrap(function)
    if inspect.isasyncgenfunction(plain):
        return call.by_parts()
    return call.awaited() if inspect.iscoroutinefunction(plain) else call.blocking()


def _taken(arguments: dict[str, Any]) -> None:
    """Refuse nothing: that they fit was seen before."""
