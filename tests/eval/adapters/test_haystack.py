"""The adapter for Haystack keeps the contract."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import itertools
import os
import threading
from typing import Any

import pytest

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # before it is imported
pytest.importorskip("haystack", reason="haystack is not installed here")

from haystack import Pipeline, SuperComponent, component
from haystack.components.agents import Agent, State
from haystack.components.agents.state import replace_values
from haystack.components.generators.chat import FallbackChatGenerator, OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.hooks import hook
from haystack.tools import ComponentTool, SearchableToolset, Toolset, create_tool_from_function
from haystack.tools import Tool as HaystackTool
from haystack.utils import Secret

from brute import Message, UsageError
from brute.eval import Case
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows, seen, tried
from tests.support.agents import report
from tests.support.cassettes import Fault, serve
from tests.support.frameworks import TOOLS, in_bare_thread, mcp_command, ran
from tests.support.frameworks.haystack import Blocking, Haystack, Scripted, news


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = Haystack()


def by_name(name: str) -> HaystackTool:
    """One of the tools of the tests, as Haystack has it."""
    return next(create_tool_from_function(each) for each in TOOLS if each.__name__ == name)


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_generator_that_is_not_async_is_seen(stubbed: bool) -> None:
    """It runs in a thread."""
    plan = [[("search", {"query": "a"}), ("lookup", {"word": "b"})], "done"]
    made = tried(news(Blocking(plan), TOOLS), stubs={"search": "canned", "lookup": "word"} if stubbed else {})
    outcome = "stubbed" if stubbed else "ran"
    assert (made.status, made.verdict.failures, made.transcript.tokens) == ("passed", (), 24)
    assert seen(made) == [("search", None, outcome), ("lookup", None, outcome)]
    assert [call.id for call in made.transcript.calls] == ["c00", "c01"]
    assert sorted(ran) == ([] if stubbed else [("lookup", "b"), ("search", "a")])


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_an_agent_that_a_tool_runs_blocking_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its tools run in threads of the framework's; it is called what the tool is, having no name of its own."""
    inner = news(Blocking([[("lookup", {"word": "x"}), ("fetch", {})], "found"]), [by_name("lookup")])

    def ask(question: str) -> str:
        """Ask the other agent."""
        return str(inner.run([ChatMessage.from_user(question)])["last_message"].text)

    agent = news(Scripted([[("ask", {"question": "rates"})], "done"]), [ask])
    made = tried(agent, stubs={"lookup": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert sorted(seen(made)) == [
        ("ask", None, "ran"),
        ("fetch", "ask", "failed"),
        ("lookup", "ask", "stubbed" if stubbed else "ran"),
    ]
    assert (ran, made.transcript.calls[0].result) == ([] if stubbed else [("lookup", "x")], "found")
    assert made.transcript.iterations == 4


@pytest.mark.parametrize("stub", [None, "canned", ValueError("no")], ids=repr)
def test_an_agent_that_is_a_component_tool_is_seen_and_stubbed(stub: Any) -> None:
    """What it answers is what it said; a stub's text is that too."""
    inner = news(Scripted([ASKS, "found"]), TOOLS)
    told = {"source": "last_message", "handler": lambda message: f"<{message.text}>"}
    tool = ComponentTool(inner, name="research", description="Research.", outputs_to_string=told)
    said = [{"role": "user", "content": "rates"}]
    agent = news(Scripted([[("research", {"messages": said})], "done"]), [tool])
    made = tried(agent, stubs={} if stub is None else {"research": stub})
    assert (made.status, made.transcript.reply, bool(ran)) == ("passed", "done", stub is None)
    shown = Haystack().results(agent)[0][0]
    if stub is None:
        assert seen(made) == [("research", None, "ran"), ("search", "research", "ran")]
        assert (made.transcript.calls[0].result, shown) == ("found", "<found>")
    elif stub == "canned":
        assert (seen(made), shown) == ([("research", None, "stubbed")], "<canned>")
    else:
        assert "Failed to invoke Tool `research`" in shown


@pytest.mark.parametrize("blocking", [False, True], ids=["async", "blocking"])
def test_what_a_tool_invokes_itself_is_seen_and_stubbed(blocking: bool) -> None:
    """Whichever way, and also where it calls what the model asked for beside it."""
    look, ask = by_name("lookup"), by_name("search")

    def twice(word: str) -> str:
        """Call another tool."""
        return str(look.invoke(word=word))

    async def twice_async(word: str) -> str:
        """Call another tool."""
        return str(await ask.invoke_async(query=word))

    given = HaystackTool(
        "twice",
        "Call another tool.",
        {"type": "object", "properties": {"word": {"type": "string"}}},
        **{"function": twice} if blocking else {"async_function": twice_async},
    )
    name = "lookup" if blocking else "search"
    plan = [[("twice", {"word": "x"}), (name, {"word": "x"} if blocking else {"query": "x"})], "done"]
    made = tried(news(Scripted(plan), [given, look, ask]), stubs={name: "canned"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert sorted(seen(made)) == sorted([("twice", None, "ran"), (name, None, "stubbed"), (name, None, "stubbed")])
    assert [call.result for call in made.transcript.calls] == ["canned"] * 3
    assert next(call.id for call in made.transcript.calls if call.name == "twice") == "c00"


class Own(HaystackTool):
    """A tool that is invoked in its own way."""

    def invoke(self, **given: Any) -> Any:
        """Count, and do as every tool does."""
        ran.append(("own", given))
        return super().invoke(**given)

    async def invoke_async(self, **given: Any) -> Any:
        """Do it all by itself."""
        ran.append(("own", given))
        return "its own way"


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_that_is_invoked_in_its_own_way_is_seen_once_and_stubbed(stubbed: bool) -> None:
    """Its own code does not run under a stub; an agent that blocks comes to it as well."""

    def look(word: str) -> str:
        return f"looked up {word}"

    schema = {"type": "object", "properties": {"word": {"type": "string"}}}
    own = Own("look", "Look.", schema, function=look)
    inner = news(Blocking([[("look", {"word": "in"})], "found"]), [own])

    def ask(question: str) -> str:
        """Ask the other agent."""
        return str(inner.run([ChatMessage.from_user(question)])["last_message"].text)

    agent = news(Scripted([[("look", {"word": "out"})], [("ask", {"question": "x"})], "done"]), [own, ask])
    made = tried(agent, stubs={"look": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    outcome = "stubbed" if stubbed else "ran"
    assert seen(made) == [("look", None, outcome), ("ask", None, "ran"), ("look", "ask", outcome)]
    assert [call.result for call in made.transcript.calls if call.name == "look"] == (
        ["canned"] * 2 if stubbed else ["its own way", "looked up in"]
    )
    assert len(ran) == (0 if stubbed else 2)


def test_a_tool_that_an_inner_agent_has_too_is_seen_there() -> None:
    """Although it runs inside a call of itself."""
    inner = news(Scripted([[("ask", {"question": "deep"})], "found"]), [])

    async def ask(question: str) -> str:
        """Ask the other agent, once."""
        ran.append(("ask", question))
        if question == "deep":
            return "deepest"
        return str((await inner.run_async([ChatMessage.from_user(question)]))["last_message"].text)

    tool = create_tool_from_function(ask)
    inner.tools = [tool]
    made = tried(news(Scripted([[("ask", {"question": "x"})], "done"]), [tool]))
    assert (made.status, seen(made)) == ("passed", [("ask", None, "ran"), ("ask", "ask", "ran")])
    assert [call.result for call in made.transcript.calls] == ["found", "deepest"]


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_that_reads_and_writes_the_state_does_so_under_a_stub_too(stubbed: bool) -> None:
    """What the framework hands over is none of the call's arguments."""

    def pay(amount: int, state: State, who: str = "nobody") -> dict[str, Any]:
        """Pay somebody."""
        ran.append(("pay", (amount, who, state.get("who"))))
        return {"paid": amount}

    pay.__annotations__["state"] = State  # which the oldest ones don't know by its name
    schema = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    ways: Any = {"inputs_from_state": {"who": "who"}, "outputs_to_state": {"total": {"source": "paid"}}}
    tool = HaystackTool("pay", "Pay somebody.", schema, function=pay, **ways)
    kept: list[Any] = []

    @hook
    def note(state: State) -> None:
        kept.append(state.get("total"))

    def agent(given: Any) -> Any:
        return news(
            Scripted([[("pay", given)], "done"]),
            [tool],
            state_schema={"who": {"type": str}, "total": {"type": int}},
            hooks={"after_tool": [note]},
        )

    made = tried(agent({"amount": 3}), stubs={"pay": {"paid": 5}} if stubbed else {})
    (call,) = made.transcript.calls
    assert (made.status, call.arguments, call.executed) == ("passed", {"amount": 3}, {"amount": 3})
    assert (ran, kept) == ([], [5]) if stubbed else ([("pay", (3, "nobody", None))], [3])
    made = tried(agent({}), stubs={"pay": {"paid": 5}} if stubbed else {})
    (call,) = made.transcript.calls
    assert (call.result, "missing 1 required positional" in str(call.error)) == (None, True)


def test_a_stub_is_held_to_the_tools_schema() -> None:
    """By the harness, since the framework itself checks nothing."""
    agent = news(Scripted([[("lookup", {"word": 5})], "done"]), TOOLS)
    made = tried(agent, stubs={"lookup": "canned"})
    assert (made.transcript.calls[0].result, made.transcript.calls[0].error is not None, ran) == (None, True, [])


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_tools_that_are_found_by_searching_for_them_are_seen_and_stubbed(stubbed: bool) -> None:
    """A stub for one that may be found is no stub for nothing."""
    plan = [[("search_tools", {"tool_keywords": "look word"})], [("lookup", {"word": "x"})], "done"]

    def agent() -> Any:
        held = SearchableToolset(catalog=[by_name("lookup"), by_name("breaks")], search_threshold=1)
        return Agent(chat_generator=Scripted(plan), tools=held)

    made = tried(agent(), stubs={"lookup": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures, bool(ran)) == ("passed", (), not stubbed)
    assert seen(made) == [("search_tools", None, "ran"), ("lookup", None, "stubbed" if stubbed else "ran")]
    made = tried(agent(), stubs={"lokup": "canned"})
    assert (made.status, 'did you mean "lookup"' in made.verdict.failures[0].message) == ("error", True)


@pytest.mark.parametrize("error", [False, True], ids=["answers", "refuses"])
def test_a_hook_of_the_users_that_answers_a_call_has_its_way(error: bool) -> None:
    """The tool does not run, and no stub is served."""

    @hook
    def cached(state: State) -> None:
        *before, last = state.data["messages"]
        told = [ChatMessage.from_tool("cached", call, error=error) for call in last.tool_calls]
        state.set("messages", [*before, last, *told], handler_override=replace_values)

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, hooks={"before_tool": [cached]}), stubs={"search": "canned"})
    assert (ran, made.transcript.reply, made.transcript.names) == ([], "done", ["search"])
    assert (made.transcript.calls[0].result, made.status) == (None, "passed" if error else "error")


def test_a_hook_of_the_users_that_changes_a_call_has_its_way() -> None:
    """It stays the call that was asked for, by its id."""

    @hook
    def other(state: State) -> None:
        *before, last = state.data["messages"]
        calls = [dataclasses.replace(call, arguments={"query": "changed"}) for call in last.tool_calls[:1]]
        told = ChatMessage.from_assistant(tool_calls=[*calls, *last.tool_calls[1:]])
        state.set("messages", [*before, told], handler_override=replace_values)

    plan = [[("search", {"query": "a"}), ("search", {"query": "b"})], "done"]
    made = tried(news(Scripted(plan), TOOLS, hooks={"before_tool": [other]}))
    assert sorted(ran) == [("search", "b"), ("search", "changed")]
    assert [(call.id, call.result) for call in made.transcript.calls] == [("c00", "live changed"), ("c01", "live b")]


def test_an_agent_that_ends_with_a_tool_answers_with_its_result() -> None:
    """One whose steps were used up has not answered."""
    agent = news(Scripted([[("lookup", {"word": "x"}), ("search", {"query": "y"})], "never"]), TOOLS)
    agent.exit_conditions = ["lookup"]
    assert tried(agent, stubs={"lookup": "canned"}).transcript.reply == "canned"
    agent = news(Scripted([ASKS, "never"]), TOOLS, max_agent_steps=1)
    assert tried(agent).transcript.reply == ""


def test_a_call_of_a_batch_that_ends_the_turn_leaves_none_running() -> None:
    """Not even one that was under way."""
    ended: list[str] = []

    async def slow(query: str) -> str:
        """Take all day."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append(query)
            raise
        return "never"

    plan = [[("slow", {"query": "x"}), ("search", {"query": "y"})], "done"]
    made = tried(news(Scripted(plan), [slow, *TOOLS]), stubs={"search": lambda query: 1 / 0})
    assert (made.status, made.verdict.failures[0].kind, ended) == ("error", "error.stub", ["x"])


def test_what_a_tool_asks_a_model_is_seen_as_its_own() -> None:
    """And not in the agent's conversation."""
    other = Scripted(["an answer"])

    async def think(question: str) -> str:
        """Ask a model."""
        made = await other.run_async(messages=[ChatMessage.from_user(question)])
        return str(made["replies"][0].text)

    made = tried(news(Scripted([[("think", {"question": "x"})], "done"]), [think]))
    assert (made.status, made.transcript.tokens, made.transcript.calls[0].result) == ("passed", 36, "an answer")
    assert "an answer" not in [each.content for each in made.transcript.messages if each.role == "assistant"]


def test_a_tool_that_raises_where_that_ends_the_run_does_so_by_its_own_name() -> None:
    """As the agent was told to."""
    agent = news(Scripted([[("breaks", {})], "sorry"]), TOOLS, raise_on_tool_invocation_failure=True)
    made = tried(agent)
    assert (made.status, made.verdict.failures[0].message) == ("failed", "the turn raised OSError: down")


def test_what_is_streamed_is_streamed() -> None:
    """The results of tools, stubbed ones too."""
    heard: list[str] = []

    async def hear(chunk: Any) -> None:
        heard.extend([chunk.tool_call_result.result] if chunk.tool_call_result else [])

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, streaming_callback=hear), stubs={"search": "canned"})
    assert (made.status, made.transcript.tokens, heard) == ("passed", 24, ["canned"])


def test_a_generator_that_asks_others_is_asked_once() -> None:
    """Its tokens count once."""
    fallback = FallbackChatGenerator([Scripted(["raise"]), Scripted(["done"])])
    made = tried(news(fallback, []))
    assert (made.transcript.iterations, made.transcript.tokens, made.transcript.reply) == (1, 12, "done")


def test_what_the_provider_runs_can_not_be_told() -> None:
    """Haystack hands on nothing of it."""
    made = tried(Haystack().hosted(), never=["search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    assert adapt(Haystack().agent(["hi"])).blind == []  # type: ignore[attr-defined]


def test_calls_of_an_agent_without_tools_are_seen() -> None:
    """None of them runs."""
    made = tried(news(Scripted([ASKS]), []), never=["search"])
    assert (made.status, seen(made), made.verdict.failures[0].kind) == (
        "failed",
        [("search", None, "failed")],
        "call.forbidden",
    )


def test_an_agent_that_needs_more_than_messages_is_refused() -> None:
    """It names what."""
    agent = news(Scripted(["hi"]), [], user_prompt="Tell me about {{ city }}.")
    with pytest.raises(UsageError, match="gives an Agent of Haystack its messages alone, and this one also needs city"):
        adapt(agent)


@pytest.mark.filterwarnings("ignore:ping is removed")  # which the framework sends all the same
def test_attempts_that_share_an_agent_share_its_server(tmp_path: Any) -> None:
    """The last of them closes it, and the next opens it again."""
    agent = Haystack().mcp([ASKS, "done"], mcp_command(tmp_path / "notes"))
    cases = [Case(f"case {n}", said="hello", stubs={"search": f"{n}"}) for n in range(6)]
    for _ in range(2):
        made = report(agent, cases, jobs=3)
        assert [each.verdict.failures for each in made.attempts] == [()] * 6
        assert [call.result for each in made.attempts for call in each.transcript.calls] == [f"{n}" for n in range(6)]
        assert agent.tools._worker is None
    made = report(agent, [Case("live", said="hello")])
    assert "live bank" in str(made.attempts[0].transcript.calls[0].result)


def test_outside_a_turn_nothing_changes() -> None:
    """Tools run, whichever way."""
    tried(news(Scripted(["hi"]), []))
    agent = news(Blocking([[("lookup", {"word": "x"})], "done"]), TOOLS)
    assert asyncio.run(Haystack().run(agent, "hello")) == "done"
    assert agent.run([ChatMessage.from_user("hello")])["last_message"].text == "done"
    assert ran == [("lookup", "x")] * 2


@component
class Worded:
    """A component of the user's own, which puts what was said in other words."""

    @component.output_types(messages=list[ChatMessage])
    def run(self, text: str) -> dict[str, Any]:
        """The messages."""
        if text == "raise":
            raise KeyError("plan")
        return {"messages": [ChatMessage.from_user(f"asked: {text}")]}


def piped(*parts: tuple[str, Any], **more: Any) -> Pipeline:
    """A pipeline of components, each handing its messages to the next."""
    made = Pipeline(**more)
    for name, part in parts:
        made.add_component(name, part)
    for (one, _), (other, part) in itertools.pairwise(parts):
        made.connect(f"{one}.{'replies' if other == 'agent' and one == 'llm' else 'messages'}", f"{other}.messages")
    return made


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_pipeline_with_an_agent_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its agent is the turn's own."""
    agent = news(Scripted([[("search", {"query": "a"}), ("lookup", {"word": "b"})], "done"]), TOOLS)
    stubs = {"search": "canned", "lookup": "word"} if stubbed else {}
    made = tried(piped(("words", Worded()), ("agent", agent)), stubs=stubs)
    outcome = "stubbed" if stubbed else "ran"
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert seen(made) == [("search", None, outcome), ("lookup", None, outcome)]
    assert (agent.chat_generator.shown[0][0].text, bool(ran)) == ("asked: hello", not stubbed)
    assert (made.transcript.iterations, made.transcript.tokens) == (2, 24)


def test_a_pipeline_of_several_agents_is_seen_and_stubbed() -> None:
    """Those after the first are inner agents, called what their components are; so is a generator beside them."""
    first, second = news(Scripted(["", "found"]), []), news(Blocking(["", "", ASKS, "done"]), TOOLS)
    made = tried(
        piped(("llm", Scripted(["thought"])), ("agent", first), ("second", second)),
        stubs={"search": "canned"},
        conversation=[Message(role="user", content="hi"), Message(role="assistant", content="yes?")],
    )
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert (seen(made), made.transcript.tokens, ran) == ([("search", "second", "stubbed")], 48, [])
    assert "thought" not in [each.content for each in made.transcript.messages if each.role == "assistant"]


def test_a_pipeline_in_a_super_component_is_seen_and_stubbed() -> None:
    """As one with a single input."""

    def whole() -> Pipeline:
        inside = piped(("words", Worded()), ("agent", news(Scripted([ASKS, "done"]), TOOLS)))
        ways: Any = {
            "input_mapping": {"query": ["words.text"]},
            "output_mapping": {"agent.last_message": "last_message"},
        }
        return piped(("all", SuperComponent(inside, **ways)))

    made = tried(whole(), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert [(call.name, call.outcome) for call in made.transcript.calls] == [("search", "stubbed")]
    made = tried(whole(), stubs={"serch": "canned"})
    assert 'did you mean "search"' in made.verdict.failures[0].message


def test_attempts_may_share_a_pipeline() -> None:
    """Nothing crosses over."""
    one = piped(("words", Worded()), ("agent", news(Scripted([ASKS, "done"]), TOOLS)))
    cases = [Case(f"case {n}", said=f"{n}", stubs={"search": f"canned {n}"}) for n in range(50)]
    made = report(one, cases, jobs=50)
    assert [each.verdict.failures for each in made.attempts] == [()] * 50
    assert [call.result for each in made.attempts for call in each.transcript.calls] == [
        f"canned {n}" for n in range(50)
    ]
    assert ran == []


def test_what_a_pipeline_raises_has_its_own_type_and_words() -> None:
    """Be it a component, or the model of an agent."""
    for said, plan in (("raise", ["done"]), ("hello", ["raise"])):
        made = tried(piped(("words", Worded()), ("agent", news(Scripted(plan), []))), said=said)
        assert (made.status, made.verdict.failures[0].message) == ("failed", "the turn raised KeyError: 'plan'")
    made = tried(piped(("words", Worded()), ("agent", news(Scripted(["down"]), []))))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.model")


def test_the_deadline_leaves_nothing_of_a_pipeline_running() -> None:
    """Its agent is cancelled inside its tool."""
    agent = news(Scripted([[("search", {"query": "hangs"})], "done"]), TOOLS)
    made = tried(piped(("words", Worded()), ("agent", agent)), deadline=0.3)
    assert (made.status, made.left_behind) == ("failed", False)
    assert made.verdict.failures[0].message == "stopped after 0.3 seconds; still in tool search"


def test_a_pipeline_that_starts_with_a_text_takes_no_conversation() -> None:
    """It is an error."""
    agent = piped(("words", Worded()), ("agent", news(Scripted(["done"]), [])))
    made = tried(agent, conversation=[Message(role="user", content="hi"), Message(role="assistant", content="yes?")])
    assert (made.status, "takes no conversation" in made.verdict.failures[0].message) == ("error", True)


def test_a_pipeline_that_needs_more_than_one_input_is_refused() -> None:
    """It names them, and what to do."""
    made = Pipeline()
    made.add_component("words", Worded())
    made.add_component("agent", news(Scripted(["hi"]), []))
    with pytest.raises(UsageError, match=r"one input, and this one needs words\.text and agent\.messages: map them"):
        adapt(made)


def test_a_pipeline_whose_reply_can_not_be_told_is_an_error() -> None:
    """Two of its last components answered."""
    made = Pipeline()
    made.add_component("words", Worded())
    for name in ("one", "two"):
        made.add_component(name, news(Scripted(["hi"]), []))
        made.connect("words.messages", f"{name}.messages")
    attempt = tried(made)
    assert attempt.status == "error"
    assert "cannot tell what the Pipeline of Haystack replied: 2 of its last components (one, two)" in (
        attempt.verdict.failures[0].message
    )


@component
class Keeps:
    """A component of the user's own, which has tools and invokes one by itself."""

    def __init__(self, tools: Any, lost: bool) -> None:
        self.kept, self.lost = tools, lost

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        """What the tool answers."""
        tool = next(each for each in haystack_tools(self.kept) if getattr(each, "name", "") == "lookup")

        def go() -> Any:
            return tool.invoke(word="x")

        said = in_bare_thread(go) if self.lost else go()
        return {"replies": [ChatMessage.from_assistant(str(said))]}


def haystack_tools(kept: Any) -> Any:
    """The tools that are kept in one way or another."""
    return [kept] if isinstance(kept, HaystackTool) else kept.values() if isinstance(kept, dict) else kept


KEPT = [lambda tool: tool, lambda tool: [tool], lambda tool: {"it": tool}, lambda tool: Toolset([tool])]


@pytest.mark.parametrize("keep", KEPT, ids=["one", "list", "dict", "toolset"])
def test_the_tools_of_a_pipelines_component_are_seen_and_stubbed(keep: Any) -> None:
    """Their names are known, so that a stub for one is no stub for nothing."""

    def made() -> Pipeline:
        return piped(("keeps", Keeps(keep(by_name("lookup")), lost=False)))

    live = tried(made())
    assert (live.status, live.transcript.reply, seen(live)) == ("passed", "looked up x", [("lookup", None, "ran")])
    ran.clear()
    stubbed = tried(made(), stubs={"lookup": "canned"})
    assert (stubbed.status, stubbed.transcript.reply, seen(stubbed)) == (
        "passed",
        "canned",
        [("lookup", None, "stubbed")],
    )
    assert (tried(made(), unstubbed="refuse").status, ran) == ("error", [])
    assert tried(made(), never=["lookup"]).status == "failed"
    assert 'did you mean "lookup"' in tried(made(), stubs={"lokup": "canned"}).verdict.failures[0].message


@pytest.mark.parametrize(
    "case", [{"never": ["lookup"]}, {"stubs": {"lookup": "canned"}}, {"unstubbed": "refuse"}], ids=str
)
@pytest.mark.parametrize("keep", KEPT, ids=["one", "list", "dict", "toolset"])
def test_the_tools_of_a_pipelines_component_do_not_run_where_nobody_sees_it(keep: Any, case: dict[str, Any]) -> None:
    """In a thread that knows no turn."""
    made = tried(piped(("keeps", Keeps(keep(by_name("lookup")), lost=True))), **case)
    assert (made.status, ran) == ("error", [])
    assert "lookup was used in a thread or task without the turn's context" in made.verdict.failures[0].message


def test_an_agent_that_a_pipelines_component_keeps_is_seen_and_stubbed() -> None:
    """As one that is a component."""

    @component
    class Asks:
        def __init__(self, agent: Any) -> None:
            self.agent = agent

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
            return {"replies": [self.agent.run(messages)["last_message"]]}

    agent = news(Blocking([[("lookup", {"word": "x"})], "done"]), TOOLS)
    made = tried(piped(("asks", Asks(agent))), stubs={"lookup": "canned"})
    assert (made.status, made.transcript.reply, seen(made), ran) == (
        "passed",
        "done",
        [("lookup", None, "stubbed")],
        [],
    )


def test_a_toolset_of_a_component_that_finds_its_tools_later_leaves_the_names_unknown() -> None:
    """So that a stub may be for one of them."""
    kept = [by_name("lookup"), SearchableToolset(catalog=[by_name("breaks")], search_threshold=1)]
    agent = adapt(piped(("keeps", Keeps(kept, lost=False))))
    assert agent.names is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "settings", [{"web_search_options": {}}, {"extra_body": {"tools": [{"type": "web_search"}]}}], ids=str
)
def test_what_the_provider_runs_for_a_model_that_a_tool_asks_can_not_be_told(settings: dict[str, Any]) -> None:
    """Nobody knew of the model before the turn."""

    def think(question: str) -> str:
        """Ask a model."""
        other = Blocking(["an answer"], generation_kwargs=settings)
        return str(other.run([ChatMessage.from_user(question)])["replies"][0].text)

    def agent() -> Any:
        return news(Scripted([[("think", {"question": "x"})], "done"]), [think])

    made = tried(agent(), never=["web_search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    assert tried(agent(), stubs={"think": "canned"}, never=["web_search"]).status == "passed"  # it was not asked


@pytest.mark.parametrize("model", [Scripted, Blocking])
def test_a_tool_that_invokes_itself_is_seen_each_time(model: Any) -> None:
    """Each is a call."""

    def count(down: int) -> str:
        """Count down."""
        ran.append(("count", down))
        return "0" if not down else f"{down} {tool.invoke(down=down - 1)}"

    async def count_async(down: int) -> str:
        """Count down."""
        ran.append(("count_async", down))
        return "0" if not down else f"{down} {await other.invoke_async(down=down - 1)}"

    tool, other = create_tool_from_function(count), create_tool_from_function(count_async)
    for each in (tool, other):
        ran.clear()
        agent = news(model([[(each.name, {"down": 2})], "done"]), [each])
        made = tried(agent, calls={each.name: [{"down": number} for number in (2, 1, 0)]})
        assert (made.status, made.verdict.failures, len(ran)) == ("passed", (), 3)
        assert made.transcript.calls[0].result == "2 1 0"


def test_a_thread_that_is_left_in_a_tool_is_named() -> None:
    """And calls nothing when it comes out."""
    go, over = threading.Event(), threading.Event()
    tool = by_name("lookup")

    def waits(word: str) -> str:
        """Wait."""
        go.wait(30)
        try:
            return str(tool.invoke(word=word))
        finally:
            over.set()

    made = tried(news(Scripted([[("waits", {"word": "x"})], "done"]), [waits, tool]), deadline=0.3)
    assert (made.status, made.left_behind) == ("failed", True)
    assert made.verdict.failures[0].message == "stopped after 0.3 seconds; still in tool waits"
    go.set()
    assert over.wait(10)
    assert ran == []


def test_a_thread_that_comes_out_of_its_tool_is_not_left() -> None:
    """It has a moment for that."""
    go = threading.Event()

    def waits(word: str) -> str:
        """Wait until the deadline is over."""
        go.wait(0.8)
        return word

    made = tried(news(Scripted([[("waits", {"word": "x"})], "done"]), [waits]), deadline=0.3)
    assert (made.status, made.left_behind) == ("failed", False)


def real(url: str, **more: Any) -> Any:
    """A real client, which tries nothing twice."""
    return OpenAIChatGenerator(
        model="tiny", api_base_url=f"{url}/v1", api_key=Secret.from_token("none"), max_retries=0, **more
    )


@pytest.mark.parametrize(
    ("plans", "status", "told"),
    [
        ([["down"], ["down"]], "error", "connection refused"),
        ([["raise"], ["down"]], "error", "connection refused"),
        ([["raise"], ["raise"]], "failed", "the turn raised RuntimeError: All 2 chat generators failed"),
        ([["down"], ["done"]], "passed", ""),
    ],
    ids=["all down", "the last down", "none down", "one answers"],
)
@pytest.mark.parametrize("kind", [Scripted, Blocking])
def test_what_generators_that_are_asked_in_turn_have_had_is_known(
    kind: Any, plans: Any, status: str, told: str
) -> None:
    """Although the one that asks them raises its own exception, without what it came from."""
    made = tried(news(FallbackChatGenerator([kind(plan) for plan in plans]), TOOLS))
    assert made.status == status
    assert not told or told in made.verdict.failures[0].message
    assert status != "error" or made.verdict.failures[0].kind == "error.model"


def test_what_a_generator_raises_after_another_has_answered_is_its_own() -> None:
    """The trouble before that answer is over."""

    @component
    class Picks:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: Any = None, generation_kwargs: Any = None) -> dict[str, Any]:
            with contextlib.suppress(ConnectionError):
                Blocking(["down"]).run(messages)
            return {"replies": [Blocking(["done"]).run(messages)["none"]]}

    made = tried(news(Picks(), []))
    assert (made.status, made.verdict.failures[0].message) == ("failed", "the turn raised KeyError: 'none'")


def test_real_clients_that_are_all_refused_are_an_error() -> None:
    """And so is one alone."""
    with serve(closes=True) as server:
        url = server.url
    for model in (FallbackChatGenerator([real(url), real(url)]), real(url)):
        made = tried(news(model, TOOLS))
        assert (made.status, made.verdict.failures[0].kind) == ("error", "error.model")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<html>gateway</html>", "text/html"),
        ("{}", "application/json"),
        ('{"error": "busy"}', "application/json"),
        ('"busy"', "application/json"),
    ],
)
@pytest.mark.parametrize("fallback", [False, True], ids=["alone", "fallback"])
def test_an_answer_that_is_no_models_is_an_error(body: str, kind: str, fallback: bool) -> None:
    """As the page of a gateway, with a status that says that all is well."""
    with serve(*[Fault(status=200, body=body, content_type=kind)] * 2, closes=True) as server:
        model = real(server.url)
        made = tried(news(FallbackChatGenerator([model]) if fallback else model, TOOLS))
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.model"), made.verdict.failures


def test_a_setting_that_a_client_does_not_know_is_the_agents_own() -> None:
    """Nothing was asked."""
    with serve(closes=True) as server:
        made = tried(news(real(server.url, generation_kwargs={"nothing_such": 1}), TOOLS))
    assert (made.status, "nothing_such" in made.verdict.failures[0].message) == ("failed", True)
