"""The tools of Strands under watch: doubles that ask the turn before they run, and the agents and tools that an agent has."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Iterator
from typing import Any, cast

from strands import Agent
from strands.tools.decorator import DecoratedFunctionTool
from strands.types._events import ToolResultEvent

from ...calling import as_text, inside
from ...hooks import ToolEvent
from ...messages import ToolCall
from ..claims import turn_of
from ..foreign import Turn
from ..known import Known, served
from .base import tool_accepting
from .direct import called
from .strands_asking import RUN

_HANDS_OVER = "strands.multiagent.swarm"
"""Where the tool is from by which one agent of a swarm hands over to another."""


class Failed(Exception):
    """What a tool says that answers with an error instead of raising one."""


class Double:
    """What a double keeps: the turn, the tool, the call, and whether it got as far as to run.

    That of a decorated function has only another body: `once`, or `by_parts`.
    """

    def __init__(self, turn: Turn, tool: Any, use: Any) -> None:
        self.turn = turn
        self.tool = tool
        self.use = use
        self.asked = _asked(use)
        self.ran = False
        self.parts: list[Any] = []

    async def once(self, **given: Any) -> Any:
        """What the function answers, or what does in its stead."""
        return served(await self._called(given))

    async def by_parts(self, **given: Any) -> AsyncIterator[Any]:
        """The same of a function that answers in parts."""
        event = await self._called(given)
        for part in self.parts[:-1]:
            yield part
        yield served(event)

    def _called(self, given: dict[str, Any]) -> Awaitable[ToolEvent]:
        self.ran, tool = True, tool_accepting(self.tool.tool_name)
        return self.turn.call(self.asked, functools.partial(self._run, given), tool=tool)

    async def _run(self, given: dict[str, Any], arguments: dict[str, Any]) -> Any:
        """Run the function, which would get `given` if nobody had changed the arguments."""
        real, hearing = self.tool._tool_func, inside.get()
        if hearing is not None and real.__module__ == _HANDS_OVER:
            hearing.steered = "control"
        changed = arguments != self.asked.parsed()
        fitting = {**given, **self.tool._metadata.validate_input(arguments)} if changed else given
        if inspect.isasyncgenfunction(real):
            self.parts = [part async for part in real(**fitting)]
            return self.parts[-1] if self.parts else None
        if inspect.iscoroutinefunction(real):
            return await real(**fitting)
        return await asyncio.to_thread(real, **fitting)


async def exchange(run: Any, event: Any) -> None:
    """Have the tool's double run in its stead, unless a hook of the user's forbade it; hooks, middleware, and the check of
    arguments stay the framework's.
    """
    if event.cancel_tool:
        return
    use, tool = event.tool_use, event.selected_tool
    if tool is None:
        await run.turn.refused(_asked(use), f"Unknown tool: {use['name']}", exists=False)
    elif tool.tool_type != OUTPUT:
        kept = Double(run.turn, tool, use)
        event.selected_tool = _function(kept) if isinstance(tool, DecoratedFunctionTool) else _any(kept)


async def ended(run: Any, event: Any) -> None:
    """Tell the turn of a call that never got to its tool: its arguments were refused, or a hook of the user's answered it."""
    kept: Double | None = getattr(event.selected_tool, "brute_double", None)
    if kept is not None and kept.ran:
        return
    turn: Turn = run.turn
    for call in [call for call in turn.waiting if call.id == event.tool_use["toolUseId"]]:
        if event.result.get("status") == "error":
            await turn.refused(call, text_of(event.result))
        else:
            turn.asked.answered(call, text_of(event.result))


def _asked(use: Any) -> ToolCall:
    return ToolCall(id=str(use["toolUseId"]), name=use["name"], arguments=use["input"])


def _copy(kept: Double, kind: Any) -> Any:
    # Not by `copy`, which takes longer than all else that is done for a call.
    made = object.__new__(kind)
    made.__dict__.update(kept.tool.__dict__)
    made.brute_double = kept
    return made


def _function(kept: Double) -> Any:
    """The double of a decorated function: only its body is another."""
    made = _copy(kept, type(kept.tool))
    made._tool_func = kept.by_parts if inspect.isasyncgenfunction(kept.tool._tool_func) else kept.once
    return made


def _any(kept: Double) -> Any:
    """The double of any other tool: of an MCP server's, of an agent that is one, of one that was written by hand."""
    return _copy(kept, _doubles(cast("Any", type(kept.tool))))


def listen() -> None:
    """Put decorated functions under watch that other code calls as such. Outside a turn nothing changes."""
    plain = DecoratedFunctionTool.__call__

    def call(self: Any, *given: Any, **named: Any) -> Any:
        turn = turn_of(self, self.tool_name)
        # In the turn of another framework's agent it is a mere function.
        if turn is None or RUN not in turn.env.metadata:
            return plain(self, *given, **named)
        schema = self.tool_spec["inputSchema"]
        fields = schema.get("json", schema).get("properties", {})  # one's own schema may stand there as it is
        hidden = {name for name in inspect.signature(self._tool_func).parameters if name not in fields}
        return called(turn, self.tool_name, self._tool_func, given, named, hidden)

    DecoratedFunctionTool.__call__ = functools.wraps(plain)(call)  # type: ignore[method-assign]


@functools.cache
def _doubles(kind: Any) -> Any:
    async def stream(self: Any, tool_use: Any, invocation_state: Any, **more: Any) -> AsyncIterator[Any]:
        kept: Double = self.brute_double
        kept.ran = True
        known = Known(self.tool_name, self.tool_spec["inputSchema"].get("json"))
        event = await kept.turn.begin(kept.asked, tool=known)
        if event.outcome is not None:
            await kept.turn.end(event)
            yield ToolResultEvent(cast("Any", _told(tool_use["toolUseId"], served(event))))
            return
        last: Any = None
        try:
            async for last in kept.tool.stream({**tool_use, "input": event.arguments or {}}, invocation_state, **more):
                if isinstance(last, ToolResultEvent):
                    break  # nobody asks for more after it, so that it must be told of before
                yield last
        except BaseException as error:
            await kept.turn.end(event, error=error)
            raise
        await _end(kept.turn, event, last)
        if isinstance(last, ToolResultEvent):
            yield last

    return type(kind.__name__, (kind,), {"stream": stream, "__module__": kind.__module__})


async def _end(turn: Turn, event: ToolEvent, last: Any) -> None:
    """Tell the turn what the tool answered: in an event of its own, or as the last thing that came."""
    result = last.tool_result if isinstance(last, ToolResultEvent) else last
    if isinstance(result, dict) and result.get("status") == "error":
        await turn.end(event, error=getattr(last, "exception", None) or Failed(text_of(result)))
    else:
        await turn.end(event, value_of(result))


def _told(id: str, value: Any) -> dict[str, Any]:
    """A stub's value as a tool's result; one that is a result already stays as it is."""
    if isinstance(value, dict) and {"status", "content"} <= value.keys():
        return {**value, "toolUseId": id}
    return {"toolUseId": id, "status": "success", "content": [{"text": as_text(value)}]}


def value_of(result: Any) -> Any:
    """What a tool answered: its text, its one JSON value, or all that it is made of."""
    content = result.get("content") if isinstance(result, dict) else None
    if not content:
        return result
    if all("text" in block for block in content):
        return text_of(result)
    return content[0]["json"] if len(content) == 1 and "json" in content[0] else content


def text_of(result: Any) -> str:
    """The texts of a tool's result."""
    return "".join(block["text"] for block in result.get("content") or () if "text" in block)


OUTPUT = "structured_output"
"""The type of the tool by which a model hands over structured output."""


def of_output(agent: Any) -> set[str]:
    """The names of the tools that are none, but the agent's output."""
    return {tool.tool_name for tool in agent.tool_registry.dynamic_tools.values() if tool.tool_type == OUTPUT}


def held(agent: Any) -> Iterator[str]:
    """The names of the tools that an agent has."""
    yield from (tool.tool_name for tool in agent.tool_registry.registry.values() if tool.tool_type != OUTPUT)


def functions(thing: Any) -> Iterator[Any]:
    """What leads from an agent, several together or a tool to others."""
    if isinstance(thing, DecoratedFunctionTool):
        yield thing._tool_func
    elif not isinstance(thing, Agent):
        yield from (node.executor for node in thing.nodes.values())
    else:
        for tool in thing.tool_registry.registry.values():
            inner = getattr(tool, "agent", None)
            yield inner if inner is not None and isinstance(inner, Agent) else tool
