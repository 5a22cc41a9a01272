"""The layer that offers tools to the model and runs those it asks for."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from ..env import Env
from ..errors import HookError, did_you_mean
from ..hooks import UNSET, ToolEvent
from ..messages import Message, ToolCall
from ..pipeline import App
from ..together import together
from ..tools import BadArguments, Tool, ToolList, as_text, tools_of

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
        offered = {tool.name for tool in env.tools}
        env.tools.extend(tool for tool in self.tools if tool.name not in offered)
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
    await together([functools.partial(_call, event, by_name) for event in events])
    for event in events:
        failed = event.denied is not None or event.error is not None
        env.messages.append(
            Message(role="tool", content=_told(event, by_name), tool_call_id=event.call.id or None, failed=failed)
        )


async def _call(event: ToolEvent, by_name: dict[str, Tool]) -> None:
    """One tool call with its three events; `outcome` is ran, stubbed, denied or failed."""
    hooks = event.env.hooks
    try:
        await hooks.emit("before_tool", event)
        if event.denied is None:
            await hooks.emit("approve_tool", event)
        if event.denied is not None:
            event.outcome = "denied"
        elif event.answered:
            event.outcome = "stubbed"
        else:
            await _run(event, by_name)
    except BaseException as error:
        # What stops the turn is how the call ended, whatever a subscriber had answered before.
        event.error, event.outcome = error, "failed"
        raise
    finally:
        await hooks.emit("after_tool", event)


async def _run(event: ToolEvent, by_name: dict[str, Tool]) -> None:
    try:
        if event.tool is None:
            names = ", ".join(by_name) or "none"
            raise BadArguments(f'there is no tool "{event.name}"{did_you_mean(event.name, by_name)}; tools are {names}')
        if event.arguments is None:
            raise BadArguments(f"the arguments are not a JSON object: {event.call.arguments!s:.200}")
        event.result = await event.tool.call(event.arguments)
        event.outcome = "ran"
    except HookError:
        # Of an agent inside the tool: a fault of whoever subscribed there, and not for the model to read.
        raise
    except Exception as error:
        event.error, event.outcome = error, "failed"


def _told(event: ToolEvent, by_name: dict[str, Tool]) -> str:
    """What the model reads of the call's end."""
    if event.denied is not None:
        return f"denied: {event.denied}"
    if event.error is not None:
        kind = "" if isinstance(event.error, BadArguments) else f"{type(event.error).__name__}: "
        return f"error: {kind}{event.error}"
    return as_text(None if event.result is UNSET else event.result)
