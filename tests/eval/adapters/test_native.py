"""The adapter for brute's own agents keeps the contract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import brute
from brute import UsageError
from brute.eval import Budget, Case, trace
from brute.eval.adapters import adapt
from brute.eval.adapters.native import Native
from brute.eval.judging import record
from brute.eval.reporters import lines
from brute.eval.subject import Subject
from brute.middleware import ToolLoop, Tools
from tests.eval.adapters.contract import Contract, Plan
from tests.support.agents import asks, attempt, build


class TestContract(Contract):
    """The rows that every adapter passes."""

    def make(self, plan: Plan, tools: Sequence[Callable[..., Any]]) -> Subject:
        """A scripted agent."""
        return adapt(build([step if isinstance(step, str) else asks(*step) for step in plan], tools))


def test_a_brute_agent_hides_nothing() -> None:
    """All that a case may ask about is seen."""
    assert (adapt(brute.agent()).blind, adapt(brute.agent()).tools) == ([], [])


class Hosting:
    """A completion whose provider runs a tool by itself."""

    hosted = ("web_search",)

    async def __call__(self, env: Any) -> str:
        """Say something that it may have looked up."""
        return "done"


@pytest.mark.parametrize(
    ("case", "options", "kind", "sentence"),
    [
        ({"never": ["rm"], "stubs": {"search": "s"}}, {}, None, None),
        (
            {"never": ["web_search"]},
            {},
            "error.blind",
            "cannot tell whether web_search was called: the adapter can't see it",
        ),
        ({"order": ["web_search"]}, {}, "error.blind", "cannot tell the order of the calls: the adapter can't see it"),
        (
            {"check": lambda transcript: not transcript.called("web_search")},
            {},
            "error.check",
            'the check "a" raised UsageError: whether "web_search" was called can\'t be told: the adapter can\'t see the calls',
        ),
        (
            {"stubs": {"web_search": "s"}},
            {},
            "error.stub",
            "the stub for web_search can't reach it: the model's provider runs it, or the framework does so past its hooks",
        ),
        (
            {},
            {"unstubbed": "refuse"},
            "error.unstubbed",
            "web_search has no stub: the model's provider runs it, or the framework does so past its hooks",
        ),
    ],
    ids=["seen", "never", "order", "check", "stub", "refuse"],
)
def test_what_the_models_provider_runs_is_not_taken_for_not_called(
    case: dict[str, Any], options: dict[str, Any], kind: str | None, sentence: str | None
) -> None:
    """Its own tools are seen, and stubbed, as ever."""

    def search(query: str) -> str: ...

    def rm() -> None: ...

    made = attempt(
        lambda: brute.agent().use(ToolLoop).use(Tools, [search, rm]).run(Hosting()),
        Case("a", said="x", **case),
        **options,
    )
    assert [(each.kind, each.message) for each in made.verdict.failures] == ([(kind, sentence)] if kind else [])


@pytest.mark.parametrize(
    ("hosted", "never", "sentence"),
    [
        (("mcp", "*"), "delete_repo", "cannot tell whether delete_repo was called: the adapter can't see it"),
        (("mcp", "*"), "sea*", "cannot tell whether sea* was called: the adapter can't see it"),
        (("mcp", "*"), "search", None),
        ("web_search", "web_search", "cannot tell whether web_search was called: the adapter can't see it"),
        ({"web_search": {}}, "web_search", "cannot tell whether web_search was called: the adapter can't see it"),
        (iter(["web_search"]), "web_search", "cannot tell whether web_search was called: the adapter can't see it"),
        (True, "delete_repo", None),
    ],
    ids=["a server's", "several", "its own", "one name", "by name", "read once", "no names"],
)
def test_behind_a_server_of_the_providers_may_stand_any_tool(hosted: Any, never: str, sentence: str | None) -> None:
    """Of the agent's own it is told, and an attribute of that name that holds no names says nothing."""

    def search(query: str) -> str: ...

    class Serving(Hosting):
        pass

    Serving.hosted = hosted
    made = attempt(
        lambda: brute.agent().use(ToolLoop).use(Tools, [search]).run(Serving()), Case("a", said="x", never=[never])
    )
    assert [each.message for each in made.verdict.failures] == ([sentence] if sentence else [])
    assert lines.tools(made.transcript) == ("no tools" if hosted is True else "tools ?")
    assert ("was not seen" in record(made.case, made.transcript)) == (hosted is not True)


def test_what_the_provider_of_an_inner_agent_runs_is_not_taken_for_not_called() -> None:
    """A tool may ask a model of its own, which is known in the turn alone."""

    def ask(query: str) -> str:
        return brute.agent().run(Hosting()).start(query).messages[-1].content

    def factory() -> brute.Agent:
        return build([asks(("ask", {"query": "x"})), "done"], [ask])

    for never, sentences in (
        ("web_search", ["cannot tell whether web_search was called: the adapter can't see it"]),
        ("rm", []),
    ):
        made = attempt(factory, Case("a", said="x", never=[never]))
        assert [each.message for each in made.verdict.failures] == sentences
        assert made.transcript.counts == {"ask": 1}


def test_tools_of_several_layers_are_all_named() -> None:
    """Each layer declares its own."""

    def one() -> None: ...
    def two() -> None: ...

    assert Native(brute.agent().use(Tools, [one]).use(Tools, [two])).tools == ["one", "two"]


@pytest.mark.parametrize(
    "thing", [None, 42, "agent", brute.Agent, lambda: None], ids=["none", "number", "text", "class", "function"]
)
def test_what_is_no_agent_is_refused(thing: Any) -> None:
    """In a sentence that says what it got."""
    with pytest.raises(UsageError, match="the agent must be a brute agent"):
        adapt(thing)


def test_nor_is_it_where_a_home_made_loop_runs_the_inner_agent() -> None:
    """What is learned in the turn outlasts what the loop says of itself at its end."""

    @trace.agent(tools=["web_search"])
    async def loop(said: str) -> str:
        await brute.agent().run(Hosting()).astart(said)
        return "done"

    for wish, sentence in (
        ({"never": ["web_search"]}, "cannot tell whether web_search was called: the adapter can't see it"),
        ({"budget": Budget(tool_calls=0)}, "cannot tell tool calls spent: the adapter can't see it"),
    ):
        made = attempt(lambda: loop, Case("a", said="x", **wish))
        assert [(each.kind, each.message) for each in made.verdict.failures] == [("error.blind", sentence)]
