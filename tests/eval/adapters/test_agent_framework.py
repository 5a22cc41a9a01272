"""The adapter for Microsoft's Agent Framework keeps the contract."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed here")

from agent_framework import ChatMiddleware, ChatResponse, Content, FunctionMiddleware, Message, tool

from brute import UsageError
from brute.eval import Case
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows, seen, tried
from tests.support.agents import report
from tests.support.frameworks import TOOLS, mcp_command, ran
from tests.support.frameworks.agent_framework import AgentFramework, Rate, Scripted, news


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = AgentFramework()


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_an_agent_that_is_a_tool_is_seen_and_stubbed(stubbed: bool) -> None:
    """The framework streams it; its requests and calls are the inner agent's."""
    inner = news(Scripted([ASKS, "found"]), TOOLS, name="inner")
    agent = news(Scripted([[("inner", {"task": "rates"})], "done"]), [inner.as_tool()])
    made = tried(agent, stubs={"search": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert seen(made) == [("inner", None, "ran"), ("search", "inner", "stubbed" if stubbed else "ran")]
    assert (made.transcript.calls[0].result, bool(ran)) == ("found", not stubbed)
    assert (made.transcript.iterations, made.transcript.tokens) == (4, 48)


@pytest.mark.parametrize("step", ["raise", "down"])
def test_an_agent_that_is_streamed_and_fails_fails_its_tool(step: str) -> None:
    """The framework tells the model; a model that is down is an error all the same."""
    inner = news(Scripted([step]), [], name="inner")
    made = tried(news(Scripted([[("inner", {"task": "rates"})], "done"]), [inner.as_tool()]))
    assert (made.transcript.calls[0].outcome, made.transcript.reply) == ("failed", "done")
    assert made.status == ("passed" if step == "raise" else "error")


def test_a_run_that_a_tool_streams_itself_is_seen_and_stubbed() -> None:
    """What stands between the parts is the tool's own turn."""
    inner = news(Scripted([ASKS, "found"]), TOOLS, name="inner")
    other = news(Scripted([[("lookup", {"word": "x"})], "looked"]), TOOLS, name="other")

    async def ask(question: str) -> str:
        """Ask the other agent."""
        texts = []
        async for update in inner.run(question, stream=True):
            if update.text:
                texts += [update.text, (await other.run(question)).text]
        return " ".join(texts)

    agent = news(Scripted([[("ask", {"question": "rates"})], "done"]), [ask])
    made = tried(agent, stubs={"search": "canned", "lookup": "word"})
    assert (made.status, made.verdict.failures, ran) == ("passed", (), [])
    assert seen(made) == [
        ("ask", None, "ran"),
        ("search", "inner", "stubbed"),
        ("lookup", "other", "stubbed"),
    ]
    assert made.transcript.calls[0].result == "found looked"


def test_middleware_of_the_users_that_answers_a_call_has_its_way() -> None:
    """No tool runs; the answer is what the model reads."""

    class Cached(FunctionMiddleware):
        """Answers from memory."""

        async def process(self, context: Any, call_next: Any) -> None:
            context.result = "cached"

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, middleware=[Cached()]))
    assert (made.status, made.transcript.reply, ran) == ("passed", "done", [])
    assert [call.name for call in made.transcript.calls] == ["search"]
    assert "cached" in [message.content for message in made.transcript.messages]


def test_middleware_of_the_users_that_fails_a_call_is_seen_as_its_failure() -> None:
    """The tool did not run."""

    class Forbids(FunctionMiddleware):
        """Forbids each call."""

        async def process(self, context: Any, call_next: Any) -> None:
            raise PermissionError("not today")

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, middleware=[Forbids()]))
    assert (made.status, seen(made), ran) == ("passed", [("search", None, "failed")], [])


def test_middleware_of_the_users_that_answers_for_the_model_has_its_way() -> None:
    """No model is asked, so that no request is seen."""

    class Closed(ChatMiddleware):
        """Answers for the model."""

        async def process(self, context: Any, call_next: Any) -> None:
            context.result = ChatResponse(messages=Message("assistant", ["closed today"]))

    made = tried(news(Scripted([ASKS, "done"]), TOOLS, middleware=[Closed()]))
    assert (made.status, made.transcript.reply, made.transcript.iterations) == ("passed", "closed today", 0)


def test_a_call_that_somebody_must_approve_stops_the_turn() -> None:
    """As it ends a run of the framework."""

    @tool(approval_mode="always_require")
    def pay(amount: int) -> str:
        """Pay somebody."""
        ran.append(("pay", amount))
        return "paid"

    made = tried(news(Scripted([[("pay", {"amount": 1})], "done"]), [pay]))
    assert (ran, made.transcript.stopped) == ([], "approval")


def test_a_tool_that_takes_the_context_gets_it() -> None:
    """And keeps its counts; under a stub it needs none."""

    @tool
    def whose(word: str, ctx: Any = None) -> str:
        """Say whose a word is."""
        ran.append(("whose", word))
        return f"{word} is ours"

    plan = [[("whose", {"word": "x"})], "done"]
    made = tried(news(Scripted(plan), [whose]))
    assert (made.transcript.calls[0].result, whose.invocation_count) == ("x is ours", 1)
    made = tried(news(Scripted(plan), [whose]), stubs={"whose": "mine"})
    assert (made.transcript.calls[0].result, ran, whose.invocation_count) == ("mine", [("whose", "x")], 1)


def test_structured_output_beside_tools_is_the_reply() -> None:
    """As JSON text."""
    client = Scripted([ASKS, '{"city": "London", "rate": 4.25}'])
    made = tried(news(client, TOOLS, default_options={"response_format": Rate}), stubs={"search": "canned"})
    assert (made.status, made.transcript.reply) == ("passed", '{"city": "London", "rate": 4.25}')


def test_what_the_provider_ran_is_seen() -> None:
    """As a call that ran."""

    class Searches(Scripted):
        """A model whose provider searched."""

        def step(self, messages: Any, options: Any) -> Any:
            made = super().step(messages, options)
            made.messages[0].contents.insert(0, Content.from_search_tool_call("s1", tool_name="web_search"))
            return made

    made = tried(news(Searches(["done"]), [{"type": "web_search"}]), calls={"web_search": {}})
    assert (made.status, seen(made), made.transcript.reply) == ("passed", [("web_search", None, "ran")], "done")


@pytest.mark.filterwarnings("ignore:ping is removed")  # which the framework sends all the same
def test_attempts_that_share_an_agent_share_its_server(tmp_path: Any) -> None:
    """The last of them closes it."""
    agent = AgentFramework().mcp([ASKS, "done"], mcp_command(tmp_path / "notes"))
    cases = [Case(f"case {n}", said="hello", stubs={"search": f"{n}"}) for n in range(10)]
    made = report(agent, cases, jobs=5)
    assert [each.verdict.failures for each in made.attempts] == [()] * 10
    assert [call.result for each in made.attempts for call in each.transcript.calls] == [f"{n}" for n in range(10)]
    assert [server.is_connected for server in agent.mcp_tools] == [False]


def test_a_client_that_can_not_be_heard_is_refused() -> None:
    """Before anything is asked."""

    class Other:
        """A chat client of its own kind."""

        def get_response(self, *given: Any, **named: Any) -> Any:
            raise NotImplementedError

    agent = news(Scripted([]), TOOLS)
    agent.client = Other()  # type: ignore[assignment]
    with pytest.raises(UsageError, match=r"is a Other, which is not made of agent_framework\.BaseChatClient"):
        adapt(agent)


def test_outside_a_turn_nothing_changes() -> None:
    """Tools run, streams stream."""

    async def go() -> tuple[str, str]:
        agent = news(Scripted([ASKS, "done"]), TOOLS)
        parts = [update.text async for update in agent.run("hello", stream=True)]
        return (await agent.run("hello")).text, "".join(parts)

    tried(news(Scripted(["hi"]), []))
    assert asyncio.run(go()) == ("done", "done")
    assert ran == [("search", "bank")] * 2


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


class Desk:
    """Something with a tool of its own."""

    @tool
    def desk(self, word: str) -> str:
        """Look a word up."""
        ran.append(("desk", word))
        return f"{word} looked up"


DESK = Desk()


async def by_hand(word: str) -> str:
    """Look a word up by another tool."""
    if word == "async":
        return str(await later(word=word))
    return str(words(word) if word == "sync" else DESK.desk(word=word))


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
@pytest.mark.parametrize(("word", "name"), [("sync", "words"), ("async", "later"), ("method", "desk")])
def test_a_tool_that_another_calls_as_a_function_is_seen_and_stubbed(word: str, name: str, stubbed: bool) -> None:
    """As the framework lets a tool be called; though the agent need not have it."""
    beside = [DESK.desk] if word == "method" else []
    agent = news(Scripted([[("by_hand", {"word": word})], "done"]), [by_hand, *beside])
    made = tried(agent, stubs={name: "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert seen(made) == [("by_hand", None, "ran"), (name, None, "stubbed" if stubbed else "ran")]
    call = made.transcript.calls[1]
    assert (call.arguments, call.result) == ({"word": word}, "canned" if stubbed else f"{word} looked up")
    assert ran == ([] if stubbed else [(name, word)])
    assert words("outside") == "outside looked up"  # and outside a turn it is the function


def test_a_call_of_the_providers_has_its_arguments() -> None:
    """As far as they are told."""
    asked = Content.from_mcp_server_tool_call(
        call_id="m1", tool_name="delete", server_name="git", arguments={"name": "x"}
    )

    class Hosts(Scripted):
        """A model whose provider asks a server by itself."""

        def step(self, messages: Any, options: Any) -> ChatResponse[Any]:
            """What that came to, and the reply."""
            made = super().step(messages, options)
            made.messages[0].contents.insert(0, asked)
            return made

    made = tried(news(Hosts(["done"]), []), never=["delete"])
    (call,) = made.transcript.calls
    assert (made.status, call.name, call.arguments) == ("failed", "delete", {"name": "x"})
