"""Which framework an agent is of, found out by the module path of its type, without importing any."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import MissingExtra, UsageError
from . import versions
from .subject import Subject

GROUP = "brute.adapters"
"""The entry points by which third parties register adapters: the name is the path of the module (or package) that defines the
framework's agents, the value a callable that makes a `Subject` of one; its attribute `shared` says that attempts may share one agent."""

MARK = "__brute_agent__"
"""The attribute that `trace.agent` sets on a function."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """A framework and its adapter.

    `modules` are the paths of the modules that define its agents; `classes` their names where the path alone says too little. `shared`
    says that a run leaves nothing behind on the agent, so that attempts may share one; `instead` is what to write where they may not.
    """

    name: str
    modules: tuple[str, ...]
    adapter: str
    extra: str = ""
    shared: bool = True
    classes: tuple[str, ...] = ()
    instead: str = "agent=lambda: Agent(...)"

    def defines(self, kind: type) -> bool:
        """Whether the class is one of this framework's agents, or made of one."""
        return any(
            (base.__module__ == path or base.__module__.startswith(f"{path}."))
            and (not self.classes or base.__name__ in self.classes)
            for base in kind.__mro__
            for path in self.modules
        )

    def adapt(self, thing: Any) -> Subject:
        """The agent as the harness sees it."""
        old = versions.too_old(self.extra) if self.extra else None
        if old is not None:
            raise UsageError(f"the adapter for {self.name} can't be used: {old}")
        module, _, name = self.adapter.partition(":")
        try:
            make = getattr(importlib.import_module(module), name)
        except ImportError as error:
            raise MissingExtra(f"the adapter for {self.name} ({error})", self.extra or self.name) from error
        if self is not PLAIN:
            _watch_others(self)
        subject: Subject = make(thing)
        return subject


def _ours(name: str, file: str, cls: str, *modules: str, **more: Any) -> Framework:
    return Framework(name=name, modules=modules, adapter=f"brute.eval.adapters.{file}:{cls}", extra=name, **more)


FRAMEWORKS = (
    _ours("pydantic-ai", "pydantic_ai", "PydanticAI", "pydantic_ai.agent"),
    _ours("openai-agents", "openai_agents", "OpenAIAgents", "agents.agent", classes=("Agent",)),
    _ours("langgraph", "langgraph", "LangGraph", "langgraph.pregel", "langgraph.graph"),
    _ours("google-adk", "google_adk", "GoogleADK", "google.adk.agents", "google.adk.apps"),
    _ours("strands-agents", "strands", "Strands", "strands.agent.agent", "strands.multiagent", shared=False),
    _ours("agent-framework", "agent_framework", "AgentFramework", "agent_framework._agents"),
    _ours(
        "claude-agent-sdk",
        "claude_agent_sdk",
        "ClaudeAgentSDK",
        "claude_agent_sdk.types",
        "claude_agent_sdk.client",
        classes=("ClaudeAgentOptions", "ClaudeSDKClient"),
    ),
    _ours(
        "smolagents",
        "smolagents",
        "Smolagents",
        "smolagents.agents",
        shared=False,
        instead="agent=lambda: CodeAgent(...)",
    ),
    _ours("agno", "agno", "Agno", "agno.agent.agent", "agno.team.team"),
    _ours("haystack", "haystack", "Haystack", "haystack.components.agents.agent", "haystack.core.pipeline.pipeline"),
    _ours("llama-index", "llama_index", "LlamaIndex", "llama_index.core.agent.workflow"),
    _ours("crewai", "crewai", "CrewAI", "crewai.agent", "crewai.crew", classes=("Agent", "Crew"), shared=False),
    _ours("dspy", "dspy", "DSPy", "dspy.primitives", classes=("Module",)),
)
"""The frameworks that there is an adapter for."""

PLAIN = Framework(name="plain", modules=(), adapter="brute.eval.adapters.plain:Plain")
"""A home-made loop: a function of what was said, or of the messages."""


def _watch_others(own: Framework) -> None:
    """Put the runs of the other frameworks that are imported here under watch: a tool of the agent's may run an agent of theirs."""
    for each in FRAMEWORKS:
        if each is own or not any(path in sys.modules for path in each.modules):
            continue
        if versions.too_old(each.extra) is not None:
            continue
        # A module may be called as one of theirs.
        with contextlib.suppress(ImportError, AttributeError):
            importlib.import_module(each.adapter.partition(":")[0]).watch_every_run()


def framework_of(thing: Any) -> Framework | None:
    """The framework whose agent `thing` is; None for what is no agent of any that is known."""
    if is_plain(thing):
        return PLAIN
    return None if isinstance(thing, type) else _of(type(thing))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=256)
def _of(kind: type) -> Framework | None:
    return next((each for each in (*FRAMEWORKS, *_registered()) if each.defines(kind)), None)


@functools.cache
def _registered() -> tuple[Framework, ...]:
    """The adapters of third parties."""
    from importlib.metadata import entry_points  # with what it brings along, as much as half of ours

    return tuple(
        Framework(name=entry.name, modules=(entry.name,), adapter=entry.value, shared=False)
        for entry in entry_points(group=GROUP)
    )


def is_shared(thing: Any) -> bool:
    """Whether attempts may share this very agent."""
    known = framework_of(thing)
    if known is None or known.shared:
        return known is not None
    if any(known is each for each in FRAMEWORKS):
        return False
    module, _, name = known.adapter.partition(":")
    return bool(getattr(getattr(importlib.import_module(module), name, None), "shared", False))


def is_plain(thing: Any) -> bool:
    """Whether `thing` is an agent that is a plain function: marked by `trace.agent`, or one of `said` or of `messages`."""
    return getattr(thing, MARK, None) is not None or (
        callable(thing) and not isinstance(thing, type) and takes(thing) in ("said", "messages")
    )


def takes(function: Callable[..., Any]) -> str | None:
    """The one parameter that the function must be given, beside `world`; None where it must be given none, or several."""
    try:
        parameters: Mapping[str, inspect.Parameter] = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    needed = [
        name
        for name, each in parameters.items()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    return needed[0] if len(needed) == 1 else None


def refuse_shared(known: Framework) -> UsageError:
    """What is said to whoever hands in an agent that attempts can't share."""
    return UsageError(
        f"the {known.name} agent was built already, and a run leaves something behind on it, so that attempts would share that; "
        f"hand in a function that builds it: Suite({known.instead}), or the path of its file"
    )
