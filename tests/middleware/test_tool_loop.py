"""The loop of a turn."""

from __future__ import annotations

from typing import Any

import brute
from brute import Message
from brute.middleware import ToolLoop
from brute.testing import Script
from tests.support.agents import asks, build, tool


def search() -> str:
    """A tool."""
    return "found"


def test_the_stack_below_is_entered_again_while_it_ends_on_a_tool_result() -> None:
    """Each pass is an iteration, counted from 1."""
    script = Script([asks("search"), asks("search"), "done"])
    env = build(script, [tool(search)]).start("hi")
    assert (script.calls, env.iteration, env.reply) == (3, 3, "done")


def test_a_layer_that_declines_ends_the_loop() -> None:
    """And the pass that did not take place is not counted."""

    class Gate:
        """Declines from the second pass on."""

        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            if env.iteration < 2:
                await self.app(env)

    env = build([asks("search"), "done"], [tool(search)], layers=[Gate]).start("hi")
    assert (env.iteration, env.messages[-1].role) == (1, "tool")


def test_a_request_that_nobody_dispatches_ends_the_turn() -> None:
    """Without the layer that runs tools there is nothing to go on with."""
    env = brute.agent().use(ToolLoop).run(Script([asks("search")])).start("hi")
    assert (env.reply, len(env.messages)) == ("", 2)


def test_a_conversation_that_ends_on_a_tool_result_starts_with_a_model_call() -> None:
    """As any other."""
    env = brute.agent().use(ToolLoop).run(Script(["done"])).start([Message(role="tool", content="x")])
    assert (env.iteration, env.reply) == (1, "done")
