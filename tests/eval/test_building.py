"""An agent is built afresh for every attempt, or the suite is refused in a sentence."""

from __future__ import annotations

import contextlib
import copy
import functools
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

import brute
from brute import UsageError
from brute.eval import Case, World
from brute.eval.building import Builder
from brute.testing import Script
from tests.support.agents import attempts, makes

AGENT = """
import brute
from brute.testing import Script

built = []

def agent():
    built.append(1)
    return brute.agent().run(Script([f"built {len(built)}"]))

made = agent()

def needy(model):
    return agent()

def nothing():
    pass

none = None
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An agent file."""
    path = tmp_path / "agent.py"
    path.write_text(AGENT)
    return path


def built(source: Any, world: Any = None, times: int = 1) -> list[Any]:
    """What a builder of this source builds."""
    builder = Builder(source)

    async def go() -> list[Any]:
        return [await builder.build(world) for _ in range(times)]

    return anyio.run(go)


def test_a_file_is_executed_afresh_for_every_attempt(file: Path) -> None:
    """Nothing carries from one to the next, module globals included."""
    cases = [Case("a", said="x"), Case("b", said="x")]
    assert [made.transcript.reply for made in attempts(str(file), cases)] == ["built 2", "built 2"]
    assert [made.transcript.reply for made in attempts(f"{file}:made", cases)] == ["built 1", "built 1"]


def test_a_file_is_found_beside_the_suite_before_the_working_folder(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the run was started from."""
    monkeypatch.chdir(os.path.dirname(os.path.dirname(file)))
    assert Builder("agent.py", str(file.parent)).source == f"{file}:agent"
    with pytest.raises(UsageError, match=r"no such agent file: agent\.py \(looked in "):
        Builder("agent.py", str(file.parent / "elsewhere"))
    monkeypatch.chdir(file.parent)
    assert Builder("agent.py").source == f"{file}:agent"


def test_a_path_object_will_do(file: Path) -> None:
    """As well as a text."""
    assert str(Builder(file)) == f"{file}:agent"


def test_a_factory_that_wants_the_world_is_handed_it() -> None:
    """By the name of its parameter, be it a function, a partial, or async."""
    world = World()
    seen: list[Any] = []

    def sync(world: World) -> brute.Agent:
        seen.append(world)
        return brute.agent()

    async def later(tone: str, *, world: World | None = None) -> brute.Agent:
        seen.append(world)
        return brute.agent()

    built(sync, world)
    built(functools.partial(later, "dry"), world)
    assert seen == [world, world]


def test_a_factory_may_be_sync_async_or_answer_a_coroutine() -> None:
    """All that comes to an agent."""
    for source in (brute.agent, makes("x"), lambda: makes("x")()):
        assert isinstance(built(source)[0], brute.Agent)


def test_the_same_agent_twice_is_refused() -> None:
    """Attempts would share it, and with it its stubs."""
    kept = brute.agent()
    with pytest.raises(UsageError, match="handed out the same agent twice"):
        built(lambda: kept, times=2)


def test_agents_that_are_gone_are_forgotten() -> None:
    """The memory of a long run does not grow by what it has handed out."""
    builder = Builder(brute.agent)

    async def go() -> None:
        for _ in range(50):
            await builder.build(None)

    anyio.run(go)
    assert len(builder._given) <= 2


def test_an_agent_that_cannot_be_remembered_is_used_as_it_is() -> None:
    """An object that can't be referred to weakly."""
    assert built(lambda: (1, 2), times=2) == [(1, 2), (1, 2)]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (lambda model: brute.agent(), r"may take only `world`; .*<lambda> needs 'model'"),
        (42, "agent must be a path"),
        (brute.agent(), "the agent was built already"),
        ("agent", "is no path"),
        ("missing.py", "no such agent file: missing.py"),
    ],
    ids=["needy", "number", "agent", "bare name", "missing"],
)
def test_what_can_be_no_source_is_refused_at_once(source: Any, says: str) -> None:
    """When the suite is made, not when it runs."""
    with pytest.raises(UsageError, match=says):
        Builder(source)


@pytest.mark.parametrize(
    ("name", "says"), [("needy", "needs 'model'"), ("nothing", "returned None"), ("nobody", "defines no")]
)
def test_what_a_file_offers_is_refused_when_it_is_loaded(file: Path, name: str, says: str) -> None:
    """It is not known before."""
    with pytest.raises(UsageError, match=says):
        built(f"{file}:{name}")


def test_a_factory_that_returns_nothing_is_refused() -> None:
    """The likeliest slip: a forgotten return."""

    def forgetful() -> None:
        brute.agent().run(Script(["x"]))

    with pytest.raises(UsageError, match="forgetful built nothing: the function returned None"):
        built(forgetful)


def test_a_name_that_stands_for_nothing_is_refused_with_its_place(file: Path) -> None:
    """`agent = None`, which a file that builds it later may begin with."""
    with pytest.raises(UsageError) as raised:
        built(f"{file}:none")
    assert str(raised.value) == f"the agent in {file}:none is None"


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy])
def test_a_deep_copy_of_one_that_was_handed_out_is_another(copied: Any) -> None:
    """It shares nothing; a shallow copy shares its hooks."""
    first, made = brute.agent().run(Script(["hi"])), list[Any]()

    def fresh() -> Any:
        made.append(copied(first) if made else first)
        return made[-1]

    builder = Builder(fresh)
    anyio.run(builder.build, None)
    with (
        contextlib.nullcontext() if copied is copy.deepcopy else pytest.raises(UsageError, match="the same agent twice")
    ):
        assert anyio.run(builder.build, None) is made[1] is not first
