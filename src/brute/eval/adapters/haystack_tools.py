"""The tools of Haystack under watch, whichever way one is invoked in a turn; and the agents and tools that an agent has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.core.super_component.super_component import _SuperComponent
from haystack.tools import ComponentTool, Tool, Toolset, flatten_tools_or_toolsets

from ..claims import turn_of
from .haystack_calls import Invocation, through


def watch_one(tool: Any) -> None:
    """Have a turn asked before a tool of this one's class runs. Outside a turn nothing changes."""
    kind: Any = type(tool)
    watch(kind)


@functools.cache
def watch(kind: Any) -> None:
    """Have a turn asked before a tool of this class runs."""
    for base in kind.__mro__:
        if issubclass(base, Tool):
            _watch_class(base)


@functools.cache
def _watch_class(kind: Any) -> None:
    for name in ("invoke", "invoke_async", "ainvoke"):
        plain = vars(kind).get(name)
        if plain is not None:
            setattr(kind, name, _asking_async(plain) if inspect.iscoroutinefunction(plain) else _asking(plain))


def _asking_async(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    async def invoke_async(self: Any, **given: Any) -> Any:
        turn = None if through.get() is self else turn_of(self, self.name)
        if turn is None:
            return await plain(self, **given)
        return await Invocation(turn, self, given).run(plain)

    return invoke_async


def _asking(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def invoke(self: Any, **given: Any) -> Any:
        turn = None if through.get() is self else turn_of(self, self.name)
        return plain(self, **given) if turn is None else Invocation(turn, self, given).run_blocking(plain)

    return invoke


def toolsets(tools: Any) -> list[Any]:
    """The toolsets among the tools that know only later what they hold."""
    found = [tools] if isinstance(tools, Toolset) else [each for each in tools if isinstance(each, Toolset)]
    return [each for each in found if type(each) is not Toolset]


def held(agent: Any) -> list[Any]:
    """The tools that an agent has, or may come to have by what a toolset finds; of a lazy toolset once it is warm."""
    tools = [agent.tools] if isinstance(agent.tools, Toolset) else list(agent.tools)
    found: list[Any] = []
    for each in tools:
        found += flatten_tools_or_toolsets([each])
        if isinstance(each, Toolset) and hasattr(each, "get_selectable_tools"):
            found += [tool for tool in each.get_selectable_tools() if not any(tool is one for one in found)]
    return found


def kept(component: Any) -> list[Any]:
    """What a component of a pipeline keeps: its attributes, and what is in those that are lists, tuples or dicts."""
    found: list[Any] = []
    for value in list(getattr(component, "__dict__", {}).values()):
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
        found += [value, *inside]
    return found


def held_beside(component: Any) -> list[Any]:
    """The tools and toolsets that a component of a pipeline has, which is no agent."""
    return (
        [] if isinstance(component, Agent) else [each for each in kept(component) if isinstance(each, Tool | Toolset)]
    )


def functions(thing: Any) -> Iterator[Any]:
    """What leads from an agent or a pipeline to others."""
    if not isinstance(thing, Pipeline):
        yield from _functions([thing.tools] if isinstance(thing.tools, Toolset) else thing.tools)
        return
    for _, component in thing.walk():
        yield component.pipeline if isinstance(component, _SuperComponent) else component
        if not isinstance(component, Agent | _SuperComponent):
            yield from (each for each in kept(component) if isinstance(each, Agent | Pipeline))
            yield from _functions(held_beside(component))


def _functions(tools: Iterable[Any]) -> Iterator[Any]:
    for tool in [each for one in tools for each in (getattr(one, "tools", ()) if isinstance(one, Toolset) else [one])]:
        if isinstance(tool, ComponentTool):
            inner = tool._component
            yield inner.pipeline if isinstance(inner, _SuperComponent) else inner
        else:
            yield from (each for each in (tool.function, tool.async_function) if each is not None)
