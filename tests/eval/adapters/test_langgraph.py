"""The adapter for LangChain and LangGraph keeps the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph", reason="langgraph is not installed here")

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

from brute import UsageError
from brute.eval import Budget, Case
from brute.eval.adapters import adapt
from tests.eval.adapters.rows import ASKS, Rows
from tests.support.agents import attempt
from tests.support.frameworks import TOOLS, lookup, ran, search
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
