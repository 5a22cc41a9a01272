"""The events of a turn are about the calls that were asked for, also where a layer takes some out of the batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

import brute
from brute import Message, ToolCall
from brute.eval import Budget, Case, call
from brute.middleware import ToolLoop, Tools
from brute.testing import Script
from tests.support.agents import Live, asks, attempt, makes, tool


def told(*calls: ToolCall) -> Message:
    """A reply that asks for these."""
    return Message(role="assistant", tool_calls=calls)


class Guardrail:
    """A layer under the tools that makes another message of what asks for calls; None takes it back."""

    def __init__(self, app: Any, change: Callable[[Message], Message | None]) -> None:
        self.app = app
        self.change = change

    async def __call__(self, env: Any) -> None:
        await self.app(env)
        if env.messages[-1].tool_calls:
            changed = self.change(env.messages.pop())
            env.messages.append(Message(role="assistant", content="enough") if changed is None else changed)


def without_rm(message: Message) -> Message:
    """Its calls but those of `rm`."""
    return told(*[each for each in message.tool_calls if each.name != "rm"])


def made_anew(message: Message) -> Message:
    """The same, of calls that are new objects."""
    return told(*map(dataclasses.replace, without_rm(message).tool_calls))


@pytest.mark.parametrize("change", [without_rm, made_anew])
@pytest.mark.parametrize("id", ["1", ""])
def test_a_call_that_a_layer_took_out_makes_none_of_the_others_count_twice(id: str, change: Any) -> None:
    """The other one is one call, which ran, or was stubbed; the one taken out never ran."""
    ids = ("1", "2") if id else ("", "")

    def make() -> brute.Agent:
        asked = told(ToolCall(name="rm", id=ids[0]), ToolCall(name="other", id=ids[1]))
        tools = [Live("rm").tool, Live("other").tool]
        return brute.agent().use(ToolLoop).use(Tools, tools).use(Guardrail, change).run(Script([asked, "done"]))

    made = attempt(make, Case("a", said="x", calls={"other": call(times=1)}, budget=Budget(tool_calls=2)))
    assert (made.verdict.sentences, made.transcript.counts) == ([], {"rm": 1, "other": 1})
    assert [each.outcome for each in made.transcript.calls] == ["denied", "ran"]
    assert attempt(make, Case("a", said="x", calls={"other": call(times=2)})).status == "failed"
    assert attempt(make, Case("a", said="x", stubs={"*": "S"}), unstubbed="refuse").passed


def test_a_call_that_a_layer_put_in_is_one_of_its_own() -> None:
    """It takes the place of one that still stands, and is not taken for it."""
    live = Live("rm")

    def more(message: Message) -> Message:
        return told(ToolCall(name="rm", arguments={"path": "b"}), *message.tool_calls)

    def make() -> brute.Agent:
        first = told(ToolCall(name="rm", arguments={"path": "a"}))
        return brute.agent().use(ToolLoop).use(Tools, [live.tool]).use(Guardrail, more).run(Script([first, "done"]))

    made = attempt(make)
    assert [(each.arguments, each.outcome) for each in made.transcript.calls] == [
        ({"path": "a"}, "ran"),
        ({"path": "b"}, "ran"),
    ]


@pytest.mark.parametrize("ids", [("", ""), ("1", "1"), ("1", "2")])
def test_a_request_that_a_layer_took_back_was_not_answered_by_an_earlier_result(ids: tuple[str, str]) -> None:
    """Only what stands after it may answer it."""
    live = Live("rm")

    def second(message: Message) -> Message | None:
        return None if message.tool_calls[0].arguments == {"path": "b"} else message

    def make() -> brute.Agent:
        asked = [told(ToolCall(name="rm", arguments={"path": each}, id=id)) for each, id in zip("ab", ids, strict=True)]
        return brute.agent().use(ToolLoop).use(Tools, [live.tool]).use(Guardrail, second).run(Script(asked))

    made = attempt(make, Case("a", said="x", calls={"rm": call({"path": "b"}, outcome="ran")}))
    assert (made.status, [each.outcome for each in made.transcript.calls]) == ("failed", ["ran", "denied"])
    assert attempt(make, Case("a", said="x", stubs={"rm": "S"})).passed


def test_a_call_that_was_kept_from_beginning_says_so() -> None:
    """The whole batch that goes beyond the budget: nobody knows which of them the agent would have done without."""
    made = attempt(
        makes(asks("search", "search", "search"), tools=[Live().tool]),
        Case("a", said="x", budget=Budget(tool_calls=2)),
    )
    told = [(call.outcome, call.error) for call in made.transcript.calls]
    assert told == [("denied", "never made: the turn was stopped before it")] * 3


def test_a_call_of_a_kind_of_its_own_that_reads_its_text_once_is_noted_as_it_was_asked_for() -> None:
    """Its tool changes in place what the call hands out again and again; what the model asked for stays what it was."""

    class ReadOnce(ToolCall):
        __slots__ = ("read",)

        def parsed(self) -> dict[str, Any] | None:
            if not hasattr(self, "read"):
                object.__setattr__(self, "read", ToolCall.parsed(self))
            return dict(self.read)

    def sort(names: list[str]) -> str:
        """Sort them."""
        names.sort()
        return "sorted"

    made = attempt(makes(told(ReadOnce(name="sort", arguments='{"names": ["b", "a"]}')), "done", tools=[tool(sort)]))
    assert [each.arguments for each in made.transcript.calls] == [{"names": ["b", "a"]}]
