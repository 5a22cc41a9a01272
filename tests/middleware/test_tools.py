"""The layer that offers tools and runs those that the model asks for."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

import brute
from brute import Tool, ToolCall, UsageError
from brute.middleware import ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import asks, build, tool


def search(query: str = "") -> str:
    """A tool."""
    return f"found {query}"


def read(path: str) -> str:
    """Another."""
    raise FileNotFoundError(path)


def told(env: Any) -> list[tuple[str, bool]]:
    """What the model read of its calls."""
    return [(message.content, message.failed) for message in env.messages if message.role == "tool"]


@pytest.mark.parametrize(
    ("call", "sentence", "failed"),
    [
        (("search", {"query": "x"}), "found x", False),
        (("search", '{"query": "x"}'), "found x", False),
        (("search", None), "found ", False),
        (("read", {"path": "a"}), "error: FileNotFoundError: a", True),
        (("serch", {}), 'error: there is no tool "serch" (did you mean "search"?); tools are search, read', True),
        (("search", "{"), "error: the arguments are not a JSON object: {", True),
        (("read", {}), "error: path: Field required", True),
        (("read", {"path": 3}), "error: path: Input should be a valid string", True),
        (("read", {"path": "a", "mode": "w"}), "error: mode: Extra inputs are not permitted", True),
    ],
)
def test_how_a_call_ends_is_told_to_the_model(call: Any, sentence: str, failed: bool) -> None:
    """A tool that raises, a name that is none and bad arguments are errors that it can read."""
    env = build([asks(call), "done"], [brute.tool(search), brute.tool(read)]).start("hi")
    assert told(env) == [(sentence, failed)]
    assert env.reply == "done"


def test_a_batch_runs_at_once_and_its_results_stand_in_the_order_of_the_calls() -> None:
    """Edge case 7: the second ends first, and each waits for the other to have begun."""
    began = anyio.Event()
    order: list[str] = []

    async def slow() -> str:
        """Ends when the other has."""
        await began.wait()
        order.append("slow")
        return "slow"

    async def quick() -> str:
        """Lets the other end."""
        order.append("quick")
        began.set()
        return "quick"

    env = build([asks("slow", "quick"), "done"], [tool(slow), tool(quick)]).start("hi")
    assert order == ["quick", "slow"]
    assert [message.content for message in env.messages[-3:-1]] == ["slow", "quick"]
    ids = [call.id for call in env.messages[1].tool_calls]
    assert [message.tool_call_id for message in env.messages[-3:-1]] == ids


def test_a_sync_tool_runs_on_a_thread_of_its_own() -> None:
    """Two that wait for each other both end."""
    barrier = threading.Barrier(2, timeout=5)

    def meet() -> str:
        """Wait for the other."""
        barrier.wait()
        return "met"

    env = build([asks("meet", "meet"), "done"], [tool(meet)]).start("hi")
    assert told(env) == [("met", False), ("met", False)]


def test_arguments_changed_by_a_subscriber_are_those_that_run() -> None:
    """And the call is still the one that the model made."""
    seen: list[Any] = []
    agent = build([asks(("search", {"query": "a"})), "done"], [brute.tool(search)])
    agent.on("before_tool", lambda event: event.arguments.update(query="b"))
    agent.on("after_tool", lambda event: seen.append((event.call.arguments, event.arguments)))
    assert told(agent.start("hi")) == [("found b", False)]
    assert seen == [({"query": "a"}, {"query": "b"})]


def test_of_several_layers_the_outermost_dispatches_for_all() -> None:
    """Each call once."""
    agent = brute.agent().use(ToolLoop).use(Tools, [tool(search)]).use(Tools, [brute.tool(read)])
    agent.run(Script([asks("search", ("read", {"path": "a"})), "done"]))
    assert [each.name for each in agent.tools] == ["search", "read"]
    assert told(agent.start("hi")) == [("found ", False), ("error: FileNotFoundError: a", True)]


def test_a_message_with_calls_and_text_is_dispatched() -> None:
    """The text is no reply."""
    message = brute.Message(role="assistant", content="I'll look", tool_calls=(ToolCall(name="search"),))
    env = build([message, "done"], [tool(search)]).start("hi")
    assert (len(told(env)), env.reply) == (1, "done")


@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        (iter([search]), "tools come as a list, got <list_iterator"),
        (search, "tools come as a list, got <function search"),
        (Tool(name="f", function=search), r"tools come as a list, got Tool\('f'\)"),
        ("search", "tools come as a list, got 'search'"),
        ({"search": search}, "tools come as a list, got {"),
        ([3], "a tool must be a Tool or a function, got 3"),
        ([search, search], 'two tools are called "search"'),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_are_no_tools_is_refused_when_the_agent_is_built(tools: Any, sentence: str) -> None:
    """A generator too: it would be empty when the turn comes, and the agent without tools."""
    with pytest.raises(UsageError, match=sentence):
        brute.agent().use(Tools, tools)
