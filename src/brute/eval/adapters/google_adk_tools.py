"""The tools of Google ADK under watch: doubles that ask the turn before they run, and the agents and tools that an agent has."""

from __future__ import annotations

import contextvars
import copy
import functools
from collections.abc import Iterator
from typing import Any, cast

from google.adk.agents import BaseAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool

from ..claims import turn_of
from ..foreign import Turn
from .google_adk_asking import WATCHES
from .patching import watch


def double(tool: Any, watch: Any) -> Any:
    """A copy of the tool that asks the turn before it runs; callbacks and confirmation stay the framework's."""
    if hasattr(tool, "brute_watching"):
        return tool
    listen(type(tool))
    made = _copy(tool)
    made.brute_watching = watch, tool
    return made


def _copy(tool: Any) -> Any:
    kind = cast("Any", type(tool))
    if _is_plain(kind):
        # Not by `copy`, which takes longer than all else here: each model call is handed tools that were made for it.
        made = object.__new__(_doubles(kind))
        made.__dict__.update(tool.__dict__)
    else:
        made = copy.copy(tool)
        made.__class__ = _doubles(kind)
    return made


@functools.cache
def _is_plain(kind: Any) -> bool:
    """Whether what tools of this class are is what their `__dict__` holds."""
    own = ("__copy__", "__reduce__", "__getstate__", "__setstate__")
    return (
        kind.__reduce_ex__ is object.__reduce_ex__
        and all(getattr(kind, name, None) is getattr(object, name, None) for name in own)
        and not any(vars(base).get("__slots__") for base in kind.__mro__)
    )


@functools.cache
def _doubles(kind: Any) -> Any:
    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        watch, tool = self.brute_watching
        return await watch.run(tool, args, tool_context)

    return type(kind.__name__, (kind,), {"run_async": run_async, "__module__": kind.__module__})


_running: contextvars.ContextVar[tuple[Any, type | None] | None] = contextvars.ContextVar(
    "brute_google_adk_running", default=None
)
"""The tool whose own code runs here, and the class whose it is; None: it is about to."""


async def ran(tool: Any, args: dict[str, Any], context: Any) -> Any:
    """What the tool's own code answers."""
    token = _running.set((tool, None))
    try:
        return await tool.run_async(args=args, tool_context=context)
    finally:
        _running.reset(token)


def listen(kind: type) -> None:
    """Put the calls of these tools under watch, also those that other code makes past the run. Outside a turn nothing changes."""
    watch(kind, "run_async", _run_async)


def _run_async(owner: type, plain: Any) -> Any:
    @functools.wraps(plain)
    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        known = _running.get()
        # By the turn, or by `super().run_async`.
        mine = known is not None and known[0] is self and (known[1] is None or _is_over(known[1], owner))
        heard = None if mine else _watch_of(self, tool_context)
        if heard is not None:
            return await heard.run(self, args, tool_context)
        token = _running.set((self, owner)) if mine else None
        try:
            return await plain(self, args=args, tool_context=tool_context)
        finally:
            if token is not None:
                _running.reset(token)

    return run_async


def _is_over(kind: type, owner: type) -> bool:
    return kind is not owner and issubclass(kind, owner)


def _watch_of(tool: Any, context: Any) -> Any:
    """The watch on the run in which the tool is called; None outside a turn."""
    turn = turn_of(tool, tool.name)
    if turn is None:
        return None
    inside = getattr(context, "_invocation_context", None)
    plugins = getattr(getattr(inside, "plugin_manager", None), "plugins", ())
    heard = next((each for each in plugins if hasattr(each, "asking")), None)
    return heard or next(iter(turn.root.env.metadata.get(WATCHES, ())), None)


def id_of(turn: Turn, tool: Any, context: Any) -> str:
    """The id of a call: its own where the model asked for it, none where other code makes it."""
    id = getattr(context, "function_call_id", None) or ""
    return id if any(call.id == id and call.name == tool.name for call in turn.waiting) else ""


async def refuses(tool: Any, args: dict[str, Any], context: Any) -> bool:
    """Whether a function's tool answers by itself: its arguments don't fit, or somebody has to confirm the call first."""
    if not isinstance(tool, FunctionTool):
        return False
    fitted, errors = _fitted(tool, dict(args))
    if errors or any(name not in fitted for name in tool._get_mandatory_args()):
        return True
    return bool(await tool.check_require_confirmation(args, context)) and not getattr(
        context, "tool_confirmation", None
    )


def _fitted(tool: Any, args: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The arguments as the tool makes them fit, and what is wrong with them (2.9 finds nothing wrong here)."""
    check = getattr(tool, "_preprocess_args_with_validation", None)
    return check(args) if check is not None else (tool._preprocess_args(args), None)


def declared(things: list[Any]) -> tuple[list[str], bool]:
    """The names of the tools that the agents have, and of those that they or their functions name; whether these are all."""
    names: dict[str, None] = {}
    complete = True
    for each in things:
        for tool in getattr(each, "tools", ()) if isinstance(each, BaseAgent) else [each]:
            if isinstance(tool, BaseToolset):
                complete = False
            else:
                names[tool.name if isinstance(tool, BaseTool) else tool.__name__] = None
    return list(names), complete


def functions(thing: Any) -> Iterator[Any]:
    """What leads from an agent or a tool to others."""
    if not isinstance(thing, BaseAgent):
        yield thing.agent if isinstance(thing, AgentTool) else getattr(thing, "func", thing.run_async)
        return
    yield from thing.sub_agents
    yield from getattr(thing, "tools", ())
    if not type(thing).__module__.startswith("google.adk."):
        # One of the user's own, which does as its code says.
        yield thing._run_async_impl


def is_output(tool: Any) -> bool:
    """Whether it is no tool, but the way in which a model hands over structured output."""
    return type(tool).__name__ == "SetModelResponseTool"


def steered(actions: Any) -> str | None:
    """What a tool did to its agent beside answering; None where it only answered."""
    if actions is None:
        return None
    if actions.state_delta or actions.artifact_delta:
        return "state"
    return "control" if actions.transfer_to_agent or actions.escalate else None
