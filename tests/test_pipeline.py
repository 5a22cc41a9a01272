"""A stack of middleware over a terminal completion."""

from __future__ import annotations

from typing import Any

import pytest

import brute
from brute import Message, Usage, UsageError
from brute.testing import Script


class Noted:
    """A layer that writes down when it is passed."""

    def __init__(self, app: Any, name: str, log: list[str], *, declines: bool = False) -> None:
        self.app, self.name, self.log, self.declines = app, name, log, declines

    async def __call__(self, env: Any) -> None:
        """Pass, or decline."""
        self.log.append(f"{self.name} in")
        if not self.declines:
            await self.app(env)
        self.log.append(f"{self.name} out")


def test_the_first_layer_is_outermost() -> None:
    """As one reads the stack."""
    log: list[str] = []
    brute.agent().use(Noted, "one", log).use(Noted, "two", log).run(Script(["x"])).start()
    assert log == ["one in", "two in", "two out", "one out"]


def test_a_layer_that_declines_keeps_the_model_from_being_called() -> None:
    """And the turn ends without a reply."""
    script = Script(["x"])
    env = brute.agent().use(Noted, "one", [], declines=True).run(script).start("hi")
    assert (script.calls, env.reply) == (0, "")


def test_layers_are_built_anew_for_every_turn() -> None:
    """What a layer keeps on itself does not reach the next turn."""
    made: list[Any] = []

    class Kept(Noted):
        def __init__(self, app: Any) -> None:
            super().__init__(app, "kept", [])
            made.append(self)

    agent = brute.agent().use(Kept).run(Script(["a", "b"]))
    agent.start()
    agent.start()
    assert len(set(map(id, made))) == 2


def _appends(env: Any) -> None:
    env.messages.assistant("hello", usage=Usage(input=1, output=2))


def _appends_and_answers(env: Any) -> Message:
    _appends(env)
    answer: Message = env.messages[-1]
    return answer


async def _answers(env: Any) -> Message:
    return Message(role="assistant", content="hello", usage=Usage(input=1, output=2))


@pytest.mark.parametrize("completion", [_appends, _appends_and_answers, _answers, lambda env: _answers(env)])
def test_a_completion_appends_a_message_or_answers_one(completion: Any) -> None:
    """Once, sync or async, and the usage of this very call is the event's."""
    seen: list[Any] = []
    agent = (
        brute.agent()
        .run(completion)
        .on("after_llm", lambda event: seen.append((event.message.content, event.usage, event.iteration)))
    )
    env = agent.start("hi")
    assert [message.content for message in env.messages] == ["hi", "hello"]
    assert seen == [("hello", Usage(input=1, output=2), 1)]
    assert env.request is None


def test_a_text_is_an_answer_without_usage() -> None:
    """Not reported is None, never 0. Seen in the original: the previous call's was counted again."""
    seen: list[Any] = []
    replies = iter([Message(role="assistant", content="a", usage=Usage(input=5)), "b"])
    agent = brute.agent().run(lambda env: next(replies)).on("after_llm", lambda event: seen.append(event.usage))
    agent.start()
    agent.start()
    assert seen == [Usage(input=5), None]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (3, "a completion answers a Message, a text or None, got int from {name}"),
        (None, "the completion {name} added no assistant message to env.messages and answered none"),
        (
            Message(role="user", content="x"),
            "the completion {name} added no assistant message to env.messages and answered none",
        ),
    ],
    ids=["number", "nothing", "user"],
)
def test_a_completion_that_says_nothing_is_refused(answer: Any, sentence: str) -> None:
    """It is a slip in the completion, and no silence of the agent."""
    with pytest.raises(UsageError) as caught:
        brute.agent().run(lambda env: answer).start("hi")
    name = "tests.test_pipeline.test_a_completion_that_says_nothing_is_refused.<locals>.<lambda>"
    assert str(caught.value) == sentence.format(name=name)
