"""The adapter for LlamaIndex keeps the contract."""

from __future__ import annotations

import asyncio
import datetime
import threading
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="llama-index is not installed here")

from llama_index.core.agent.workflow import CodeActAgent, ReActAgent
from llama_index.core.llms import ChatMessage
from llama_index.core.program.function_program import get_function_tool
from llama_index.core.tools import AsyncBaseTool, BaseTool, FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent

from brute.eval import Budget, Case
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows, seen, tried
from tests.support.agents import report
from tests.support.frameworks import TOOLS, lookup, ran, search
from tests.support.frameworks.llama_index import Formats, LlamaIndex, Rate, Reacts, Scripted, news

# The framework's own, of what it finds on its agents.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pydantic.PydanticDeprecatedSince20",
    "ignore::pydantic.PydanticDeprecatedSince211",
    "ignore:ServiceManager is deprecated",
    "ignore:is_running called from within a step",
)


@pytest.fixture(autouse=True)
def _clean() -> None:
    ran.clear()


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = LlamaIndex()


def scripted(*plan: Any) -> Any:
    """A model that plays the plan."""
    return Scripted(plan=list(plan))


def acts(tool: str, given: str) -> str:
    """A step of a ReAct agent that calls a tool."""
    return f"Thought: I need it.\nAction: {tool}\nAction Input: {given}"


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_react_agent_is_seen_and_stubbed(streaming: bool, stubbed: bool) -> None:
    """Its calls are read out of what its model writes; the last of it is the reply."""
    plan = [acts("search", '{"query": "bank"}'), "Thought: I know.\nAnswer: done"]
    agent = ReActAgent(name="news", llm=Reacts(plan=plan), tools=list(TOOLS), streaming=streaming)
    made = tried(agent, stubs={"search": "canned"} if stubbed else {})
    (call,) = made.transcript.calls
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    assert (call.name, call.arguments, call.outcome) == ("search", {"query": "bank"}, "stubbed" if stubbed else "ran")
    assert (call.result, made.transcript.tokens) == ("canned" if stubbed else "live bank", 24)
    assert ran == ([] if stubbed else [("search", "bank")])


def test_a_react_agent_that_writes_what_can_not_be_read_is_asked_again() -> None:
    """No call was asked for."""
    agent = ReActAgent(name="news", llm=Reacts(plan=["Action: search", "Thought: I know.\nAnswer: done"]), tools=[])
    made = tried(agent, never=["search"])
    assert (made.status, made.transcript.iterations, made.transcript.names) == ("passed", 2, [])


def test_code_that_an_agent_writes_is_seen_and_stubbed_as_a_call() -> None:
    """What it calls can't be: stubbed tools are refused, and `never` can't be told."""

    async def run(code: str) -> str:
        """Run the code."""
        ran.append(("run", code))
        return "4.25"

    def agent(*tools: Any) -> Any:
        return CodeActAgent(run, llm=scripted("<execute>print(search('x'))</execute>", "done"), tools=list(tools))

    # The framework hands the result to its model as the user's words.
    made = tried(agent(), stubs={"execute": "canned"}, deadline=10.0, budget=Budget(iterations=1))
    assert (seen(made), ran) == ([("execute", None, "stubbed")], [])
    made = tried(agent(*TOOLS), stubs={"search": "canned"})
    assert (made.status, ran, "the stub for search can't reach it" in made.verdict.failures[0].message) == (
        "error",
        [],
        True,
    )
    made = tried(agent(*TOOLS), never=["search"], budget=Budget(iterations=1))
    assert any("cannot tell" in failure.message for failure in made.verdict.failures)


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_what_a_tool_calls_itself_is_seen_and_stubbed(stubbed: bool) -> None:
    """Async and blocking."""
    one, other = FunctionTool.from_defaults(search), FunctionTool.from_defaults(lookup)

    async def twice(word: str) -> str:
        """Call other tools."""
        return f"{await one.acall(query=word)} {other.call(word=word)} {other(word=word)}"

    agent = news(scripted([("twice", {"word": "x"})], "done"), [twice, one, other])
    made = tried(agent, stubs={"search": "s", "lookup": "l"} if stubbed else {})
    outcome = "stubbed" if stubbed else "ran"
    assert (made.status, made.verdict.failures, bool(ran)) == ("passed", (), not stubbed)
    assert sorted(seen(made)) == sorted(
        [("twice", None, "ran"), ("search", None, outcome), ("lookup", None, outcome), ("lookup", None, outcome)]
    )
    assert made.transcript.calls[0].result == ("s l l" if stubbed else "live x looked up x looked up x")


class ByPlace(BaseTool):
    """A tool of the oldest kind: it takes one input, and blocks."""

    @property
    def metadata(self) -> ToolMetadata:
        """What it is."""
        return ToolMetadata(name="find", description="Find.")

    def __call__(self, input: Any) -> ToolOutput:
        """Find it."""
        ran.append(("find", input))
        return ToolOutput(content=f"found {input}", tool_name="find", raw_input={"input": input}, raw_output=input)


class Engine(AsyncBaseTool):
    """A tool that is no function."""

    @property
    def metadata(self) -> ToolMetadata:
        """What it is."""
        return ToolMetadata(name="find", description="Find.")

    def call(self, *given: Any, **named: Any) -> ToolOutput:
        """Find it."""
        raise NotImplementedError

    async def acall(self, *given: Any, **named: Any) -> ToolOutput:
        """Find it."""
        ran.append(("find", named["input"]))
        return ToolOutput(content=f"found {named['input']}", tool_name="find", raw_input=named, raw_output=object())


@pytest.mark.parametrize("kind", [ByPlace, Engine])
@pytest.mark.parametrize("stub", [None, "canned", {"rate": 1}, ValueError("no")], ids=repr)
def test_a_tool_that_is_no_function_is_seen_and_stubbed(kind: Any, stub: Any) -> None:
    """Once; a stub is what its text would be."""
    agent = news(scripted([("find", {"input": "x"})], "done"), [kind()])
    made = tried(agent, stubs={} if stub is None else {"find": stub})
    assert (made.status, seen(made)) == ("passed", [("find", None, "ran" if stub is None else "stubbed")])
    assert ran == ([("find", "x")] if stub is None else [])
    shown = {None: "found x", "canned": "canned"}.get(stub if isinstance(stub, str | None) else "")
    told = shown or ('{"rate": 1}' if isinstance(stub, dict) else "no")
    assert LlamaIndex().results(agent) == [told]


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_with_a_context_and_a_callback_keeps_them(stubbed: bool) -> None:
    """The context is none of the call's arguments; the callback makes of a stub what it makes of a result."""

    async def pay(ctx: Context, amount: int) -> int:
        """Pay somebody."""
        await ctx.store.set("paid", amount)
        ran.append(("pay", amount))
        return amount

    pay.__annotations__["ctx"] = Context
    tool = FunctionTool.from_defaults(pay, callback=lambda paid: f"paid {paid}")
    agent = news(scripted([("pay", {"amount": 3})], "done"), [tool])
    made = tried(agent, stubs={"pay": 5} if stubbed else {})
    (call,) = made.transcript.calls
    assert (made.status, call.arguments, call.executed, bool(ran)) == (
        "passed",
        {"amount": 3},
        {"amount": 3},
        not stubbed,
    )
    assert LlamaIndex().results(agent) == ["paid 5" if stubbed else "paid 3"]


def test_a_stub_is_held_to_the_tools_schema() -> None:
    """By the harness, since the framework itself checks nothing."""
    made = tried(news(scripted([("lookup", {"word": 5})], "done"), TOOLS), stubs={"lookup": "canned"})
    assert (made.transcript.calls[0].result, made.transcript.calls[0].error is not None, ran) == (None, True, [])


def test_a_tool_that_ends_the_run_gives_the_reply() -> None:
    """As `return_direct` does."""
    tool = FunctionTool.from_defaults(search, return_direct=True)
    made = tried(news(scripted(ASKS, "never"), [tool]), stubs={"search": "canned"})
    assert (made.status, made.transcript.reply, made.transcript.iterations) == ("passed", "canned", 1)


def test_a_run_that_waits_for_somebody_is_stopped_for_approval() -> None:
    """And nothing of it goes on."""

    async def pay(ctx: Context, amount: int) -> str:
        """Pay somebody."""
        answer = await ctx.wait_for_event(HumanResponseEvent, waiter_event=InputRequiredEvent(prefix="sure?"))  # type: ignore[call-arg]
        ran.append(("pay", answer))
        return "paid"

    pay.__annotations__["ctx"] = Context
    made = tried(news(scripted([("pay", {"amount": 1})], "done"), [pay]))
    assert (ran, made.transcript.stopped, made.left_behind) == ([], "approval", False)


def test_what_a_tool_asks_a_model_is_seen_as_its_own() -> None:
    """Async, blocking, streamed; not in the agent's conversation."""
    other = scripted("an answer")
    asked = [ChatMessage(role="user", content="x")]

    async def think(question: str) -> str:
        """Ask a model."""
        parts = [part.message.content async for part in await other.astream_chat(asked)]
        return f"{(await other.achat(asked)).message.content}, {parts[-1]}"

    def ponder(question: str) -> str:
        """Ask a model."""
        parts = [part.message.content for part in other.stream_chat(asked)]
        return f"{other.chat(asked).message.content}, {parts[-1]}"

    plan = [("think", {"question": "x"}), ("ponder", {"question": "x"})]
    made = tried(news(scripted(plan, "done"), [think, ponder]))
    assert (made.status, made.transcript.tokens, made.transcript.iterations) == ("passed", 72, 6)
    assert [call.result for call in made.transcript.calls] == ["an answer, an answer"] * 2
    assert "an answer" not in [each.content for each in made.transcript.messages if each.role == "assistant"]


def test_a_workflow_is_shared_by_attempts() -> None:
    """Nothing crosses over, and an agent that isn't the first has its name on its calls."""
    one = LlamaIndex().handoff([[LlamaIndex.hands_over], "never"], [ASKS, "done"])
    cases = [Case(f"case {n}", said=f"{n}", stubs={"search": f"canned {n}"}) for n in range(20)]
    made = report(one, cases, jobs=20)
    assert [each.verdict.failures for each in made.attempts] == [()] * 20
    assert {tuple(seen(each)) for each in made.attempts} == {(("handoff", None, "ran"), ("search", "other", "stubbed"))}
    assert [each.transcript.calls[1].result for each in made.attempts] == [f"canned {n}" for n in range(20)]


def test_a_handoff_that_is_stubbed_does_not_hand_over() -> None:
    """The agent that was to be left goes on."""
    agent = LlamaIndex().handoff([[LlamaIndex.hands_over], "stayed"], [ASKS, "done"])
    made = tried(agent, stubs={"handoff": "no"})
    assert (seen(made), made.transcript.reply) == ([("handoff", None, "stubbed")], "stayed")


def test_structured_output_beside_tools_is_no_call() -> None:
    """The tools are."""
    made = tried(news(Formats(plan=[ASKS, "done"]), TOOLS, output_cls=Rate), stubs={"search": "canned"})
    assert (made.status, made.verdict.failures, seen(made)) == ("passed", (), [("search", None, "stubbed")])
    assert (made.transcript.reply, made.transcript.tokens) == ('{"city": "London", "rate": 4.25}', 36)


def test_a_batch_that_ends_the_turn_leaves_nothing_running() -> None:
    """Not even a call that was under way."""
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
    made = tried(news(scripted(*plan), [slow, *TOOLS]), stubs={"search": lambda query: 1 / 0})
    assert (made.status, made.verdict.failures[0].kind, ended) == ("error", "error.stub", ["x"])


def test_what_the_provider_runs_can_not_be_told() -> None:
    """LlamaIndex hands on nothing of it that is alike for all."""
    made = tried(LlamaIndex().hosted(), never=["search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    assert adapt(LlamaIndex().agent(["hi"])).blind == []  # type: ignore[attr-defined]


def test_outside_a_turn_nothing_changes() -> None:
    """Tools run."""
    tried(news(scripted("hi"), []))
    assert asyncio.run(LlamaIndex().run(news(scripted(ASKS, "done"), TOOLS), "hello")) == "done"
    assert FunctionTool.from_defaults(lookup).call(word="x").content == "looked up x"
    assert ran == [("search", "bank"), ("lookup", "x")]


def test_a_tool_that_hands_over_a_model_is_seen_and_stubbed() -> None:
    """It is made as that of structured output is, but the agent has it as a tool."""
    tool = get_function_tool(Rate)
    plan = [[("Rate", {"city": "London", "rate": 4.25})], "done"]
    assert seen(tried(news(scripted(*plan), [tool]))) == [("Rate", None, "ran")]
    made = tried(news(scripted(*plan), [tool]), stubs={"Rate": "canned"})
    assert (made.status, seen(made)) == ("passed", [("Rate", None, "stubbed")])


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_that_is_retrieved_is_seen_and_stubbed(stubbed: bool) -> None:
    """Though its class came about after the adapter."""

    class Retriever:
        """Finds one tool."""

        async def aretrieve(self, text: str) -> list[Any]:
            """One of a class that nobody has seen yet."""
            if not found:
                found.append(type("Late", (Engine,), {"acall": late})())
            return found

    async def late(self: Any, **named: Any) -> ToolOutput:
        """Find it."""
        ran.append(("find", named["input"]))
        return ToolOutput(content="late", tool_name="find", raw_input=named, raw_output="late")

    found: list[Any] = []
    agent = news(scripted([("find", {"input": "x"})], "done"), [])
    object.__setattr__(agent, "tool_retriever", Retriever())
    made = tried(agent, stubs={"find": "canned"} if stubbed else {})
    assert (made.status, seen(made)) == ("passed", [("find", None, "stubbed" if stubbed else "ran")])
    assert ran == ([] if stubbed else [("find", "x")])


@pytest.mark.parametrize("asks", ["settings", "body", "call", "agent"])
def test_what_the_provider_runs_for_a_model_beside_the_steps_can_not_be_told(asks: str) -> None:
    """A tool that asks a model which searches, or an agent of such a model, does what nobody sees."""
    hosted: Any = {"additional_kwargs": {"tools": [{"type": "web_search"}]}} if asks != "call" else {}
    hosted = {"additional_kwargs": {"extra_body": {"tools": [{"google_search": {}}]}}} if asks == "body" else hosted
    named: Any = (
        {"tools": [{"type": "web_search"}, {"name": "other", "description": "of Cohere's"}]} if asks == "call" else {}
    )

    async def think(question: str) -> str:
        """Ask a model."""
        other = Scripted(plan=["an answer"], **hosted)
        if asks == "agent":
            return str(await news(other, [], name="other").run(user_msg=question))
        return str((await other.achat([ChatMessage(role="user", content=question)], **named)).message.content)

    def agent() -> Any:
        return news(scripted([("think", {"question": "x"})], "done"), [think])

    made = tried(agent(), never=["web_search"])
    assert (made.status, "cannot tell" in made.verdict.failures[0].message) == ("error", True)
    made = tried(agent(), stubs={"think": "canned"}, never=["web_search"])
    assert (made.status, made.verdict.failures) == ("passed", ())  # it was not asked


def test_a_tool_that_calls_itself_is_seen_each_time() -> None:
    """Each is a call."""

    async def count(down: int) -> str:
        """Count down."""
        ran.append(("count", down))
        return "0" if not down else f"{down} {(await tool.acall(down=down - 1)).content}"

    def count_blocking(down: int) -> str:
        """Count down."""
        ran.append(("count_blocking", down))
        return "0" if not down else f"{down} {other(down=down - 1).content}"

    tool, other = FunctionTool.from_defaults(count), FunctionTool.from_defaults(count_blocking)
    for each in (tool, other):
        ran.clear()
        name = str(each.metadata.name)
        made = tried(
            news(scripted([(name, {"down": 2})], "done"), [each]), calls={name: [{"down": n} for n in (2, 1, 0)]}
        )
        assert (made.status, made.verdict.failures, len(ran)) == ("passed", (), 3)
        assert made.transcript.calls[0].result == "2 1 0"


def test_a_tool_that_blocks_a_thread_is_left_behind_and_named() -> None:
    """It can't be ended."""
    held = threading.Event()

    def slow(query: str) -> str:
        """Take all day."""
        held.wait(20)
        return "late"

    made = tried(news(scripted([("slow", {"query": "x"})], "done"), [slow]), deadline=0.5)
    held.set()
    assert (made.status, made.left_behind) == ("failed", True)
    assert any("tool slow" in note for note in made.transcript.notes)


def test_output_that_the_users_own_function_makes_is_the_reply() -> None:
    """Whatever it is made of."""

    def output(messages: Any) -> Any:
        return {"day": datetime.date(2024, 1, 1), "rate": Rate(city="London", rate=4.25)}

    made = tried(news(scripted("done"), [], structured_output_fn=output))
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert made.transcript.reply == '{"day": "2024-01-01", "rate": {"city": "London", "rate": 4.25}}'
