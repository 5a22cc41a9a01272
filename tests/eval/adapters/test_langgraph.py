"""The adapter for LangChain and LangGraph keeps the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

pytest.importorskip("langgraph", reason="langgraph is not installed here")

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models import BaseLLM
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import Generation, LLMResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from brute import UsageError
from brute.eval import Budget, Case
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows
from tests.support.agents import attempt
from tests.support.frameworks import TOOLS, in_bare_thread, lookup, ran, search
from tests.support.frameworks.langgraph import LangGraph, Scripted
from tests.support.taped import made, unplugged
from tests.support.wire import wired


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = LangGraph()


def tried(graph: Any, **case: Any) -> Any:
    """An attempt of the graph."""
    ran.clear()

    async def build() -> Any:
        return graph

    return attempt(build, Case("case", **{"said": "hello", **case}))


def blocking(plan: Any, inner: Any) -> Any:
    """An agent whose sync tool runs another, blocking."""
    other = create_agent(Scripted(plan=inner), [tool(each) for each in TOOLS], name="inner")

    @tool
    def ask(question: str) -> str:
        """Ask the other agent."""
        state = other.invoke({"messages": [{"role": "user", "content": question}]})
        return str(state["messages"][-1].content)

    return create_agent(Scripted(plan=plan), [ask])


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_an_agent_that_is_run_blocking_is_seen_and_stubbed(stubbed: bool) -> None:
    """Its tools, its model, its name."""
    graph = blocking([[("ask", {"question": "x"})], "done"], [[("lookup", {"word": "bank"})], "found"])
    made = tried(graph, stubs={"lookup": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures) == ("passed", ())
    assert [(call.name, call.agent, call.outcome) for call in made.transcript.calls] == [
        ("ask", None, "ran"),
        ("lookup", "inner", "stubbed" if stubbed else "ran"),
    ]
    assert (made.transcript.iterations, ran) == (4, [] if stubbed else [("lookup", "bank")])


def test_a_budget_stops_an_agent_that_is_run_blocking() -> None:
    """Before the model call that it does not allow."""
    graph = blocking([[("ask", {"question": "x"})], "done"], [[("lookup", {"word": "bank"})], "found"])
    made = tried(graph, budget=Budget(iterations=2))
    assert (made.status, made.verdict.failures[0].message, ran) == (
        "failed",
        "spent 3 iterations, budget 2",
        [("lookup", "bank")],
    )


def by_hand(run: Any) -> Any:
    """A graph drawn by hand, whose node for tools answers each call by `run`."""
    model = Scripted(plan=[ASKS, "done"]).bind_tools([tool(search)])

    async def think(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    async def act(state: MessagesState) -> Any:
        last: Any = state["messages"][-1]
        return {"messages": [ToolMessage(await run(call), tool_call_id=call["id"]) for call in last.tool_calls]}

    def more(state: MessagesState) -> str:
        last = state["messages"][-1]
        return "act" if isinstance(last, AIMessage) and last.tool_calls else END

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("act", act)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", more, ["act", END])
    graph.add_edge("act", "think")
    return graph.compile()


def test_a_node_drawn_by_hand_that_runs_a_tool_is_seen_and_stubbed() -> None:
    """Any way of running a LangChain tool asks the turn first."""
    tools = {"search": tool(search), "lookup": tool(lookup)}

    async def run(call: Any) -> str:
        return str(await tools[call["name"]].ainvoke(call["args"]))

    made = tried(by_hand(run), stubs={"search": "canned"}, calls={"search": {"query": "bank"}})
    assert (made.status, made.transcript.calls[0].outcome, ran) == ("passed", "stubbed", [])
    made = tried(by_hand(run))
    assert (made.status, made.transcript.calls[0].outcome, ran) == ("passed", "ran", [("search", "bank")])


def test_a_node_drawn_by_hand_that_runs_a_function_is_out_of_reach() -> None:
    """A stub for it is an error that names it, before anything is spent; without one it is seen to have run."""

    async def run(call: Any) -> str:
        return await search(**call["args"])

    made = tried(by_hand(run), stubs={"search": "canned"})
    assert (made.status, ran, made.transcript.iterations) == ("error", [], 1)
    assert "the stub for search can't reach it" in made.verdict.failures[0].message
    made = tried(by_hand(run), calls={"search": {}})
    assert (made.status, made.transcript.calls[0].outcome) == ("passed", "ran")


def test_a_graph_that_remembers_its_threads_gets_one_of_its_own() -> None:
    """Each attempt a new one."""
    graph = create_agent(Scripted(plan=["hi"]), [], checkpointer=InMemorySaver())
    assert [tried(graph).transcript.reply for _ in range(2)] == ["hi", "hi"]


def test_what_has_no_messages_is_refused() -> None:
    """In a sentence that says what to do."""
    with pytest.raises(UsageError, match="its state must have `messages`"):
        adapt(StateGraph(MessagesState))


def test_a_streaming_client_is_recorded_and_replayed_event_by_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its calls come in pieces, as they did."""
    from langchain_openai import ChatOpenAI

    ran.clear()
    asked = {"index": 0, "id": "call_9", "type": "function", "function": {"name": "search", "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": each}} for each in ('{"query":', ' "bank"}')]
    first = events({"role": "assistant", "tool_calls": [asked]}, *[{"tool_calls": [each]} for each in pieces])
    last = events({"role": "assistant", "content": "Rates "}, {"content": "were held."})

    def agent(url: str) -> Any:
        async def build() -> Any:
            client = ChatOpenAI(model="gpt-4o", base_url=url + "/v1", api_key="none", streaming=True, stream_usage=True)
            return create_agent(client, [tool(search)])

        return build

    case = Case("streams", said="rates?")
    with wired(first, last) as wire:
        one = made(tmp_path, agent(wire.url), case, record=True)
    tried = unplugged(monkeypatch)
    two = made(tmp_path, agent("http://127.0.0.1:9"), case, replay=True)
    assert (one.status, two.status, tried, ran) == ("passed", "passed", [], [("search", "bank")])
    assert one.transcript.reply == two.transcript.reply == "Rates were held."
    assert one.transcript.tokens == two.transcript.tokens == 14


def events(*deltas: dict[str, Any]) -> Any:
    """A chat's stream of these deltas."""
    used = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    about = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o"}
    chunks = [{**about, "choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in deltas]
    chunks.append({**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": used})
    lines = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    return 200, {"content-type": "text/event-stream"}, [*lines, b"data: [DONE]\n\n"], False


STREAMS = ["astream", "stream", "astream_events", "thread"]


def streaming(how: str, inner: Any) -> Any:
    """An agent whose tool runs another part by part."""
    other = create_agent(Scripted(plan=inner), [tool(each) for each in TOOLS], name="inner")
    said: Any = {"messages": [{"role": "user", "content": "rates"}]}

    @tool
    async def ask(question: str) -> str:
        """Ask the other agent."""
        if how == "astream_events":
            async for _ in other.astream_events(said, version="v2"):
                pass
            return "heard"
        if how == "astream":
            states = [state async for state in other.astream(said, stream_mode="values")]
        elif how == "stream":
            states = await anyio.to_thread.run_sync(lambda: list(other.stream(said, stream_mode="values")))
        else:
            states = await anyio.to_thread.run_sync(
                lambda: in_bare_thread(lambda: list(other.stream(said, stream_mode="values")))
            )
        return str(states[-1]["messages"][-1].content)

    return create_agent(Scripted(plan=[[("ask", {"question": "rates"})], "done"]), [ask])


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
@pytest.mark.parametrize("how", STREAMS)
def test_an_agent_that_is_run_part_by_part_is_an_inner_agent(how: str, stubbed: bool) -> None:
    """By its name; in a thread that lost the turn it does not run."""
    given: Any = [("lookup", {"word": "bank"})]
    made = tried(streaming(how, [given, "found"]), stubs={"lookup": "canned"} if stubbed else {})
    if how == "thread":
        assert (made.status, ran) == ("error", [])
        assert "inner was used in a thread or task without the turn's context" in made.verdict.failures[0].message
        return
    assert (made.status, made.verdict.failures, made.transcript.reply) == ("passed", (), "done")
    ask, looked = made.transcript.calls
    assert (ask.agent, looked.agent, looked.outcome) == (None, "inner", "stubbed" if stubbed else "ran")
    assert (made.transcript.iterations, made.transcript.tokens, bool(ran)) == (4, 48, not stubbed)


class Completes(BaseLLM):
    """A model that completes a text."""

    tells: bool

    @property
    def _llm_type(self) -> str:
        return "completes"

    def _generate(self, prompts: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> LLMResult:
        used = {"prompt_tokens": 7, "completion_tokens": 3} if self.tells else {}
        return LLMResult(
            generations=[[Generation(text="completed")]], llm_output={"token_usage": used, "model_name": "old"}
        )


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("tells", [True, False])
def test_a_model_that_completes_a_text_is_heard(tells: bool, asynchronous: bool) -> None:
    """Or a budget would be kept by whoever is not heard."""
    model = Completes(tells=tells)

    def write(state: Any) -> Any:
        return {"messages": [AIMessage(model.invoke("hello"))]}

    async def awrite(state: Any) -> Any:
        return {"messages": [AIMessage(await model.ainvoke("hello"))]}

    graph = StateGraph(MessagesState).add_node("write", awrite if asynchronous else write).add_edge(START, "write")
    made = tried(graph.compile(), budget=Budget(tokens=9))
    told = (
        "spent 10 tokens, budget 9" if tells else "cannot tell tokens spent: the model reported no usage on 1 of 1 call"
    )
    assert (made.status, made.verdict.failures[0].message) == ("failed" if tells else "error", told)
    (asked,) = made.transcript.requests
    assert (made.transcript.reply, made.transcript.iterations, asked.model) == ("completed", 1, "old")


class Route(BaseModel):
    """Where to go."""

    where: str


@pytest.mark.parametrize("unstubbed", ["run", "refuse"])
def test_the_form_of_structured_output_is_no_call(unstubbed: Any) -> None:
    """Where a node asks a model for it by a tool, which nobody runs."""
    router = Scripted(plan=[[("Route", {"where": "news"})]]).with_structured_output(Route)
    model = Scripted(plan=[ASKS, "done"]).bind_tools([tool(search)])

    async def route(state: Any) -> Any:
        assert await router.ainvoke(state["messages"]) == Route(where="news")
        return {}

    async def ask(state: Any) -> Any:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState).add_node("route", route).add_node("ask", ask)
    graph.add_node("tools", ToolNode([tool(search)])).add_edge(START, "route").add_edge("route", "ask")
    graph.add_conditional_edges("ask", tools_condition).add_edge("tools", "ask")

    async def build() -> Any:
        return graph.compile()

    case = Case("case", said="hello", stubs={"search": "canned"}, budget=Budget(tool_calls=1), order=["search"])
    made = attempt(build, case, unstubbed=unstubbed)
    assert (made.status, made.verdict.failures, made.transcript.names) == ("passed", (), ["search"])
    assert (made.transcript.iterations, made.transcript.reply) == (3, "done")


@pytest.mark.parametrize("stubs", [{}, {"answer": "canned"}], ids=["real", "stubbed"])
def test_a_tool_that_answers_for_the_agent_is_its_reply(stubs: Any) -> None:
    """The model is not asked again."""

    @tool(return_direct=True)
    def answer(word: str) -> str:
        """Answer."""
        return f"direct {word}"

    made = tried(create_agent(Scripted(plan=[[("answer", {"word": "x"})]]), [answer]), stubs=stubs)
    assert (made.status, made.transcript.reply) == ("passed", "canned" if stubs else "direct x")
    assert tried(create_agent(Scripted(plan=[[("answer", {"word": "x"})]]), [answer]), silent=True).status == "failed"


KEPT = tool(lookup)


@tool
def passes_on(word: str) -> str:
    """Look a word up by the other tool."""
    return str(KEPT.invoke({"word": word}))


@pytest.mark.parametrize("stubbed", [False, True], ids=["real", "stubbed"])
def test_a_tool_that_runs_another_is_seen_and_stubbed(stubbed: bool) -> None:
    """Though the agent has only the one."""
    agent = create_agent(Scripted(plan=[[("passes_on", {"word": "x"})], "done"]), [passes_on])
    made = tried(agent, stubs={"lookup": "canned"} if stubbed else {})
    assert (made.status, made.verdict.failures, made.transcript.names) == ("passed", (), ["passes_on", "lookup"])
    assert ([call.result for call in made.transcript.calls], bool(ran)) == (
        ["canned", "canned"] if stubbed else ["looked up x", "looked up x"],
        not stubbed,
    )
