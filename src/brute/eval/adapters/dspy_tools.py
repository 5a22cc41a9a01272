"""The tools of DSPy under watch: whichever way one is called in a turn, a double of it asks the turn before its function runs."""

from __future__ import annotations

import asyncio
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import dspy

from ...calling import working
from ...hooks import ToolEvent
from ...leaves import in_thread
from ...messages import ToolCall
from ..bridging import wait
from ..foreign import Turn
from ..known import Known, served

Whose = Callable[[Any, str], Turn | None]


def watch_every_tool(whose: Whose) -> None:
    """Let doubles run in the place of tools, in a turn: `whose(tool, name)` tells in which."""
    blocking, asynchronous = dspy.Tool.__call__, dspy.Tool.acall

    def call(self: Any, *args: Any, **given: Any) -> Any:
        turn = None if _is_double(self) else whose(self, self.name)
        if turn is None or _is_pseudo(self):
            return blocking(self, *args, **given)
        body = Body(turn, self, given)
        try:
            return blocking(body.double(body.blocking), *args, **given)
        except Exception as error:
            if not body.ran:
                wait(turn.refused(body.asked, str(error)))
            _tidy(error)
            raise

    async def acall(self: Any, *args: Any, **given: Any) -> Any:
        turn = None if _is_double(self) else whose(self, self.name)
        if turn is None or _is_pseudo(self):
            return await asynchronous(self, *args, **given)
        body = Body(turn, self, given)
        try:
            return await asynchronous(body.double(body.awaited), *args, **given)
        except Exception as error:
            if not body.ran:
                await turn.refused(body.asked, str(error))
            _tidy(error)
            raise

    dspy.Tool.__call__ = functools.wraps(blocking)(call)
    dspy.Tool.acall = functools.wraps(asynchronous)(acall)
    if hasattr(dspy.ToolCalls.ToolCall, "execute"):
        _watch_execute(dspy.ToolCalls.ToolCall, whose)


def _watch_execute(kind: Any, whose: Whose) -> None:
    plain = kind.execute

    def execute(self: Any, functions: Any = None) -> Any:
        tool = (
            next((each for each in functions or () if each.name == self.name), None)
            if isinstance(functions, list)
            else None
        )
        if functions is None:
            # As DSPy does it: by the names that the caller has.
            frame: Any = inspect.currentframe()
            caller = frame.f_back
            functions = {self.name: caller.f_locals.get(self.name) or caller.f_globals.get(self.name)}
        if isinstance(functions, dict) and callable(functions.get(self.name)):
            found = functions[self.name]
            tool = found if isinstance(found, dspy.Tool) else dspy.Tool(found, name=self.name)
            if isinstance(found, dspy.Tool):
                return plain(self, functions)  # which calls it as a tool is called
        turn = None if tool is None else whose(tool, tool.name)
        if tool is None or turn is None:
            return plain(self, functions)
        body = Body(turn, tool, dict(self.args or {}), id=getattr(self, "id", None) or "")
        return plain(self, {self.name: body.awaited if inspect.iscoroutinefunction(tool.func) else body.blocking})

    kind.execute = functools.wraps(plain)(execute)


class Body:
    """What runs in the place of a tool's function: the turn is asked first. `ran`: it was come to."""

    def __init__(self, turn: Turn, tool: Any, given: dict[str, Any], id: str = "") -> None:
        self.turn = turn
        self.real = tool.func
        self.tool = tool
        self.asked = ToolCall(id=id, name=tool.name, arguments=given)
        self.known = Known(tool.name, check=functools.partial(_check, tool))
        self.ran = False

    def double(self, function: Any) -> Any:
        """The tool with another function."""
        made = self.tool.model_copy()

        @functools.wraps(self.real, updated=())
        def func(**given: Any) -> Any:
            return function(**given)

        func.brute_double = True  # type: ignore[attr-defined]
        made.__dict__["func"] = func
        return made

    async def awaited(self, **given: Any) -> Any:
        """Run the function, or serve what stands for its answer; one that blocks runs on a thread."""
        self.ran = True

        async def run(arguments: dict[str, Any]) -> Any:
            if inspect.iscoroutinefunction(self.real):
                return await self.real(**arguments)
            answer = await in_thread(functools.partial(self.real, **arguments))
            return await answer if inspect.isawaitable(answer) else answer

        return served(await self.turn.call(self.asked, run, tool=self.known, arguments=given))

    def blocking(self, **given: Any) -> Any:
        """The same, where it is called, on whatever thread that is."""
        self.ran = True
        event = wait(self._begun(given))
        if event.outcome is not None:
            return served(event)
        try:
            with working(event):
                answer = self.real(**(event.arguments or {}))
        except BaseException as error:
            wait(self.turn.end(event, error=error))
            raise
        if not asyncio.iscoroutine(answer):
            wait(self.turn.end(event, answer))
            return answer
        if dspy.settings.allow_tool_async_sync_conversion:
            return self._later(event, answer)
        wait(self.turn.end(event, error=ValueError(f"{self.tool.name} is async, and was called in a way that is not")))
        answer.close()
        return answer  # for which DSPy raises

    async def _begun(self, given: dict[str, Any]) -> ToolEvent:
        """The event of the call, which is over already where the tool must not run: each wait for another thread costs something."""
        event = await self.turn.begin(self.asked, tool=self.known, arguments=given)
        if event.outcome is not None:
            await self.turn.end(event)
        return event

    async def _later(self, event: Any, answer: Any) -> Any:
        try:
            with working(event):
                result = await answer
        except BaseException as error:
            await self.turn.end(event, error=error)
            raise
        await self.turn.end(event, result)
        return result


def _is_double(tool: Any) -> bool:
    return hasattr(tool.func, "brute_double")


def _is_pseudo(tool: Any) -> bool:
    return str(getattr(tool.func, "__module__", "")).startswith("dspy.predict.")


def _check(tool: Any, arguments: dict[str, Any]) -> None:
    """Raise what the tool's function would for arguments that are missing, which is all that DSPy leaves to it."""
    missing = [name for name in _needed(tool) if name not in arguments]
    if missing:
        named = [repr(name) for name in missing]
        told = (
            named[0] if len(named) == 1 else f"{', '.join(named[:-1])}{',' if len(named) > 2 else ''} and {named[-1]}"
        )
        called = getattr(tool.func, "__qualname__", tool.name)
        raise TypeError(
            f"{called}() missing {len(named)} required positional argument{'s' if len(named) > 1 else ''}: {told}"
        )


def _needed(tool: Any) -> list[str]:
    if tool.has_kwargs:
        # It may be a server's, whose check is its own: what it needs is said in the descriptions.
        return [name for name, told in (tool.arg_desc or {}).items() if told.endswith("(Required)")]
    try:
        parameters = inspect.signature(tool.func).parameters.values()
    except (TypeError, ValueError):
        return []
    return [
        each.name
        for each in parameters
        if each.default is each.empty and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]


def _tidy(error: BaseException) -> None:
    """Take our own frames out of the traceback: DSPy shows it to the model."""
    error.__traceback__ = _without_ours(error.__traceback__)


def _without_ours(traceback: types.TracebackType | None) -> types.TracebackType | None:
    kept: types.TracebackType | None = None
    for each in reversed(list(_links(traceback))):
        if not str(each.tb_frame.f_globals.get("__name__", "")).startswith("brute."):
            kept = types.TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def _links(traceback: types.TracebackType | None) -> Iterator[types.TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next
