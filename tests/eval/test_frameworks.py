"""An agent's framework is found by the module of its type, and nothing is imported to find it."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case, adapters, frameworks, trace
from brute.eval.adapters import adapt
from brute.eval.adapters.base import Foreign
from brute.eval.building import Builder
from brute.eval.foreign import Turn
from brute.eval.frameworks import framework_of, is_plain, is_shared
from tests.support.agents import attempt, report


def made_in(module: str, name: str = "Agent") -> Any:
    """An object whose class says that it was defined in this module."""
    return type(name, (), {"__module__": module})()


@pytest.mark.parametrize(
    ("module", "name", "framework"),
    [
        ("pydantic_ai.agent", "Agent", "pydantic-ai"),
        ("pydantic_ai.agent.wrapper", "WrapperAgent", "pydantic-ai"),
        ("agents.agent", "Agent", "openai-agents"),
        ("agents.agent", "Worker", None),
        ("langgraph.graph.state", "CompiledStateGraph", "langgraph"),
        ("strands.agent.agent", "Agent", "strands-agents"),
        ("agent_framework._agents", "Agent", "agent-framework"),
        ("claude_agent_sdk.types", "ClaudeAgentOptions", "claude-agent-sdk"),
        ("claude_agent_sdk.client", "ClaudeSDKClient", "claude-agent-sdk"),
        ("haystack.components.agents.agent", "Agent", "haystack"),
        ("haystack.core.pipeline.pipeline", "Pipeline", "haystack"),
        ("crewai.agent.core", "Agent", "crewai"),
        ("crewai.crew", "Crew", "crewai"),
        ("crewai.agents.agent_executor", "AgentExecutor", None),
        ("dspy.primitives.module", "Module", "dspy"),
        ("dspy.primitives.prediction", "Prediction", None),
        ("llama_index.core.agent.workflow.function_agent", "FunctionAgent", "llama-index"),
        ("llama_index.core.agent.workflow.multi_agent_workflow", "AgentWorkflow", "llama-index"),
        ("strands.agent.a2a_agent", "A2AAgent", None),
        ("smolagents.agents", "CodeAgent", "smolagents"),
        ("agno.agent.agent", "Agent", "agno"),
        ("agno.team.team", "Team", "agno"),
        ("strands.multiagent.swarm", "Swarm", "strands-agents"),
        ("pydantic_ai.agents_of_mine", "Agent", None),
        ("builtins", "Agent", None),
    ],
)
def test_the_module_of_the_type_tells(module: str, name: str, framework: str | None) -> None:
    """Also of a class that the user derived from it."""
    thing = made_in(module, name)
    derived = type("Mine", (type(thing),), {"__module__": "mine"})()
    for each in (thing, derived):
        known = framework_of(each)
        assert (known.name if known is not None else None) == framework
    assert framework_of(type(thing)) is None


def test_finding_it_imports_nothing() -> None:
    """No framework, in a process of its own."""
    code = (
        "import sys; from brute.eval.adapters import adapt; from brute.eval.frameworks import framework_of\n"
        "thing = type('Agent', (), {'__module__': 'agents.agent'})()\n"
        "assert framework_of(thing).name == 'openai-agents'\n"
        "assert not {'agents', 'pydantic_ai', 'langgraph', 'langchain_core', 'google', 'strands', 'agent_framework', 'claude_agent_sdk', 'haystack', 'smolagents', 'agno', 'llama_index'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_a_missing_framework_names_its_extra() -> None:
    """And the command that installs it."""
    unknown = frameworks.Framework(name="acme", modules=("acme",), adapter="brute_acme_missing:Acme", extra="acme")
    with pytest.raises(UsageError, match=r"needs the extra 'acme': pip install 'brute-eval\[acme\]'"):
        unknown.adapt(object())


class Acme(Foreign):
    """A third party's adapter, whose agent has a method `ask`."""

    shared = True

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self.names = []

    async def play(self, turn: Turn) -> None:
        """Ask it."""
        turn.reply(self.agent.ask(turn.env.messages[-1].content))


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An agent of a framework whose adapter an installed distribution registers."""
    info = tmp_path / "acme-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[brute.adapters]\nacme.agents = acme_for_brute:Acme\n")
    module = types.ModuleType("acme_for_brute")
    module.Acme = Acme  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "acme_for_brute", module)
    monkeypatch.syspath_prepend(str(tmp_path))
    frameworks._registered.cache_clear()
    frameworks._of.cache_clear()
    agent = made_in("acme.agents.room")
    type(agent).ask = lambda self, text: f"acme says {text}"
    yield agent
    frameworks._registered.cache_clear()
    frameworks._of.cache_clear()


def test_a_third_party_registers_its_adapter(registered: Any) -> None:
    """By an entry point that is named after the module of its agents."""
    assert isinstance(adapt(registered), Acme)
    made = report(registered, [Case("a", said="hello"), Case("b", said="there")])
    assert [each.transcript.reply for each in made.attempts] == ["acme says hello", "acme says there"]


def test_an_object_that_attempts_can_not_share_is_refused(registered: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the line to write instead; a factory may build it."""
    monkeypatch.setattr(Acme, "shared", False)
    with pytest.raises(UsageError, match=r"hand in a function that builds it: Suite\(agent=lambda: Agent\(...\)\)"):
        Builder(registered)
    assert not is_shared(registered)

    async def build() -> Any:
        return registered

    assert attempt(build).transcript.reply == "acme says hello"
    again = report(build, [Case("a", said="hello"), Case("b", said="there")], jobs=1)
    assert sorted(each.status for each in again.attempts) == ["error", "passed"]


def test_which_functions_are_agents() -> None:
    """Those of `said` or `messages`, and those that are marked; any other is a factory."""

    async def one(said: str) -> str: ...
    def two(messages: list[Any]) -> str: ...
    def three(model: str) -> str: ...
    def four(world: Any) -> Any: ...
    def five() -> Any: ...
    def six(said: str, model: str) -> str: ...

    assert [is_plain(each) for each in (one, two, three, four, five, six)] == [True, True, False, False, False, False]
    assert is_plain(trace.agent(tools=[])(three))


def test_other_frameworks_that_are_imported_are_put_under_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since a tool may run an agent of theirs; what is not imported stays so, and what only has such a name is left alone."""
    heard: list[str] = []

    def framework(name: str) -> Any:
        return frameworks.Framework(name=name, modules=(f"{name}.agents",), adapter=f"{name}_adapter:make")

    def adapter(name: str) -> types.ModuleType:
        made = types.ModuleType(f"{name}_adapter")
        made.watch_every_run = lambda: heard.append(name)  # type: ignore[attr-defined]
        made.make = lambda thing: thing  # type: ignore[attr-defined]
        return made

    own, other, absent, alike = map(framework, ("own", "other", "absent", "alike"))
    monkeypatch.setattr(frameworks, "FRAMEWORKS", (own, other, absent, alike))
    for name in ("own.agents", "other.agents", "alike.agents"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    for name in ("own", "other", "absent"):
        monkeypatch.setitem(sys.modules, f"{name}_adapter", adapter(name))
    thing: Any = object()
    assert own.adapt(thing) is thing
    assert heard == ["other"]
    frameworks.Framework(name="third", modules=(), adapter="own_adapter:make").adapt(thing)
    assert heard == ["other", "own", "other"]
    # One that is older than the oldest supported version has no adapter.
    monkeypatch.setattr(
        frameworks.versions, "too_old", lambda extra: "other 1 is installed" if extra == "old" else None
    )
    monkeypatch.setattr(frameworks, "FRAMEWORKS", (own, dataclasses.replace(other, extra="old")))
    assert own.adapt(thing) is thing
    assert heard == ["other", "own", "other"]


def test_what_is_known_of_a_class_is_not_said_of_an_agent_that_is_called_in_another_way() -> None:
    """The framework is looked up once for each class, and anew for one whose signature or mark is its own."""
    kind = type("Agent", (), {"__module__": "agno.agent.agent", "__call__": lambda self, prompt, more: None})

    def one(said: str) -> None:
        """Take what was said."""

    for _ in range(2):
        known = adapters._framework_of(kind())
        assert known is not None
        assert known.name == "agno"
        for name, value in (("__brute_agent__", ()), ("__signature__", inspect.signature(one)), ("__wrapped__", one)):
            other = kind()
            setattr(other, name, value)
            assert adapters._framework_of(other) is frameworks.PLAIN, name


def test_no_more_classes_are_remembered_than_are_of_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of files that are loaded afresh are others each time."""
    monkeypatch.setattr(adapters, "_SEEN", {})
    monkeypatch.setattr(adapters, "_MOST", 2)
    for _ in range(5):
        assert adapters._framework_of(made_in("agno.agent.agent")) is not None
        assert 1 <= len(adapters._SEEN) <= 2
