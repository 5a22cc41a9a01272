"""The steps of a turn."""

from __future__ import annotations

from brute import Message, ToolCall, Usage
from brute.eval import Call, Request, Transcript
from brute.eval.reporters.steps import Made, Said, Unanswered, steps
from tests.eval.reporters.test_conversation import TURN


def told(transcript: Transcript) -> list[str]:
    """Each step in a word."""
    words = []
    for step in steps(transcript):
        if isinstance(step, Said):
            words.append(f"{step.message.role} {step.number}")
        elif isinstance(step, Made):
            words.append(f"call {step.number} {step.call.name}{' beside' if step.beside else ''}")
        elif isinstance(step, Unanswered):
            words.append(f"unanswered {step.number}")
        else:
            words.append(f"unmade {step.asked.name}")
    return words


def test_calls_stand_under_the_message_that_asked_for_them() -> None:
    """With what a tool answered told by its call, and an answer to no call by itself; a model call that failed said nothing."""
    assert told(TURN)[:9] == [
        "system 0", "user 0", "assistant 1", "call 1 search", "call 2 fetch", "call 3 delete", "unmade gone", "tool 0", "assistant 0",
    ]  # fmt: skip
    assert "unanswered 2" in told(TURN)


def test_calls_of_one_name_are_told_apart_by_their_ids() -> None:
    """And in their order where there are none."""
    asked = (ToolCall(id="b", name="f"), ToolCall(id="a", name="f"))
    message = Message(role="assistant", tool_calls=asked, usage=Usage())
    by_id = Transcript(messages=[message], calls=[Call(name="f", id="a"), Call(name="f", id="b")], requests=[Request()])
    assert told(by_id) == ["assistant 1", "call 2 f", "call 1 f"]
    without = Transcript(messages=[message], calls=[Call(name="f"), Call(name="f")])
    assert told(without) == ["assistant 0", "call 1 f", "call 2 f"]


def test_what_no_message_asked_for_comes_last() -> None:
    """The calls of an inner agent, say."""
    assert told(Transcript(messages=[Message(role="user", content="hi")], calls=[Call(name="f")])) == [
        "user 0",
        "call 1 f beside",
    ]
