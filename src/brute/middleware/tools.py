"""The layer that offers tools to the model and runs those it asks for."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from ..calling import as_text, called, no_tool
from ..env import Env
from ..hooks import UNSET, ToolEvent
from ..messages import Message, ToolCall
from ..pipeline import App
from ..together import together
from ..tools import BadArguments, Tool, ToolList, tools_of

_DISPATCHER = "brute.dispatcher"


class Tools:
    """The layer that offers tools to the model on the way in, and runs those it asks for on the way out.

    Calls of one batch run at once, and their results stand in the order of the calls. A tool that raises becomes an
    error result that the model can read. Of several such layers the outermost dispatches for all.
    """

    def __init__(self, app: App, tools: Iterable[Any]) -> None:
        self.app = app
        self.tools = tools_of(tools)

    @staticmethod
    def check_options(tools: Iterable[Any]) -> tuple[ToolList]:
        """Refuse what is no tool, and two tools of one name, when the agent is built; made into tools once for all."""
        return (tools_of(tools),)

    @staticmethod
    def declares_tools(tools: Iterable[Any]) -> list[Tool]:
        """The tools that this layer will offer."""
        return tools_of(tools)

    async def __call__(self, env: Env) -> None:
        """Offer the tools, descend, and run what was asked for."""
        if not env.tools:
            env.tools.extend(self.tools)
        elif env.tools != self.tools:  # as they are in every further pass of a loop
            offered = {tool.name for tool in env.tools}
            env.tools.extend([tool for tool in self.tools if tool.name not in offered])
        dispatches = env.metadata.setdefault(_DISPATCHER, self) is self
        await self.app(env)
        last = env.messages[-1] if env.messages else None
        if dispatches and last is not None and last.role == "assistant" and last.tool_calls:
            await _dispatch(env, last.tool_calls)


async def _dispatch(env: Env, calls: tuple[ToolCall, ...]) -> None:
    by_name = {tool.name: tool for tool in env.tools}
    events = [
        ToolEvent(env, call, env.iteration, index, by_name.get(call.name), call.parsed())
        for index, call in enumerate(calls)
    ]
    for event in events:
        if event.tool is None:
            event.lacking = no_tool(event.name, by_name)
    if len(events) == 1:
        await called(events[0], env.hooks, by_name)
    else:
        await together([functools.partial(called, event, env.hooks, by_name) for event in events])
    for event in events:
        failed = event.denied is not None or event.error is not None
        env.messages.append(
            Message(role="tool", content=_told(event, by_name), tool_call_id=event.call.id or None, failed=failed)
        )


def _told(event: ToolEvent, by_name: dict[str, Tool]) -> str:
    """What the model reads of the call's end."""
    if event.denied is not None:
        return f"denied: {event.denied}"
    if event.error is not None:
        kind = "" if isinstance(event.error, BadArguments) else f"{type(event.error).__name__}: "
        return f"error: {kind}{event.error}"
    return as_text(None if event.result is UNSET else event.result)
