"""The adapter for agno keeps the contract."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio.lowlevel
import pytest

pytest.importorskip("agno.agent", reason="agno is not installed here")

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.exceptions import CheckTrigger, InputCheckError
from agno.memory import MemoryManager
from agno.team import Team
from agno.tools import Toolkit, tool

from brute import Message, ToolCall
from tests.eval.adapters.rows import ASKS, Rows, seen, tried
from tests.support.frameworks import TOOLS, ran
from tests.support.frameworks.agno import Agno, Rate, Scripted, news


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = Agno()


def team(plan: Any, members: Any, **more: Any) -> Team:
    """A team."""
    return Team(name="team", model=Scripted(plan), members=members, telemetry=False, **more)


ASKS_OTHER = [("delegate_task_to_member", {"member_id": "other", "task": "rates"})]


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_team_and_its_members_are_seen_and_stubbed(stubbed: bool) -> None:
    """A member is an inner agent, and what it is asked is a call."""
    other = news(Scripted([ASKS, "found"]), TOOLS, name="other")
    made = tried(team([ASKS_OTHER, "done"], [other]), stubs={"search": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert seen(made) == [
        ("delegate_task_to_member", None, "ran"),
        ("search", "other", "stubbed" if stubbed else "ran"),
    ]
    assert (made.transcript.iterations, made.transcript.tokens, bool(ran)) == (4, 48, not stubbed)
    assert "found" in str(made.transcript.calls[0].result)


def test_a_member_can_be_stubbed_itself() -> None:
    """Then it does not run."""
    model = Scripted([ASKS, "found"])
    made = tried(
        team([ASKS_OTHER, "done"], [news(model, TOOLS, name="other")]), stubs={"delegate_task_to_member": "4.25%"}
    )
    assert (made.status, made.transcript.reply) == ("passed", "done")
    assert (seen(made), model.shown) == ([("delegate_task_to_member", None, "stubbed")], [])


def test_a_team_in_a_team_with_tools_of_its_own_is_seen_and_stubbed() -> None:
    """To whatever depth."""
    deep = news(Scripted([ASKS, "found"]), TOOLS, name="deep")
    middle = Team(
        name="other",
        model=Scripted(
            [[("lookup", {"word": "x"})], [("delegate_task_to_member", {"member_id": "deep", "task": "x"})], "up"]
        ),
        members=[deep],
        tools=[TOOLS[1]],
        telemetry=False,
    )
    made = tried(team([ASKS_OTHER, "done"], [middle]), stubs={"search": "canned", "lookup": "canned"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert [(name, agent) for name, agent, _ in seen(made)] == [
        ("delegate_task_to_member", None),
        ("lookup", "other"),
        ("delegate_task_to_member", "other"),
        ("search", "deep"),
    ]


@pytest.mark.parametrize("stub", [None, "canned", ValueError("no")], ids=repr)
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_a_tool_that_answers_in_parts_is_seen_and_stubbed(stub: Any, asynchronous: bool) -> None:
    """Its parts are one result."""

    def parts(word: str) -> Iterator[str]:
        """Answer bit by bit."""
        ran.append(("parts", word))
        yield "half "
        yield f"whole {word}"

    async def aparts(word: str) -> AsyncIterator[str]:
        """Answer bit by bit."""
        for part in parts(word):
            yield part

    aparts.__name__ = "parts"
    agent = news(Scripted([[("parts", {"word": "x"})], "done"]), [aparts if asynchronous else parts])
    made = tried(agent, stubs={} if stub is None else {"parts": stub})
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, bool(ran)) == ("passed", "done", stub is None)
    assert call.result == {str: "canned", type(None): "half whole x"}.get(type(stub))


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_what_a_tool_has_around_it_fires(stubbed: bool) -> None:
    """Its own hooks, those of a toolkit's too; and it is given what agno gives."""

    @tool(
        pre_hook=lambda fc: heard.append(f"before {fc.function.name}"),
        post_hook=lambda fc: heard.append(f"after {fc.result}"),
    )
    def whose(word: str, agent: Agent) -> str:
        """Say whose a word is."""
        ran.append(("whose", word))
        return f"{word} of {agent.name}"

    heard: list[str] = []
    made = tried(
        news(Scripted([[("whose", {"word": "x"})], "done"]), [Toolkit(name="words", tools=[whose])]),
        stubs={"whose": "mine"} if stubbed else {},
    )
    (call,) = made.transcript.calls
    answer = "mine" if stubbed else "x of news"
    assert (made.status, call.arguments, call.result, bool(ran)) == ("passed", {"word": "x"}, answer, not stubbed)
    assert heard == ["before whose", f"after {answer}"]


@pytest.mark.parametrize(("name", "asynchronous"), [("search", True), ("lookup", True), ("lookup", False)])
def test_hooks_of_either_kind_around_tools_of_either_kind(name: str, asynchronous: bool) -> None:
    """A tool that blocks is stubbed on the loop's own thread too, where a hook that is async brings it there."""
    heard: list[str] = []

    def hook(function_name: str, function_call: Any, arguments: Any) -> Any:
        heard.append(function_name)
        return function_call(**arguments)

    async def ahook(function_name: str, function_call: Any, arguments: Any) -> Any:
        heard.append(function_name)
        return await function_call(**arguments)

    given = {"query": "x"} if name == "search" else {"word": "x"}

    async def later(**given: Any) -> str:
        await anyio.lowlevel.checkpoint()
        return "later"

    for stubs, answer in (
        ({}, "live x" if name == "search" else "looked up x"),
        ({name: "canned"}, "canned"),
        ({name: later}, "later"),
    ):
        agent = news(Scripted([[(name, given)], "done"]), TOOLS, tool_hooks=[ahook if asynchronous else hook])
        made = tried(agent, stubs=stubs)
        assert (made.status, made.verdict.failures, made.transcript.calls[0].result) == ("passed", (), answer)
    assert (heard, len(ran)) == ([name] * 3, 1)


@pytest.mark.parametrize("stubs", [{}, {"search": "canned"}], ids=["real", "stubbed"])
def test_a_hook_of_the_users_that_forbids_a_call_has_its_way(stubs: Any) -> None:
    """The tool does not run, and no stub is served."""

    async def forbids(function_name: str, function_call: Any, arguments: Any) -> Any:
        raise PermissionError("not today")

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, tool_hooks=[forbids]), stubs=stubs)
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, ran) == ("passed", "done", [])
    assert (call.result, "not today" in str(call.error)) == (None, True)


def test_a_hook_of_the_users_that_answers_a_call_has_its_way() -> None:
    """Its answer is what the model reads; where the tool has a stub, nobody knows whether it ran."""

    async def cached(function_name: str, function_call: Any, arguments: Any) -> Any:
        return "cached"

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, tool_hooks=[cached]))
    assert (made.status, seen(made), made.transcript.reply, ran) == ("passed", [("search", None, "ran")], "done", [])
    made = tried(news(Scripted([ASKS, "done"]), TOOLS, tool_hooks=[cached]), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.stub")


def test_a_call_that_somebody_must_approve_stops_the_turn() -> None:
    """As it pauses a run of agno."""

    @tool(requires_confirmation=True)
    def pay(amount: int) -> str:
        """Pay somebody."""
        ran.append(("pay", amount))
        return "paid"

    made = tried(news(Scripted([[("pay", {"amount": 1})], "done"]), [pay]))
    assert (ran, made.transcript.stopped, [call.name for call in made.transcript.calls]) == ([], "approval", ["pay"])


def test_a_stub_is_not_kept_for_the_next_run(tmp_path: Path) -> None:
    """Though the tool keeps its results; nor is a kept one served in its place."""

    @tool(cache_results=True, cache_dir=str(tmp_path))
    def price(word: str) -> str:
        """Say what it costs."""
        ran.append(("price", word))
        return "dear"

    plan = [[("price", {"word": "x"})], "done"]
    for stubs, answer in (({"price": "cheap"}, "cheap"), ({}, "dear"), ({"price": "cheap"}, "cheap"), ({}, "dear")):
        made = tried(news(Scripted(plan), [price]), stubs=stubs)
        assert (made.status, made.transcript.calls[0].result) == ("passed", answer)
    assert ran == [("price", "x")] * 2
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize("how", ["arun", "run", "stream", "astream"])
def test_a_models_answer_is_neither_kept_nor_taken_from_what_was_kept(how: str, tmp_path: Path) -> None:
    """It may rest on a stub; and one that was kept would be a turn in which nothing was asked or called."""

    def kept() -> Agent:
        model = Scripted([ASKS_WORD, "done"], cache_response=True, cache_dir=str(tmp_path))
        return news(model, [TOOLS[1]], name="inner")

    async def ask(question: str) -> str:
        """Ask."""
        if how == "astream":
            return str([part async for part in kept().arun(question, stream=True)][-1].content)
        return str((await kept().arun(question)).content)

    def blocks(question: str) -> str:
        """Ask."""
        if how == "stream":
            return str([*kept().run(question, stream=True)][-1].content)
        return str(kept().run(question).content)

    blocks.__name__ = "ask"
    plan = [[("ask", {"question": "rates"})], "done"]

    def agent() -> Agent:
        return kept() if how == "arun" else news(Scripted(plan), [ask if how == "astream" else blocks, TOOLS[1]])

    calls = 1 if how == "arun" else 2
    made = tried(agent(), stubs={"lookup": "canned"})
    assert (made.status, len(made.transcript.calls), [*tmp_path.iterdir()]) == ("passed", calls, [])
    asyncio.run(ask("rates")) if how in ("arun", "astream") else blocks("rates")
    assert (ran, len([*tmp_path.iterdir()])) == ([("lookup", "x")], 1)
    made = tried(agent(), never=["lookup"])
    assert (made.status, made.transcript.iterations, len(made.transcript.calls)) == ("failed", 2 * calls, calls)


ASKS_WORD = [("lookup", {"word": "x"})]


@pytest.mark.parametrize("plan", [[""], ["saved"], [[("add_memory", {"memory": "tea", "topics": ["t"]})], ""]])
def test_the_reply_is_the_runs_whatever_a_model_of_its_memory_says(plan: Any) -> None:
    """Even nothing."""
    memory = MemoryManager(model=Scripted(plan))
    more = {"db": InMemoryDb(), "update_memory_on_run": True, "memory_manager": memory}
    made = tried(news(Scripted(["the answer"]), TOOLS, **more))
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "the answer")


@pytest.mark.parametrize("how", ["run", "stream", "astream"])
def test_an_inner_agent_is_seen_however_it_is_run(how: str) -> None:
    """By code that blocks, or part by part; who takes the parts is not in its turn."""
    inner = news(Scripted([ASKS, "found"]), TOOLS[1:], name="inner")
    inner.tools = [TOOLS[1]]
    inner.model = Scripted([[("lookup", {"word": "x"})], "found"])

    def ask(question: str) -> str:
        """Ask."""
        if how == "run":
            return str(inner.run(question).content)
        return "".join(str(part.content or "") for part in inner.run(question, stream=True) if hasattr(part, "content"))

    async def aask(question: str) -> str:
        """Ask."""
        return "".join(
            [str(part.content or "") async for part in inner.arun(question, stream=True) if hasattr(part, "content")]
        )

    aask.__name__ = "ask"
    plan = [[("ask", {"question": "rates"})], [("lookup", {"word": "y"})], "done"]
    made = tried(news(Scripted(plan), [aask if how == "astream" else ask, TOOLS[1]]), stubs={"lookup": "canned"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert seen(made) == [("ask", None, "ran"), ("lookup", "inner", "stubbed"), ("lookup", None, "stubbed")]
    assert (made.transcript.iterations, made.transcript.tokens, "found" in made.transcript.calls[0].result) == (
        5,
        60,
        True,
    )


def test_what_a_guardrail_raises_has_its_own_type_and_words() -> None:
    """Though agno makes a run of it that has an error."""

    def forbids(run_input: Any) -> None:
        raise InputCheckError("not a word", check_trigger=CheckTrigger.INPUT_NOT_ALLOWED)

    made = tried(news(Scripted(["never"]), TOOLS, pre_hooks=[forbids]))
    assert (made.status, made.verdict.failures[0].message) == ("failed", "the turn raised InputCheckError: not a word")


def test_calls_beyond_the_limit_are_refused_as_in_the_framework() -> None:
    """They are seen, and did not run."""
    agent = news(Scripted([ASKS, ASKS, "done"]), TOOLS, tool_call_limit=1)
    made = tried(agent)
    assert (made.status, [call.outcome for call in made.transcript.calls], len(ran)) == ("passed", ["ran", "failed"], 1)


def test_structured_output_beside_tools_is_the_reply() -> None:
    """As JSON text."""
    plan = [ASKS, '{"city": "London", "rate": 4.25}']
    made = tried(news(Scripted(plan), TOOLS, output_schema=Rate), stubs={"search": "canned"})
    assert (made.status, made.transcript.reply) == ("passed", '{"city":"London","rate":4.25}')


def test_what_the_provider_runs_can_not_be_told() -> None:
    """agno hands on nothing of it."""
    for agent in (Agno().hosted(), news(Scripted(["done"], search=True), TOOLS)):
        made = tried(agent, never=["lookup"])
        assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)


def test_a_thread_that_is_left_in_a_tool_is_named() -> None:
    """And calls nothing when it comes out."""
    go = threading.Event()
    inner = news(Scripted([[("lookup", {"word": "x"})], "found"]), [TOOLS[1]], name="inner")
    over = threading.Event()

    def waits(word: str) -> str:
        """Wait."""
        go.wait(30)
        try:
            return str(inner.run("x").content)
        finally:
            over.set()

    made = tried(news(Scripted([[("waits", {"word": "x"})], "done"]), [waits]), deadline=0.3)
    assert (made.status, made.left_behind) == ("failed", True)
    assert made.verdict.failures[0].message == "stopped after 0.3 seconds; still in tool waits"
    assert made.transcript.notes[-1] == "left behind, still running: tool waits"
    go.set()
    assert over.wait(10)
    assert (ran, inner.model.shown) == ([], [])  # type: ignore[union-attr]


def test_a_conversation_with_calls_in_it_is_handed_over() -> None:
    """As agno has it."""
    asked = ToolCall(name="search", arguments={"query": "x"}, id="c1")
    talk = [
        Message(role="user", content="rates?"),
        Message(role="assistant", content="", tool_calls=(asked,)),
        Message(role="tool", content="4.25%", tool_call_id="c1"),
        Message(role="assistant", content="4.25%"),
    ]
    agent = news(Scripted(["done"]), TOOLS)
    made = tried(agent, conversation=talk, said="sure?")
    (shown,) = agent.model.shown  # type: ignore[union-attr]
    assert (made.status, made.transcript.reply, made.transcript.names) == ("passed", "done", [])
    assert [message.role for message in shown] == ["user", "assistant", "tool", "assistant", "user"]
    assert shown[1].tool_calls[0]["function"] == {"name": "search", "arguments": '{"query": "x"}'}


def test_outside_a_turn_nothing_changes() -> None:
    """Tools run, streams stream, and whoever told agno of runs does so again."""
    agent = news(Scripted([ASKS, "done"]), TOOLS)
    agent.telemetry = True
    tried(agent, stubs={"search": "canned"})
    assert agent.telemetry
    agent.telemetry = False

    async def go() -> str:
        parts = [str(part.content or "") async for part in agent.arun("hello", stream=True) if hasattr(part, "content")]
        return f"{(await agent.arun('hello')).content} {''.join(parts)}"

    assert asyncio.run(go()) == "done done"
    blocks = news(Scripted([[("lookup", {"word": "x"})], "done"]), [TOOLS[1]])
    assert blocks.run("hello").content == "done"
    assert ran == [("search", "bank")] * 2 + [("lookup", "x")]


@pytest.mark.parametrize("stubbed", [False, True])
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("hooked", [False, True])
def test_what_agno_gives_by_type_comes_and_a_hook_sees_the_annotations(
    hooked: bool, asynchronous: bool, stubbed: bool
) -> None:
    """The double of a tool leaves out plain types alone, and none where somebody may look at them."""
    got: list[Any] = []
    seen: list[Any] = []

    def plain(word: str, owner: Agent, count: int = 1) -> str:
        """Look a word up."""
        got.append((word, owner, count))
        return "4.25%"

    async def waited(word: str, owner: Agent, count: int = 1) -> str:
        """Look a word up."""
        return plain(word, owner, count)

    one: Any = waited if asynchronous else plain
    one.__name__ = "look"
    one.__annotations__ = {"word": str, "owner": Agent, "count": int, "return": str}

    def before(fc: Any) -> None:
        seen.append(dict(fc.function.entrypoint.__annotations__))

    made: Any = tool(pre_hook=before)(one) if hooked else one
    agent = news(Scripted([[("look", {"word": "rate"})], "done"]), [made])
    result = tried(agent, stubs={"look": "stub"} if stubbed else {})
    assert result.transcript.reply == "done"
    assert [call.outcome for call in result.transcript.calls] == ["stubbed" if stubbed else "ran"]
    assert got == ([] if stubbed else [("rate", agent, 1)])
    if hooked:
        assert [set(each) >= {"word", "owner", "count"} for each in seen] == [True]
