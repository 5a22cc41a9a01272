"""How a tool is called: with its three events around it, whether the model asked for it or the agent's own code."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .errors import HookError, TurnStopped, did_you_mean
from .hooks import DONE, UNSET, Registry, ToolEvent
from .messages import ToolCall
from .tools import BadArguments, Tool

dispatched: contextvars.ContextVar[Tool | None] = contextvars.ContextVar("brute_dispatched", default=None)
"""The tool that is being called with its events around it, until its call begins."""


inside: contextvars.ContextVar[ToolEvent | None] = contextvars.ContextVar("brute_inside", default=None)
"""The call of the tool that runs here."""


@contextlib.contextmanager
def working(event: ToolEvent) -> Iterator[None]:
    """While the tool of this call runs."""
    token = inside.set(event)
    try:
        yield
    finally:
        inside.reset(token)


async def called(event: ToolEvent, hooks: Registry, names: Iterable[str]) -> None:
    """One tool call with its three events; `outcome` is ran, stubbed, denied or failed. `names` are the tools that there are."""
    try:
        if (later := hooks.emit("before_tool", event)) is not DONE:
            await later
        if event.denied is None:
            if (later := hooks.emit("approve_tool", event)) is not DONE:
                await later
        if event.denied is not None:
            event.outcome = "denied"
        elif event.answered:
            event.outcome = "stubbed"
        else:
            await _run(event, names)
    except BaseException as error:
        # What stops the turn is how the call ended, whatever a subscriber had answered before.
        never_ran = isinstance(error, TurnStopped) and not event.outcome
        event.error, event.outcome = error, "denied" if never_ran else "failed"
        raise
    finally:
        if (later := hooks.emit("after_tool", event)) is not DONE:
            await later


async def _run(event: ToolEvent, names: Iterable[str]) -> None:
    try:
        if event.tool is None:
            raise BadArguments(event.lacking or no_tool(event.name, names))
        if event.arguments is None:
            raise BadArguments(f"the arguments are not a JSON object: {event.call.arguments!s:.200}")
        # One of another name, which a subscriber put in its place, is a call of its own: with its own stub, seen and refused by its name.
        dispatched.set(event.tool if event.tool.name == event.name else None)
        event.outcome = "failed"  # until it has come to its end
        with working(event):
            event.result = await event.tool.call(event.arguments)
        event.outcome = "ran"
    except HookError:
        # Of an agent inside the tool: a fault of whoever subscribed there, and not for the model to read.
        raise
    except Exception as error:
        event.error, event.outcome = error, "failed"


def no_tool(name: str, names: Iterable[str]) -> str:
    """What a model is told that asks for a tool which is none of its agent's."""
    listed = list(names)
    return f'there is no tool "{name}"{did_you_mean(name, listed)}; tools are {", ".join(listed) or "none"}'


def is_dispatched(tool: Tool) -> bool:
    """Whether this call of the tool has its events around it already; asked once for each call."""
    if dispatched.get() is not tool:
        return False
    dispatched.set(None)
    return True


async def beside(tool: Tool, arguments: Mapping[str, Any]) -> Any:
    """What the tool answers to the agent's own code, which calls it beside the model, in a turn that is watched.

    Whoever watches the turn sees the call, and may answer it or refuse it; the agent's own subscribers hear of it no more than they
    would elsewhere.
    """
    given = dict(arguments)
    nowhere: Any = None  # no subscriber of the agent's ever sees it
    event = ToolEvent(nowhere, ToolCall(name=tool.name, arguments=dict(given)), 0, tool=tool, arguments=given)
    await called(event, Registry(), [tool.name])
    if event.denied is not None:
        raise PermissionError(f"the call of {tool.name} was denied: {event.denied}")
    if event.error is not None:
        raise event.error
    return None if event.result is UNSET else event.result


def as_text(result: Any) -> str:
    """What a model reads of a tool's result: a text as it is, anything else as JSON."""
    if isinstance(result, str):
        return result
    for write in (functools.partial(json.dumps, ensure_ascii=False, default=_plain), str):
        try:
            return write(result)
        except Exception:  # the result is the tool's own, and so is what it raises when it is read
            continue
    return f"<{type(result).__name__}>"


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)
