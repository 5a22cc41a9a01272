"""The events of a turn: declared in one table, always in pairs, and no place for a slip to hide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

import brute
from brute import EVENTS, HookError, UsageError
from brute.errors import TurnStopped
from brute.hooks import Registry, ToolEvent
from brute.middleware import ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import asks, build, tool


def record(agent: Any) -> list[str]:
    """The events that the agent fires, as they come."""
    seen: list[str] = []
    for event in EVENTS:
        agent.on(event, lambda payload, event=event: seen.append(f"{event} failed" if payload.error else event))
    return seen


def search() -> str:
    """A tool."""
    return "found"


def broken() -> str:
    """A tool that raises."""
    raise KeyError("id")


@pytest.mark.parametrize("name", ["befor_tool", "tool_start", "", None, 3, ["before_tool"]])
def test_an_event_that_is_not_in_the_table_is_refused(name: Any) -> None:
    """At once, by every door. Seen in the original: stale names stubbed nothing while real tools ran."""
    with pytest.raises(UsageError, match=r"no event .*events are before_turn, after_turn, before_llm"):
        brute.agent().on(name, print)
    with pytest.raises(UsageError):
        brute.agent().on(name)
    with pytest.raises(UsageError, match="must be callable"):
        Registry().on("before_tool", "print")  # type: ignore[arg-type]


def test_events_come_in_pairs_and_in_order() -> None:
    """Around the turn, each model call and each tool call."""
    agent = build([asks("search"), "done"], [tool(search)])
    seen = record(agent)
    agent.start("hi")
    assert seen == [
        "before_turn", "before_llm", "after_llm", "before_tool", "approve_tool", "after_tool", "before_llm", "after_llm", "after_turn",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("replies", "tools", "after"),
    [
        ([RuntimeError("down")], [], ["after_llm failed", "after_turn failed"]),
        ([asks("broken"), "done"], [broken], ["after_llm", "after_tool failed", "after_llm", "after_turn"]),
        ([asks("serch"), "done"], [search], ["after_llm", "after_tool failed", "after_llm", "after_turn"]),
        ([asks(("search", "{")), "done"], [search], ["after_llm", "after_tool failed", "after_llm", "after_turn"]),
    ],
    ids=["model", "tool", "unknown tool", "malformed"],
)
def test_what_fails_has_its_after_event_too(replies: list[Any], tools: list[Any], after: list[str]) -> None:
    """With the error. Seen in the original: the end was skipped on failure."""
    agent = build(replies, [tool(each) for each in tools])
    seen = record(agent)
    try:
        agent.start("hi")
    except RuntimeError:
        pass
    assert [each for each in seen if each.startswith("after")] == after


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("raised", [KeyError("id"), TurnStopped("enough")], ids=["error", "stop"])
def test_a_subscriber_that_raises_leaves_no_event_without_its_pair(event: str, raised: BaseException) -> None:
    """Whoever saw the beginning sees the end, with the error."""
    agent = build([asks("search"), "done"], [tool(search)])
    seen = record(agent)

    def slips(payload: Any) -> None:
        raise raised

    agent.on(event, slips)
    with pytest.raises((HookError, TurnStopped)):
        agent.start("hi")
    for phase in ("turn", "llm", "tool"):
        begun = [each for each in seen if each.startswith(f"before_{phase}")]
        assert len([each for each in seen if each.startswith(f"after_{phase}")]) == len(begun)
    assert seen[-1] == ("after_turn" if event == "after_turn" else "after_turn failed")


@pytest.mark.parametrize(
    "raised", [KeyError("id"), HookError("broken"), TurnStopped("enough")], ids=["error", "hook", "stop"]
)
@pytest.mark.parametrize("waits", [False, True], ids=["inline", "awaited"])
@pytest.mark.parametrize("event", ["after_turn", "after_llm", "after_tool"])
def test_what_ends_is_told_to_those_after_a_subscriber_that_raises(
    event: str, waits: bool, raised: BaseException
) -> None:
    """Whoever heard the beginning is owed the end; what is raised is what the first of them raised."""
    agent, heard = build([asks("search"), "done"], [tool(search)]), []

    def slips(payload: Any) -> None:
        raise raised

    async def slips_later(payload: Any) -> None:
        raise raised

    agent.hooks.on(event, slips_later if waits else slips, inline=not waits)
    agent.hooks.on(event, lambda payload: 1 / 0, inline=True)
    agent.hooks.on(event, heard.append, inline=True)
    with pytest.raises((HookError, TurnStopped), match=r"id|broken|enough"):
        agent.start("hi")
    assert heard


@pytest.mark.parametrize("event", ["before_tool", "approve_tool", "after_tool", "before_llm", "after_turn"])
def test_a_subscriber_that_raises_is_named_and_never_shown_to_the_model(event: str) -> None:
    """Seen in the original: a raising stub was shown to the model as a tool error."""
    agent = build([asks("search"), "done"], [tool(search)])

    async def slips(payload: Any) -> None:
        raise KeyError("id")

    agent.on(event, slips)
    with pytest.raises(HookError, match=rf"^the {event} subscriber tests.test_hooks.*slips raised KeyError: 'id'$"):
        agent.start("hi")


def test_a_hook_error_inside_a_tool_is_not_shown_to_the_model_either() -> None:
    """An agent that is a tool of another has subscribers too."""
    inner = build(["done"])
    inner.on("before_llm", lambda event: 1 / 0)

    async def ask() -> str:
        """Ask the inner agent."""
        return (await inner.astart("hi")).reply

    with pytest.raises(HookError, match="ZeroDivisionError"):
        build([asks("ask"), "done"], [tool(ask)]).start("hi")


@pytest.mark.parametrize("result", [None, False, "", 0, {"a": 1}], ids=repr)
def test_an_answer_is_served_instead_of_the_tool_whatever_it_is(result: Any) -> None:
    """Seen in the original: a nil stub ran the tool."""
    ended: list[Any] = []
    agent = build([asks("broken"), "done"], [tool(broken)]).on("before_tool", lambda event: event.answer(result))
    agent.on("after_tool", lambda event: ended.append((event.outcome, event.result, event.error)))
    env = agent.start("hi")
    assert ended == [("stubbed", result, None)]
    assert env.messages[-2].failed is False


def test_an_answered_call_is_asked_for_approval_too() -> None:
    """Seen in the original: stubbed calls skipped the policy that ships."""
    asked: list[str] = []

    def refuse(event: ToolEvent) -> None:
        asked.append(event.name)
        event.deny("not today")

    ended: list[Any] = []
    agent = build([asks("search"), "done"], [tool(search)]).on("before_tool", lambda event: event.answer("x"))
    agent.on("approve_tool", refuse).on("after_tool", lambda event: ended.append(event.outcome))
    env = agent.start("hi")
    assert (asked, ended, env.messages[-2].content, env.messages[-2].failed) == (
        ["search"],
        ["denied"],
        "denied: not today",
        True,
    )


def test_an_exception_as_an_answer_is_the_tools_own() -> None:
    """The model reads it as it would the tool's."""
    agent = build([asks("search"), "done"], [tool(search)]).on(
        "before_tool", lambda event: event.answer(TimeoutError("slow"))
    )
    assert agent.start("hi").messages[-2].content == "error: TimeoutError: slow"


def test_what_a_subscriber_returns_is_nothing() -> None:
    """One takes part by acting on the payload."""
    agent = (
        build([asks("search"), "done"], [tool(search)])
        .on("before_tool", lambda event: False)
        .on("approve_tool", lambda event: "no")
    )
    assert agent.start("hi").messages[-2].content == "found"


def test_subscribers_are_called_in_the_order_in_which_they_came_until_they_end() -> None:
    """Each subscription ends by itself, also one that was made twice."""
    registry, seen = Registry(), []
    subscriber: Callable[[Any], None] = seen.append
    ends = [registry.on("before_llm", subscriber), registry.on("before_llm", subscriber, inline=True)]
    anyio.run(registry.emit, "before_llm", 1)
    ends[0]()
    ends[0]()
    anyio.run(registry.emit, "before_llm", 2)
    assert seen == [1, 1, 2]


def test_on_is_a_decorator_too() -> None:
    """And gives the function back."""
    agent = brute.agent().use(ToolLoop).use(Tools, []).run(Script(["hi"]))
    seen: list[Any] = []

    @agent.on("after_turn")
    def watch(event: Any) -> None:
        seen.append(event.env.reply)

    agent.start("x")
    assert seen == ["hi"]
    assert watch.__name__ == "watch"
