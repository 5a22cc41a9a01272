"""What an agent or a team of agno has: tools, members, and the agents that its tools run."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from agno.team import Team
from agno.tools import Toolkit
from agno.tools.function import Function


def _tools(agent: Any) -> list[Any]:
    held = getattr(agent, "tools", None)
    return list(held) if isinstance(held, (list, tuple)) else []


def names(agent: Any) -> Iterator[str]:
    """The names of the tools that an agent is known to have before it runs."""
    for tool in _tools(agent):
        if isinstance(tool, Toolkit):
            yield from {**tool.functions, **getattr(tool, "async_functions", {})}
        elif isinstance(tool, Function):
            yield tool.name
        elif callable(tool):
            yield getattr(tool, "__name__", type(tool).__name__)


def functions(agent: Any) -> Iterator[Any]:
    """What leads from an agent or a team to others."""
    if isinstance(agent, Team) and isinstance(agent.members, list):
        yield from agent.members
    for tool in _tools(agent):
        if isinstance(tool, Toolkit):
            held = {**tool.functions, **getattr(tool, "async_functions", {})}.values()
            yield from (inspect.unwrap(each.entrypoint) for each in held if each.entrypoint is not None)
        elif isinstance(tool, Function):
            if tool.entrypoint is not None:
                yield tool.entrypoint
        elif callable(tool):
            yield tool
