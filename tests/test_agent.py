"""The agent builder, and the two doors that start a turn."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import anyio
import pytest

import brute
from brute import Message, Messages, UsageError
from brute.middleware import MaxIterations, SystemPrompt, ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import asks


@brute.tool
def search(query: str) -> str:
    """Search."""
    return f"found {query}"


READY = """
import sys
import brute
from brute.testing import Script
from brute.middleware import ToolLoop, Tools

def search(query: str) -> str:
    raise RuntimeError(query)

by_schema = brute.Tool(name="f", parameters={"type": "object"}, function=search)
anyio = __import__("anyio")
anyio.run(brute.agent().use(ToolLoop).use(Tools, [by_schema]).run(Script(["done"])).ready)
print("pydantic.main" in sys.modules)
anyio.run(brute.agent().use(ToolLoop).use(Tools, [brute.tool(search)]).run(Script(["done"])).ready)
print("pydantic.main" in sys.modules)
"""


def test_an_agent_that_is_ready_can_check_the_arguments_of_its_tools() -> None:
    """Importing what does that took a good part of a second of the first attempts' turns, and was told of as the tool's."""
    done = subprocess.run([sys.executable, "-c", READY], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.split(), done.stderr) == (["False", "True"], "")


def test_an_agent_reads_as_its_stack() -> None:
    """The whole of section 3's example, with a scripted model."""
    seen: list[str] = []
    agent = (
        brute.agent()
        .use(SystemPrompt, "Answer in one sentence.")
        .use(ToolLoop)
        .use(MaxIterations, 20)
        .use(Tools, [search])
        .run(Script([asks(("search", {"query": "rates"})), "They held."]))
        .on("before_tool", lambda event: seen.append(event.name))
    )
    env = agent.start("what changed?")
    assert (env.reply, env.iteration, seen, [tool.name for tool in agent.tools]) == (
        "They held.",
        2,
        ["search"],
        ["search"],
    )
    assert [message.role for message in env.messages] == ["system", "user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize(
    ("input", "roles"),
    [
        ("hi", ["user"]),
        ("", ["user"]),
        (Message(role="user", content="hi"), ["user"]),
        ([Message(role="user"), Message(role="assistant")], ["user", "assistant"]),
        (Messages().user("a"), ["user"]),
        ((), []),
        (None, []),
    ],
    ids=repr,
)
def test_what_a_turn_starts_with(input: Any, roles: list[str]) -> None:
    """A text, a message, a conversation or nothing; a list is not extended in place."""
    before = len(input) if isinstance(input, list) else 0
    env = brute.agent().run(Script(["x"])).start(input)
    assert [message.role for message in env.messages] == [*roles, "assistant"]
    assert not isinstance(input, list) or len(input) == before


@pytest.mark.parametrize("input", [3, b"hi", ["hi"], {"role": "user"}, [Message(role="user"), "x"]], ids=repr)
def test_what_no_turn_can_start_with_is_refused(input: Any) -> None:
    """With what can."""
    with pytest.raises(UsageError, match="a turn starts with a text, a Message, a list of Messages or nothing, got"):
        brute.agent().run(Script(["x"])).start(input)


def test_inside_a_running_loop_start_says_what_to_await() -> None:
    """And the awaited door works there, many at once."""
    agent = brute.agent().run(lambda env: f"to {env.messages[0].content}")
    replies: dict[int, str] = {}

    async def one(number: int) -> None:
        replies[number] = (await agent.astart(str(number))).reply

    async def main() -> None:
        with pytest.raises(UsageError, match=r"write: await agent\.astart\(\.\.\.\)"):
            agent.start("hi")
        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(one, number)

    anyio.run(main)
    assert replies == {number: f"to {number}" for number in range(5)}


def test_what_can_not_be_built_is_refused_when_it_is_built() -> None:
    """Not in the middle of a turn."""
    with pytest.raises(UsageError, match=r"this agent has no completion; add \.run\(completion\)"):
        brute.agent().start("hi")
    with pytest.raises(UsageError, match="a completion must be callable with the env, got 'openai:gpt-5'"):
        brute.agent().run("openai:gpt-5")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"a middleware is a class taking \(app, \*options\), got 3"):
        brute.agent().use(3)


def test_what_a_turn_raises_comes_out_as_it_went_in() -> None:
    """Through the loop and the tools."""

    def fails(env: Any) -> None:
        raise KeyError("id")

    with pytest.raises(KeyError):
        brute.agent().use(ToolLoop).use(Tools, [search]).run(fails).start("hi")


@pytest.mark.parametrize(
    ("middleware", "options", "named", "sentence"),
    [
        (
            SystemPrompt,
            (),
            {},
            (
                "SystemPrompt can't be used with these options: missing a required argument: 'prompt'; "
                "it takes prompt: 'str | Callable[[Env], Any]'"
            ),
        ),
        (
            ToolLoop,
            (3,),
            {},
            "ToolLoop can't be used with these options: too many positional arguments; it takes no options",
        ),
        (
            MaxIterations,
            (),
            {"limits": 3},
            "MaxIterations can't be used with these options: missing a required argument: 'limit'; it takes limit: 'int'",
        ),
    ],
)
def test_options_that_a_middleware_does_not_take_are_refused(
    middleware: Any, options: tuple[Any, ...], named: dict[str, Any], sentence: str
) -> None:
    """When it is put into the agent, and not at the first turn."""
    with pytest.raises(UsageError) as caught:
        brute.agent().use(middleware, *options, **named)
    assert str(caught.value) == sentence


def test_options_that_a_middleware_takes_are_kept() -> None:
    """By position or by name; and whatever has no signature to read is left alone."""
    brute.agent().use(SystemPrompt, "x").use(MaxIterations, limit=3).use(ToolLoop).use(lambda app, more=1: app).use(
        type
    )


def test_no_sentence_holds_an_address() -> None:
    """The same slip is told in the same bytes."""
    for slip in (lambda: brute.agent().use(object()), lambda: brute.agent().run(object())):  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"got <object object>$"):
            slip()
