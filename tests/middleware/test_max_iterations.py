"""A cap on the passes of the loop."""

from __future__ import annotations

from typing import Any

import pytest

import brute
from brute import UsageError
from brute.middleware import MaxIterations, ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import asks, tool


def search() -> str:
    """A tool."""
    return "found"


def runaway(limit: int, calls: int = 5) -> Any:
    """An agent that never ends by itself, with a cap."""
    script = Script([*[asks("search")] * calls, "done"])
    return brute.agent().use(ToolLoop).use(MaxIterations, limit).use(Tools, [tool(search)]).run(script), script


def test_past_the_cap_the_turn_ends_on_a_tool_result_and_says_why() -> None:
    """Without a reply. Seen in the original: it appended a user message, and the cap was off by one."""
    agent, script = runaway(3)
    env = agent.start("hi")
    assert (script.calls, env.iteration, env.reply, env.stopped) == (3, 3, "", "MaxIterations(3)")
    assert env.messages[-1].role == "tool"


def test_a_turn_that_ends_at_the_cap_was_not_stopped() -> None:
    """The sixth pass is the last that it is allowed, and the last that it needs."""
    agent, script = runaway(6)
    env = agent.start("hi")
    assert (script.calls, env.iteration, env.reply, env.stopped) == (6, 6, "done", None)


def test_a_cap_above_the_loop_caps_nothing_and_says_so() -> None:
    """It is passed once, whatever the loop below it does."""
    agent = (
        brute.agent()
        .use(MaxIterations, 1)
        .use(ToolLoop)
        .use(Tools, [tool(search)])
        .run(Script([asks("search"), "done"]))
    )
    with pytest.raises(UsageError, match=r"MaxIterations\(1\) caps nothing above the loop; put it under ToolLoop"):
        agent.start("hi")


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "3", None])
def test_a_cap_that_is_none_is_refused_when_the_agent_is_built(limit: Any) -> None:
    """With what is allowed."""
    with pytest.raises(UsageError, match="MaxIterations takes a whole number of at least 1, got"):
        brute.agent().use(MaxIterations, limit)
