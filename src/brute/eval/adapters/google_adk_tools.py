"""The tools of Google ADK under watch: doubles that ask the turn before they run, and the agents and tools that an agent has."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from typing import Any, cast

from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool


def double(tool: Any, watch: Any) -> Any:
    """A copy of the tool that asks the turn before it runs; callbacks and confirmation stay the framework's."""
    if hasattr(tool, "brute_watching"):
        return tool
    made, kind = copy.copy(tool), cast("Any", type(tool))
    made.__class__ = _doubles(kind)
    made.brute_watching = watch, tool
    return made


@functools.cache
def _doubles(kind: Any) -> Any:
    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        watch, tool = self.brute_watching
        return await watch.run(tool, args, tool_context)

    return type(kind.__name__, (kind,), {"run_async": run_async, "__module__": kind.__module__})


async def refuses(tool: Any, args: dict[str, Any], context: Any) -> bool:
    """Whether a function's tool answers by itself: its arguments don't fit, or somebody has to confirm the call first."""
    if not isinstance(tool, FunctionTool):
        return False
    fitted, errors = _fitted(tool, dict(args))
    if errors or any(name not in fitted for name in tool._get_mandatory_args()):
        return True
    return bool(await tool.check_require_confirmation(args, context)) and not context.tool_confirmation


def _fitted(tool: Any, args: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The arguments as the tool makes them fit, and what is wrong with them (versions before 2.12 find nothing wrong here)."""
    check = getattr(tool, "_preprocess_args_with_validation", None)
    return check(args) if check is not None else (tool._preprocess_args(args), None)


def taken(arguments: dict[str, Any]) -> None:
    """Refuse nothing: what the framework took is taken."""


def declared(agents: list[Any]) -> tuple[list[str], bool]:
    """The names of the tools that the agents have; whether these are all."""
    names: dict[str, None] = {}
    complete = True
    for agent in agents:
        for tool in getattr(agent, "tools", ()):
            if isinstance(tool, BaseToolset):
                complete = False
            else:
                names[tool.name if isinstance(tool, BaseTool) else tool.__name__] = None
    return list(names), complete


def functions(agent: Any) -> Iterator[Any]:
    """What leads from an agent to others."""
    yield from agent.sub_agents
    for tool in getattr(agent, "tools", ()):
        inner = getattr(tool, "agent", None) if isinstance(tool, AgentTool) else None
        yield inner if inner is not None else getattr(tool, "func", tool)


def steered(actions: Any) -> str | None:
    """What a tool did to its agent beside answering; None where it only answered."""
    if actions.state_delta or actions.artifact_delta:
        return "state"
    return "control" if actions.transfer_to_agent or actions.escalate else None
