"""The tools of agno under watch: doubles that ask the turn before they run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any

from agno.tools.function import ToolResult
from pydantic import validate_call

from ...calling import working
from ...hooks import ToolEvent
from ...messages import ToolCall
from ..claims import turn_of
from ..foreign import Turn
from ..known import Known, served
from .agno_asking import id_of
from .line import body, tell


class Double:
    """What runs in the place of a function's body: the turn is asked first. `ran`: it was come to."""

    def __init__(self, turn: Turn, call: Any) -> None:
        self.turn = turn
        self.real = call.function.entrypoint
        self.name = call.function.name
        self.asked = ToolCall(id=id_of(turn, call.call_id), name=self.name, arguments=dict(call.arguments or {}))
        self._call = call
        self.ran = False

    def function(self) -> Any:
        """The function with another body; what hooks it has, and whether it blocks or comes in parts, stays."""
        made = self._call.function.model_copy()
        made.entrypoint = functools.wraps(self.real)(self._body())
        made.cache_results = False  # or a stub would be kept for the next run
        return made

    def _body(self) -> Any:
        if inspect.isasyncgenfunction(self.real):
            return self._by_parts()
        if inspect.iscoroutinefunction(self.real):
            return self._asynchronous()
        return self._in_parts() if inspect.isgeneratorfunction(self.real) else self._blocking()

    def _given(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], Known]:
        """The model's arguments, what agno gives besides, and the tool, which refuses what the function would."""
        self.ran = True
        theirs = self._call.arguments or {}
        own = {name: value for name, value in given.items() if name in theirs}
        beside = {name: value for name, value in given.items() if name not in theirs}
        return own, beside, Known(self.name, check=functools.partial(_check, self.real, beside))

    async def _begun(self, own: dict[str, Any], tool: Known) -> ToolEvent:
        event = await self.turn.begin(self.asked, tool=tool, arguments=dict(own))
        if event.outcome is not None:
            await self.turn.end(event)
        return event

    def _asynchronous(self) -> Callable[..., Any]:
        async def entrypoint(**given: Any) -> Any:
            own, beside, tool = self._given(given)
            event = await self._begun(own, tool)
            if event.outcome is not None:
                return served(event)
            try:
                with working(event):
                    result = await self.real(**beside, **(event.arguments or {}))
            except BaseException as error:
                await self.turn.end(event, error=error)
                raise
            await self.turn.end(event, value_of(result))
            return result

        return entrypoint

    def _blocking(self) -> Callable[..., Any]:
        def entrypoint(**given: Any) -> Any:
            own, beside, tool = self._given(given)
            event = tell(self.turn, self._begun(own, tool))
            if event.outcome is not None:
                return served(event)
            try:
                with working(event), body(self.turn, self.name):
                    result = self.real(**beside, **(event.arguments or {}))
            except BaseException as error:
                tell(self.turn, self.turn.end(event, error=error))
                raise
            if inspect.isgenerator(result):  # the check of arguments around it makes it look like another
                return self._parts(event, result)
            tell(self.turn, self.turn.end(event, value_of(result)))
            return result

        return entrypoint

    def _by_parts(self) -> Callable[..., Any]:
        async def entrypoint(**given: Any) -> AsyncGenerator[Any, None]:
            own, beside, tool = self._given(given)
            event, parts = await self._begun(own, tool), []
            if event.outcome is not None:
                yield served(event)
                return
            try:
                with working(event):
                    async for part in self.real(**beside, **(event.arguments or {})):
                        parts.append(part)
                        yield part
            except BaseException as error:
                await self.turn.end(event, error=error)
                raise
            await self.turn.end(event, _whole(parts))

        return entrypoint

    def _in_parts(self) -> Callable[..., Any]:
        def entrypoint(**given: Any) -> Generator[Any, None, None]:
            own, beside, tool = self._given(given)
            event = tell(self.turn, self._begun(own, tool))
            if event.outcome is not None:
                yield served(event)
                return
            yield from self._parts(event, self.real(**beside, **(event.arguments or {})))

        return entrypoint

    def _parts(self, event: ToolEvent, given: Iterator[Any]) -> Generator[Any, None, None]:
        """The parts of a tool's answer, until it is whole."""
        parts = []
        try:
            with working(event):
                for part in given:
                    parts.append(part)
                    yield part
        except BaseException as error:
            tell(self.turn, self.turn.end(event, error=error))
            raise
        tell(self.turn, self.turn.end(event, _whole(parts)))

    async def ended(self, result: Any = None, error: BaseException | None = None) -> None:
        """Tell the turn of a call that never got to its tool: a hook of the user's answered it, or forbade it."""
        if (
            self.ran
            or inspect.isgenerator(getattr(result, "result", None))
            or inspect.isasyncgen(getattr(result, "result", None))
        ):
            return
        waiting = [call for call in self.turn.waiting if call.id and call.id == self.asked.id]
        failed = error or (None if getattr(result, "status", "") == "success" else getattr(result, "error", None))
        if failed is not None:
            await self.turn.refused(waiting[0] if waiting else self.asked, str(failed))
        elif waiting:
            self.turn.asked.answered(waiting[0], str(getattr(result, "result", "")))


def _double(call: Any) -> Double | None:
    """The double of a call that is made in a turn."""
    owner = getattr(call.function, "_agent", None) or getattr(call.function, "_team", None)
    turn = turn_of(owner, getattr(owner, "name", None) or call.function.name)
    return None if turn is None or call.function.entrypoint is None else Double(turn, call)


def execute(plain: Any) -> Any:
    """How a call is run by code that blocks, under watch."""

    def execute(self: Any, *given: Any, **named: Any) -> Any:
        double, function = _double(self), self.function
        if double is None:
            return plain(self, *given, **named)
        self.function = double.function()
        try:
            result = plain(self, *given, **named)
        except Exception as error:
            tell(double.turn, double.ended(error=error))
            raise
        finally:
            self.function = function
        if not double.ran:
            tell(double.turn, double.ended(result))
        return result

    return functools.wraps(plain)(execute)


def aexecute(plain: Any) -> Any:
    """How a call is run, under watch."""

    async def aexecute(self: Any, *given: Any, **named: Any) -> Any:
        double, function = _double(self), self.function
        if double is None:
            return await plain(self, *given, **named)
        self.function = double.function()
        try:
            result = await plain(self, *given, **named)
        except Exception as error:
            await double.ended(error=error)
            raise
        finally:
            self.function = function
        await double.ended(result)
        return result

    return functools.wraps(plain)(aexecute)


def _check(real: Any, beside: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Refuse what the function would refuse."""
    raw = getattr(real, "raw_function", None) or (
        inspect.unwrap(real) if getattr(real, "_wrapped_for_validation", False) else None
    )
    if raw is None:
        inspect.signature(real).bind(**beside, **arguments)
    else:
        _validator(raw)(**beside, **arguments)


@functools.lru_cache(maxsize=256)
def _validator(raw: Any) -> Any:
    """A function that takes what this one takes, and does nothing with it."""

    def nothing(*given: Any, **named: Any) -> None:
        """Do nothing."""

    made = functools.wraps(raw)(nothing)
    return validate_call(config={"arbitrary_types_allowed": True})(made)


def value_of(result: Any) -> Any:
    """What a tool answered: the text of one that comes with media."""
    return result.content if isinstance(result, ToolResult) else result


def _whole(parts: list[Any]) -> Any:
    """What a tool that answers in parts answered: its texts together, without the events of an agent that it ran."""
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if texts or not parts else value_of(parts[-1])
