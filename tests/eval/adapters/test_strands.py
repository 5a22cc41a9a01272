"""The adapter for Strands keeps the contract."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("strands.hooks", reason="strands-agents is not installed here")

from strands import ToolContext, tool
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.hooks import BeforeModelCallEvent, BeforeToolCallEvent
from strands.multiagent import GraphBuilder, Swarm
from strands.types.exceptions import ContextWindowOverflowException

from brute import Message, Tool
from brute.eval import Budget
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows, seen, tried
from tests.support.frameworks import TOOLS, ran
from tests.support.frameworks.strands import Rate, Scripted, Strands, declared, news


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = Strands()


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_an_agent_that_is_a_tool_is_seen_and_stubbed(stubbed: bool) -> None:
    """With its own calls, and as a call itself."""
    inner = news(Scripted([ASKS, "found"]), TOOLS, name="inner")
    agent = news(Scripted([[("inner", {"input": "rates"})], "done"]), [inner])
    made = tried(agent, stubs={"search": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert seen(made) == [("inner", None, "ran"), ("search", "inner", "stubbed" if stubbed else "ran")]
    assert (made.transcript.calls[0].result.strip(), bool(ran)) == ("found", not stubbed)


def test_an_agent_that_is_a_tool_can_be_stubbed_itself() -> None:
    """Then it does not run."""
    model = Scripted([ASKS, "found"])
    agent = news(Scripted([[("inner", {"input": "rates"})], "done"]), [news(model, TOOLS, name="inner")])
    made = tried(agent, stubs={"inner": "4.25%"})
    assert (made.status, seen(made), model.shown) == ("passed", [("inner", None, "stubbed")], [])
    (told,) = Strands().results(agent)
    assert (told["status"], told["content"]) == ("success", [{"text": "4.25%"}])


@pytest.mark.parametrize("stub", [None, "canned", ValueError("no")], ids=repr)
def test_a_tool_that_answers_in_parts_is_seen_and_stubbed(stub: Any) -> None:
    """The last part is the result."""

    @tool
    async def parts(word: str) -> AsyncIterator[str]:
        """Answer bit by bit."""
        ran.append(("parts", word))
        yield "half"
        yield f"whole {word}"

    made = tried(
        news(Scripted([[("parts", {"word": "x"})], "done"]), [parts]), stubs={} if stub is None else {"parts": stub}
    )
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, bool(ran)) == ("passed", "done", stub is None)
    assert call.result == {"canned": "canned"}.get(
        stub if isinstance(stub, str) else "", "whole x" if stub is None else None
    )


def test_a_tool_that_was_written_by_hand_is_seen_and_its_schema_kept() -> None:
    """By the harness where the tool itself checks nothing."""

    async def look(word: str) -> str:
        return f"looked up {word}"

    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    one = Tool(name="look", function=look, description="Look.", parameters=schema)
    plan = [[("look", {"word": "bank"})], "done"]
    made = tried(news(Scripted(plan), [declared(one)]))
    assert (seen(made), made.transcript.calls[0].result) == ([("look", None, "ran")], "looked up bank")
    made = tried(news(Scripted(plan), [declared(one)]), stubs={"look": {"rate": 1}})
    assert (seen(made), made.transcript.calls[0].result) == ([("look", None, "stubbed")], {"rate": 1})
    made = tried(news(Scripted([[("look", {"w": 1})], "done"]), [declared(one)]), stubs={"look": "canned"})
    assert (made.transcript.calls[0].result, made.transcript.calls[0].error is not None) == (None, True)


def test_what_a_tool_calls_directly_is_seen_and_stubbed() -> None:
    """By the agent's own `tool`."""

    @tool(context=True)
    def twice(tool_context: Any) -> str:
        """Call another tool."""
        told = tool_context.agent.tool.search(query="bank", record_direct_tool_call=False)
        return str(told["content"][0]["text"])

    agent = news(Scripted([[("twice", {})], "done"]), [twice, *TOOLS])
    made = tried(agent, stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert {call.name: (call.outcome, call.result) for call in made.transcript.calls} == {
        "twice": ("ran", "canned"),
        "search": ("stubbed", "canned"),
    }


@pytest.mark.parametrize("stubs", [{}, {"search": "canned"}], ids=["real", "stubbed"])
def test_a_hook_of_the_users_that_forbids_a_call_has_its_way(stubs: Any) -> None:
    """The tool does not run, and no stub is served."""
    agent = news(Scripted([ASKS, "done"]), TOOLS)
    agent.hooks.add_callback(BeforeToolCallEvent, lambda event: setattr(event, "cancel_tool", "not today"))
    made = tried(agent, stubs=stubs, never=["lookup"])
    (call,) = made.transcript.calls
    assert (made.status, made.transcript.reply, ran) == ("passed", "done", [])
    assert (call.result, "not today" in str(call.error)) == (None, True)
    assert "error: not today" in [message.content for message in made.transcript.messages]


def test_a_hook_of_the_users_that_answers_for_the_model_has_its_way() -> None:
    """No model is asked, so that no request is seen."""
    agent = news(Scripted([ASKS, "done"]), TOOLS)
    agent.hooks.add_callback(BeforeModelCallEvent, lambda event: setattr(event, "cancel", "closed today"))
    made = tried(agent)
    assert (made.status, made.transcript.reply, made.transcript.iterations) == ("passed", "closed today", 0)


def test_a_call_that_somebody_must_approve_stops_the_turn() -> None:
    """As an interrupt does in Strands."""
    agent = news(Scripted([ASKS, "done"]), TOOLS)
    agent.hooks.add_callback(BeforeToolCallEvent, lambda event: event.interrupt("approve", reason="sure?") and None)
    made = tried(agent)
    assert (ran, made.transcript.stopped) == ([], "approval")


def test_structured_output_beside_tools_is_no_call() -> None:
    """The tools are."""
    from tests.support.frameworks.strands import Rate

    plan = [ASKS, [("Rate", {"city": "London", "rate": 4.25})]]
    made = tried(news(Scripted(plan), TOOLS, structured_output_model=Rate), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, seen(made)) == ("passed", (), [("search", None, "stubbed")])
    assert made.transcript.reply == '{"city":"London","rate":4.25}'


@pytest.mark.parametrize("step", ["raise", "down"])
def test_an_agent_of_several_that_fails_fails_the_turn(step: str) -> None:
    """By its own exception."""
    made = tried(Swarm([news(Scripted([step]), [])]))
    told = {"raise": "the turn raised KeyError: 'plan'", "down": "connection refused"}[step]
    assert (made.status, told in made.verdict.failures[0].message) == (
        "failed" if step == "raise" else "error",
        True,
    )


def test_a_graph_of_agents_is_seen_and_stubbed() -> None:
    """The first agent is the turn's own; the reply is what the last one said."""
    builder = GraphBuilder()
    builder.add_node(news(Scripted(["found"]), []), "first")
    builder.add_node(news(Scripted([ASKS, "done"]), TOOLS, name="second"), "second")
    builder.add_edge("first", "second")
    builder.set_entry_point("first")
    builder.set_max_node_executions(3)
    made = tried(builder.build(), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert (seen(made), made.transcript.reply) == ([("search", "second", "stubbed")], "done")


def test_what_the_provider_runs_can_not_be_told() -> None:
    """Strands hands on nothing of it."""
    made = tried(Strands().hosted(), never=["search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    assert adapt(Strands().agent(["hi"])).blind == []  # type: ignore[attr-defined]


class Sums(Scripted):
    """A model that is too small for the whole conversation until it was summed up."""

    async def stream(self, messages: Any, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """The next step."""
        if len(messages) > 6 and "summarize" not in str(messages[-1]).lower():
            raise ContextWindowOverflowException("too long")
        async for part in super().stream(messages, *given, **named):
            yield part


def test_what_sums_up_a_conversation_is_a_request() -> None:
    """Strands asks its model for that past all hooks."""
    turns = [Message(role=("user", "assistant")[n % 2], content=f"line {n}") for n in range(8)]
    keeps = SummarizingConversationManager(summary_ratio=0.8, preserve_recent_messages=3)
    made = tried(news(Sums(["done"]), [], conversation_manager=keeps), conversation=turns)
    usages = [each.usage for each in made.transcript.requests]
    assert (made.status, made.transcript.iterations, made.transcript.reply) == ("passed", 3, "done")
    assert [None if each is None else each.total for each in usages] == [None, 12, 12]


class Formed(Scripted):
    """A model that gives structured output in the old way."""

    async def structured_output(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """The output."""
        yield {"output": Rate(city="London", rate=4.25)}


@pytest.mark.parametrize("how", ["stream", "structured_output"])
def test_what_a_tool_asks_a_model_by_itself_is_an_inner_agents_request(how: str) -> None:
    """Where nothing is said of what it used, nothing is known of it."""
    other = news(Formed(["asked"]), [], name="other")

    async def ask(question: str) -> str:
        """Ask a model."""
        said: list[Any] = [{"role": "user", "content": [{"text": question}]}]
        if how == "stream":
            return str([part async for part in other.model.stream(said)][2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return str(await other.structured_output_async(Rate, question))

    agent = news(Scripted([[("ask", {"question": "x"})], "done"]), [ask])
    made = tried(agent, budget=Budget(tokens=100))
    seen = made.transcript
    assert (made.status, seen.iterations, seen.reply) == ("passed" if how == "stream" else "error", 3, "done")
    assert seen.tokens == (36 if how == "stream" else None)
    assert "asked" in str(seen.calls[0].result) or "London" in str(seen.calls[0].result)


@tool
def words(word: str) -> str:
    """Look a word up."""
    ran.append(("words", word))
    return f"{word} looked up"


@tool
async def later(word: str) -> str:
    """Look a word up."""
    ran.append(("later", word))
    return f"{word} looked up"


@tool(context=True)
async def by_hand(word: str, tool_context: ToolContext) -> str:
    """Look a word up by another tool."""
    return str(words(word) if word == "sync" else await later(word=word))


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
@pytest.mark.parametrize(("word", "name"), [("sync", "words"), ("async", "later")])
def test_a_tool_that_another_calls_as_a_function_is_seen_and_stubbed(word: str, name: str, stubbed: bool) -> None:
    """As Strands lets a decorated function be called; though the agent has only the one."""
    agent = news(Scripted([[("by_hand", {"word": word})], "done"]), [by_hand])
    made = tried(agent, stubs={name: "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert seen(made) == [("by_hand", None, "ran"), (name, None, "stubbed" if stubbed else "ran")]
    call = made.transcript.calls[1]
    assert (call.arguments, call.result) == ({"word": word}, "canned" if stubbed else f"{word} looked up")
    assert ran == ([] if stubbed else [(name, word)])
    assert words("outside") == "outside looked up"  # and outside a turn it is the function


def test_a_tool_that_is_called_as_a_function_raises_as_it_does() -> None:
    """To whoever called it: what it raises, what a stub does, and what its arguments lack."""

    @tool
    def down(word: str) -> str:
        """Do not work."""
        raise OSError("down")

    @tool
    def asks(word: str) -> str:
        """Ask the other."""
        try:
            return str(down() if word == "bad" else down(word))
        except (OSError, TypeError) as error:
            return f"{type(error).__name__}: {error}"

    for word, stubs, told in (
        ("x", {}, "OSError: down"),
        ("x", {"down": OSError("stub")}, "OSError: stub"),
        ("bad", {}, "TypeError: missing a required argument: 'word'"),
    ):
        made = tried(news(Scripted([[("asks", {"word": word})], "done"]), [asks, down]), stubs=stubs)
        assert (made.status, made.transcript.calls[0].result) == ("passed", told)


@pytest.mark.parametrize("how", ["agent", "model"])
def test_what_the_provider_may_run_for_another_model_of_the_turn_can_not_be_told(how: str) -> None:
    """That of an agent that a tool builds, or one that it asks by itself: no look at the agent beforehand finds them."""

    @tool
    async def ask(word: str) -> str:
        """Ask another model.

        Args:
            word: what
        """
        model = Scripted(["found"], params={"tools": [{"type": "web_search"}]})
        if how == "agent":
            await news(model, []).invoke_async(word)
        else:
            found = [each async for each in model.stream([{"role": "user", "content": [{"text": word}]}])]
            assert found
        return "found"

    agent = news(Scripted([[("ask", {"word": "x"})], "done"]), [ask])
    if how == "model":
        tried(news(Scripted(["done"]), []))  # so that the class is under watch
    made = tried(agent, never=["web_search"])
    assert (made.status, made.verdict.failures[0].kind) == ("error", "error.blind")
    made = tried(news(Scripted([[("ask", {"word": "x"})], "done"]), [ask]), stubs={"ask": "x"}, never=["web_search"])
    assert made.status == "passed"


def test_a_tool_with_a_schema_of_its_own_that_other_code_calls_is_seen() -> None:
    """Also where the schema stands in the tool as it was given."""

    @tool(inputSchema={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]})
    def words(word: str) -> str:
        """Look a word up."""
        return f"{word} found"

    @tool
    def ask(word: str) -> str:
        """Ask by the other tool.

        Args:
            word: what
        """
        return str(words(word))

    made = tried(news(Scripted([[("ask", {"word": "x"})], "done"]), [ask]))
    assert (made.status, seen(made)) == ("passed", [("ask", None, "ran"), ("words", None, "ran")])
