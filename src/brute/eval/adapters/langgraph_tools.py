"""The tools of LangChain under watch: whichever way one is run in a turn, a double of it asks the turn before its body runs."""

from __future__ import annotations

import contextvars
import functools
from typing import Any

from langchain_core.runnables.config import run_in_executor
from langchain_core.tools import BaseTool, StructuredTool, Tool

from ...calling import working
from ...messages import ToolCall
from ..bridging import wait
from ..claims import turn_of
from ..foreign import Turn, current
from ..known import served
from .base import tool_accepting

listening_in: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_langgraph", default=None)
"""What hears the models of the turn, or of the graph that a tool of another framework's agent runs; None outside both."""

_call: contextvars.ContextVar[Asking | None] = contextvars.ContextVar("brute_langchain_call", default=None)


class Asking:
    """One call of a tool on its way to the tool's body."""

    def __init__(self, turn: Turn, tool: BaseTool, call: ToolCall) -> None:
        self.turn = turn
        self.tool = tool
        self.call = call
        self.reached = False

    def arguments(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """What the model's arguments became; what the framework puts in is left out."""
        asked = self.call.parsed()
        return kwargs if asked is None else {name: kwargs.get(name, value) for name, value in asked.items()}

    def served(self, event: Any, raw: list[Any]) -> Any:
        """What the body answers: what it did answer, or what was served, in the form that the tool promises."""
        if raw:
            return raw[0]
        answer = served(event)
        return (answer, None) if self.paired and not isinstance(answer, tuple) else answer

    @property
    def paired(self) -> bool:
        """Whether the tool's body answers both what the model reads and what else there is."""
        return getattr(self.tool, "response_format", "content") == "content_and_artifact"


def watch_every_tool() -> None:
    """Let doubles run in the place of tools, inside a turn."""
    asynchronous, blocking = BaseTool.arun, BaseTool.run

    async def arun(self: Any, tool_input: Any, *args: Any, **named: Any) -> Any:
        asking = _asking(self, tool_input, named)
        if asking is None:
            return await asynchronous(self, tool_input, *args, **named)
        token = _call.set(asking)
        try:
            answer = await asynchronous(_double(self), tool_input, *args, **named)
        except Exception as error:
            if not asking.reached:
                await asking.turn.refused(asking.call, str(error))
            raise
        finally:
            _call.reset(token)
        if not asking.reached:
            await asking.turn.refused(asking.call, str(getattr(answer, "content", answer)))
        return answer

    def run(self: Any, tool_input: Any, *args: Any, **named: Any) -> Any:
        asking = _asking(self, tool_input, named)
        if asking is None:
            return blocking(self, tool_input, *args, **named)
        token = _call.set(asking)
        try:
            answer = blocking(_double(self), tool_input, *args, **named)
        except Exception as error:
            if not asking.reached:
                wait(asking.turn.refused(asking.call, str(error)))
            raise
        finally:
            _call.reset(token)
        if not asking.reached:
            wait(asking.turn.refused(asking.call, str(getattr(answer, "content", answer))))
        return answer

    for kind in (StructuredTool, Tool):
        kind.ainvoke = _unhurried(kind.ainvoke)
    BaseTool.arun = functools.wraps(asynchronous)(arun)
    BaseTool.run = functools.wraps(blocking)(run)


def _unhurried(plain: Any) -> Any:
    """`ainvoke` for tools that are only sync: the whole call would go to a thread, and here only the body does."""

    @functools.wraps(plain)
    async def ainvoke(self: Any, input: Any, config: Any = None, **named: Any) -> Any:
        return await (BaseTool.ainvoke if current.get() is not None else plain)(self, input, config, **named)

    return ainvoke


def _asking(tool: Any, given: Any, named: dict[str, Any]) -> Asking | None:
    turn = None if isinstance(tool, _Double) else turn_of(tool, tool.name)
    # That of another framework's agent, whose tool this one may be the body of, tells of it by itself.
    if turn is None or listening_in.get() is None:
        return None
    id = named.get("tool_call_id") or ""
    # As the model asked for it, without what the framework has put in since.
    asked = next((call for call in turn.waiting if id and call.id == id), None)
    arguments = asked.arguments if asked is not None else given if isinstance(given, dict) else {"input": given}
    return Asking(turn, tool, ToolCall(id=id, name=tool.name, arguments=arguments))


class _Double:
    """What marks a double."""


def _double(tool: Any) -> Any:
    """A copy of the tool whose body asks the turn, and then runs the tool's own."""
    made = tool.model_copy()
    kind: Any = type(tool)
    object.__setattr__(made, "__class__", _doubles(kind))
    return made


@functools.cache
def _doubles(kind: Any) -> Any:
    body = kind._run if kind._arun is BaseTool._arun else kind._arun

    @functools.wraps(body)
    async def _arun(self: Any, *args: Any, **kwargs: Any) -> Any:
        asking = _call.get()
        assert asking is not None
        own, raw = asking.tool, []

        async def run(arguments: dict[str, Any]) -> Any:
            given = {**kwargs, **arguments}
            if kind._arun is BaseTool._arun:
                raw.append(await run_in_executor(given.get("config"), functools.partial(own._run, *args, **given)))
            else:
                raw.append(await own._arun(*args, **given))
            return raw[0][0] if asking.paired and isinstance(raw[0], tuple) else raw[0]

        asking.reached = True
        known = tool_accepting(own.name)
        event = await asking.turn.call(asking.call, run, tool=known, arguments=asking.arguments(kwargs))
        return asking.served(event, raw if event.error is None else [])

    @functools.wraps(kind._run)
    def _run(self: Any, *args: Any, **kwargs: Any) -> Any:
        asking = _call.get()
        assert asking is not None
        own, turn = asking.tool, asking.turn
        asking.reached = True
        known = tool_accepting(own.name)
        event = wait(turn.begin(asking.call, tool=known, arguments=asking.arguments(kwargs)))
        if event.outcome is not None:
            wait(turn.end(event))
            return asking.served(event, [])
        try:
            with working(event):
                raw = own._run(*args, **{**kwargs, **(event.arguments or {})})
        except BaseException as error:
            wait(turn.end(event, error=error))
            raise
        wait(turn.end(event, raw[0] if asking.paired and isinstance(raw, tuple) else raw))
        return raw

    return type(kind.__name__, (_Double, kind), {"_arun": _arun, "_run": _run, "__module__": kind.__module__})
