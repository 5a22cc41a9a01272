"""What the model is told before everything else."""

from __future__ import annotations

from typing import Any

import pytest

import brute
from brute import UsageError
from brute.middleware import SystemPrompt, ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import asks, build, tool


def search() -> str:
    """A tool."""
    return "found"


def roles(env: Any) -> list[tuple[str, str]]:
    """Role and text of each message."""
    return [(message.role, message.content) for message in env.messages]


def test_the_prompt_stands_first_and_once_however_often_the_loop_passes() -> None:
    """A turn of two iterations has one system message."""
    env = build([asks("search"), "done"], [tool(search)], layers=[]).start("hi")
    assert [role for role, _ in roles(env)] == ["user", "assistant", "tool", "assistant"]
    agent = (
        brute.agent()
        .use(ToolLoop)
        .use(SystemPrompt, "Be brief.")
        .use(Tools, [tool(search)])
        .run(Script([asks("search"), "done"]))
    )
    assert roles(agent.start("hi"))[:2] == [("system", "Be brief."), ("user", "hi")]
    assert [role for role, _ in roles(brute.agent().use(SystemPrompt, "x").run(Script(["a"])).start())] == [
        "system",
        "assistant",
    ]


def test_of_several_the_outer_stands_first() -> None:
    """As one reads the stack."""
    agent = brute.agent().use(SystemPrompt, "one").use(SystemPrompt, "two").run(Script(["a"]))
    assert roles(agent.start("hi"))[:3] == [("system", "one"), ("system", "two"), ("user", "hi")]


def test_a_prompt_that_changes_with_the_iteration_is_replaced_and_not_piled_up() -> None:
    """A function, sync or async, is asked at each pass."""

    async def prompt(env: Any) -> str:
        return f"pass {env.iteration}"

    agent = (
        brute.agent()
        .use(ToolLoop)
        .use(SystemPrompt, prompt)
        .use(Tools, [tool(search)])
        .run(Script([asks("search"), "done"]))
    )
    assert [each for each in roles(agent.start("hi")) if each[0] == "system"] == [("system", "pass 2")]
    assert roles(brute.agent().use(SystemPrompt, lambda env: "sync").run(Script(["a"])).start())[0] == (
        "system",
        "sync",
    )


def test_a_conversation_that_has_the_prompt_already_keeps_it() -> None:
    """An earlier turn put it there."""
    agent = brute.agent().use(SystemPrompt, "x").run(Script(["a", "b"]))
    assert [role for role, _ in roles(agent.start([*agent.start("hi").messages]))] == [
        "system",
        "user",
        "assistant",
        "assistant",
    ]


def test_what_is_no_prompt_is_refused_when_the_agent_is_built() -> None:
    """And a function that gives none, when it is asked."""
    with pytest.raises(UsageError, match="SystemPrompt takes a text or a function of the env, got 3"):
        brute.agent().use(SystemPrompt, 3)
    with pytest.raises(UsageError, match="content must be a text, got 3"):
        brute.agent().use(SystemPrompt, lambda env: 3).run(Script(["a"])).start("hi")


def test_what_is_done_to_the_prompt_by_force_is_in_no_other_turn() -> None:
    """A layer that writes into the message, frozen as it is, has a fresh one in the next turn, and so has every other agent."""

    class Stamps:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            object.__setattr__(env.messages[0], "content", env.messages[0].content + "!")
            await self.app(env)

    def agent() -> brute.Agent:
        script = Script([asks("search"), "done"])
        return brute.agent().use(ToolLoop).use(SystemPrompt, "be").use(Stamps).use(Tools, [tool(search)]).run(script)

    assert [roles(agent().start("hi"))[0] for _ in range(3)] == [("system", "be!")] * 3


def test_a_layer_made_of_it_may_change_the_text_at_each_pass() -> None:
    """What stands there is what it says now."""

    class Counts(SystemPrompt):
        async def __call__(self, env: Any) -> None:
            self.prompt = f"pass {env.iteration}"
            await super().__call__(env)

    script = Script([asks("search"), "done"])
    agent = brute.agent().use(ToolLoop).use(Counts, "none").use(Tools, [tool(search)]).run(script)
    assert [each for each in roles(agent.start("hi")) if each[0] == "system"] == [("system", "pass 2")]
