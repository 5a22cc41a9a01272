"""What happens beside the hooks is seen in the conversation that it leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import brute
from brute import Message, ToolCall
from brute.eval import Budget, Case
from brute.middleware import ToolLoop
from brute.testing import Script
from tests.support.agents import Live, attempt


class Answers:
    """A layer that answers what the model asks for by itself, each call as `says` says, and asks the model again."""

    def __init__(self, app: Any, tool: Any, says: Callable[[Any], Message]) -> None:
        self.app = app
        self.says = says

    @staticmethod
    def declares_tools(tool: Any, says: Any) -> Any:
        return [tool]

    async def __call__(self, env: Any) -> None:
        await self.app(env)
        while env.messages[-1].tool_calls:
            env.messages += [self.says(call) for call in env.messages[-1].tool_calls]
            await self.app(env)


def makes(says: Callable[[Any], Message], *replies: Any) -> Any:
    """A factory of agents with that layer, whose model asks for `search` first."""
    asked = Message(role="assistant", tool_calls=(ToolCall(id="1", name="search"),))
    return lambda: brute.agent().use(ToolLoop).use(Answers, Live().tool, says).run(Script([asked, *replies, "done"]))


WITHOUT_ID = [
    lambda call: Message(role="tool", content="r"),
    lambda call: Message(role="user", content="r"),
    lambda call: Message(role="tool", content="r", tool_call_id="other"),
]


@pytest.mark.parametrize("says", WITHOUT_ID)
def test_a_conversation_that_goes_on_after_a_call_of_which_no_hook_told_is_an_error_where_the_tool_must_not_run(
    says: Any,
) -> None:
    """The answer names no call, or is none: its body may have run."""
    sentence = "search was answered outside the agent's hooks, where no stub can be served"
    made = attempt(makes(says), Case("a", said="x", stubs={"search": "canned"}))
    assert (made.status, made.verdict.sentences) == ("error", [sentence])
    assert attempt(makes(says), unstubbed="refuse").verdict.sentences == [sentence]
    assert attempt(makes(says)).passed


def test_an_answer_without_an_id_at_the_calls_place_is_one() -> None:
    """So the call counts as ran."""
    made = attempt(makes(WITHOUT_ID[0]))
    assert [call.outcome for call in made.transcript.calls] == ["ran"]
    assert [call.outcome for call in attempt(makes(WITHOUT_ID[1])).transcript.calls] == ["denied"]


def test_an_answer_whose_request_a_layer_took_out_is_one_still() -> None:
    """The message that asked is gone, and the result names the call."""

    class Forgets(Answers):
        async def __call__(self, env: Any) -> None:
            await self.app(env)
            call = env.messages.pop().tool_calls[0]
            env.messages.tool("r", call.id)
            await self.app(env)

    asked = Message(role="assistant", tool_calls=(ToolCall(id="1", name="search"),))

    def make() -> brute.Agent:
        return brute.agent().use(Forgets, Live().tool, str).run(Script([asked, "done"]))

    assert [call.outcome for call in attempt(make).transcript.calls] == ["ran"]
    assert attempt(make, unstubbed="refuse").verdict.failures[0].kind == "error.stub"


def test_a_call_that_the_spent_budget_kept_from_beginning_is_no_error() -> None:
    """A layer swallows the stop and goes on: the budget says what is wrong with the turn."""

    class Swallows:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            try:
                await self.app(env)
            except BaseException:
                env.messages.assistant("sorry")

    asked = Message(role="assistant", tool_calls=(ToolCall(id="1", name="search"),))

    def make() -> brute.Agent:
        return brute.agent().use(Swallows).run(Script([asked]))

    made = attempt(make, Case("a", said="x", budget=Budget(tool_calls=0)), unstubbed="refuse")
    assert (made.status, made.verdict.sentences) == ("failed", ["spent 1 tool call, budget 0"])
