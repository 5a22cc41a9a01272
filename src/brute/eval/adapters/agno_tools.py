"""The tools of agno under watch: doubles that ask the turn before they run."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any

from agno.tools.function import ToolResult

from ...calling import working
from ...hooks import ToolEvent
from ...messages import ToolCall
from ..foreign import Turn
from ..known import Known, served
from .agno_asking import id_of
from .agno_faces import AWAITED, AWAITED_PARTS, PARTS, face_of
from .line import body, tell


class Double:
    """What runs in the place of a function's body: the turn is asked first. `ran`: it was come to."""

    def __init__(self, turn: Turn, call: Any) -> None:
        self.turn = turn
        self.real = call.function.entrypoint
        self.face = face_of(self.real)
        self.name = call.function.name
        self.asked = ToolCall(id=id_of(turn, call.call_id), name=self.name, arguments=dict(call.arguments or {}))
        self._call = call
        self.ran = False

    def function(self, on_loop: bool = False) -> Any:
        """The function with another body; what hooks it has, and whether it blocks or comes in parts, stays. `on_loop`: it never blocks."""
        entrypoint: Any = self._asynchronous() if on_loop else self._body()
        real = self._call.function
        hooked = bool(real.tool_hooks or real.pre_hook or real.post_hook)
        self.face.put_on(entrypoint, self.real, hooked=hooked)
        entrypoint.brute_double = self
        # Not by pydantic's own copy, which takes longer than all else that is done for a call.
        made: Any = object.__new__(type(real))
        # One that keeps its results would keep a stub for the next run.
        object.__setattr__(made, "__dict__", {**real.__dict__, "entrypoint": entrypoint, "cache_results": False})
        for name in ("__pydantic_fields_set__", "__pydantic_private__", "__pydantic_extra__"):
            kept = getattr(real, name)
            object.__setattr__(made, name, kept if kept is None else kept.copy())
        return made

    def _body(self) -> Callable[..., Any]:
        if self.face.kind == AWAITED_PARTS:
            return self._by_parts()
        if self.face.kind == AWAITED:
            return self._asynchronous()
        return self._in_parts() if self.face.kind == PARTS else self._blocking()

    def _given(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], Known]:
        """The model's arguments, what agno gives besides, and the tool, which refuses what the function would."""
        self.ran = True
        theirs = self._call.arguments or {}
        own = {name: value for name, value in given.items() if name in theirs}
        beside = {name: value for name, value in given.items() if name not in theirs}
        return own, beside, Known(self.name, check=functools.partial(_check, self.face.check, beside))

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
                    result = await self._run({**beside, **(event.arguments or {})})
            except BaseException as error:
                await self.turn.end(event, error=error)
                raise
            if inspect.isgenerator(result):
                return self._parts(event, result)
            await self.turn.end(event, value_of(result))
            return result

        return entrypoint

    async def _run(self, given: dict[str, Any]) -> Any:
        if self.face.kind == AWAITED:
            return await self.real(**given)
        return await asyncio.to_thread(self._threaded, given)

    def _threaded(self, given: dict[str, Any]) -> Any:
        with body(self.turn, self.name):
            return self.real(**given)

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


def _check(check: Callable[..., Any], beside: dict[str, Any], arguments: dict[str, Any]) -> None:
    # No method: the tool is not to hold the turn, which holds what holds the tool.
    check(**beside, **arguments)


def value_of(result: Any) -> Any:
    """What a tool answered: the text of one that comes with media."""
    return result.content if isinstance(result, ToolResult) else result


def _whole(parts: list[Any]) -> Any:
    """What a tool that answers in parts answered: its texts together, without the events of an agent that it ran."""
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if texts or not parts else value_of(parts[-1])
