"""What a crew of CrewAI is made of: its agents, their models and tools, and the one thing that its tasks ask for."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator
from typing import Any

from crewai import Agent, Crew, Process
from crewai.utilities.string_utils import sanitize_tool_name

from ...calling import as_text
from ...errors import UsageError
from ..reaching import named, reached

DELEGATING = ["delegate_work_to_coworker", "ask_question_to_coworker"]
"""The tools that CrewAI gives to an agent which may delegate."""


class Parts:
    """What an agent or a crew is made of.

    `agents`: its own, and those that the functions of their tools name; `tools`: all that can be found beforehand. Raises `UsageError` for a
    crew with an agent that is not CrewAI's own: an adapter of another framework, or one written from scratch.
    """

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        found = reached(thing, (Agent, Crew), _leads)
        for each in found:
            if isinstance(each, Crew):
                _only_agents(each)
        self.agents = [each for each in found if isinstance(each, Agent)]
        own = held(thing) if isinstance(thing, Crew) else []
        self.tools = [*own, *(tool for each in self.agents for tool in held(each))]

    def names(self) -> list[str] | None:
        """The names of the tools, as the model is told of them; None where some are made only in the turn."""
        thing = self.thing
        parts = [*self.agents, *([thing] if isinstance(thing, Crew) else [])]
        if any(
            getattr(each, kind, None)
            for each in parts
            for kind in ("mcps", "apps", "memory", "skills", "knowledge_sources")
        ):
            return None
        known = [name_of(tool) for tool in self.tools]
        managed = isinstance(thing, Crew) and thing.process == Process.hierarchical
        if managed or any(each.allow_delegation for each in self.agents):
            known += DELEGATING
        return list(dict.fromkeys(known))


def _leads(thing: Any) -> Iterator[Any]:
    if isinstance(thing, Crew):
        yield from _members(thing)
    for tool in held(thing):
        function = getattr(tool, "func", None) or tool._run
        yield function
        # The method of a tool that was written as a class.
        yield from (each for each in named(function) if isinstance(each, (Agent, Crew)))


def _only_agents(crew: Any) -> None:
    for each in _members(crew):
        if not isinstance(each, Agent):
            raise UsageError(
                f"the agents of a crew must be of CrewAI's Agent; {str(each.role).strip()} is of {type(each).__name__}, "
                "of whose run nothing can be seen or stubbed"
            )


def _members(crew: Any) -> list[Any]:
    manager = getattr(crew, "manager_agent", None)
    return [
        *crew.agents,
        *([] if manager is None else [manager]),
        *(task.agent for task in crew.tasks if task.agent is not None),
    ]


def held(thing: Any) -> list[Any]:
    """The tools that an agent has, or the tasks of a crew."""
    if isinstance(thing, Crew):
        return [tool for task in thing.tasks for tool in task.tools or ()]
    return [*(thing.tools or ())]


def name_of(tool: Any) -> str:
    """What the model is told that a tool is called."""
    return plain_name(tool.name)


@functools.lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """What the model is told that a tool of this name is called."""
    return str(sanitize_tool_name(name))


@contextlib.contextmanager
def caches_kept(things: Iterable[Any]) -> Iterator[None]:
    """While this is held, what tools answer is kept for the same call again; what a stub answered is not kept any longer."""
    made = list(things)
    before = {id(cache): dict(cache) for cache in _caches(made)}
    try:
        yield
    finally:
        for cache in _caches(made):
            kept = before.get(id(cache), {})
            cache.clear()
            cache.update(kept)


def _caches(things: Iterable[Any]) -> Iterator[dict[Any, Any]]:
    for each in things:
        handlers = [getattr(each, name, None) for name in ("cache_handler", "_cache_handler")]
        handlers.append(getattr(getattr(each, "tools_handler", None), "cache", None))
        for handler in handlers:
            cache = getattr(handler, "_cache", None)
            if isinstance(cache, dict):
                yield cache


def placeholder(crew: Any) -> str:
    """The one thing that a crew's tasks and agents ask for in braces; `UsageError` where there are several, or none."""
    asked = sorted(crew.fetch_inputs())
    if len(asked) == 1:
        return str(asked[0])
    told = f"ask for {', '.join('{' + name + '}' for name in asked)}" if asked else "ask for nothing in braces"
    raise UsageError(
        f"the tasks of the crew {told}, so that it can't be told where `said` goes; write one {{said}} into them, "
        "or hand in a function of `said` that kicks the crew off"
    )


def reply(output: Any) -> str:
    """What an agent or a crew answered: as JSON text where it is structured."""
    structured = getattr(output, "pydantic", None)
    if structured is None:
        structured = getattr(output, "json_dict", None)
    return str(output.raw) if structured is None else as_text(structured)
