"""What a conversation is made of."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import math
import pickle
from typing import Any

import pytest

from brute import Message, Messages, ToolCall, Usage, UsageError
from brute.messages import plain


@pytest.mark.parametrize("nothing", [None, {}, "", "  \n", "null", "{}", '""'], ids=repr)
def test_no_arguments_are_one_and_the_same(nothing: Any) -> None:
    """Edge case 4: missing, None, {} and "" are all no arguments."""
    assert ToolCall(name="f", arguments=nothing).parsed() == {}


@pytest.mark.parametrize(
    "malformed",
    [
        '{"a": 1',
        "[1]",
        "3",
        '"text"',
        '{"a": 1} trailing',
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
        [1],
        3,
        "{'a': 1}",
        '"{\\"a\\": 1}"',
    ],
    ids=lambda each: repr(each)[:20],
)
def test_malformed_arguments_are_none_and_no_crash(malformed: Any) -> None:
    """Whatever a model sends."""
    assert ToolCall(name="f", arguments=malformed).parsed() is None


def test_arguments_are_a_mapping_or_the_json_of_one() -> None:
    """Of a key given twice the last counts, as for every parser; the mapping is a copy."""
    given = {"a": 1}
    parsed = ToolCall(name="f", arguments=given).parsed()
    assert parsed == given
    assert parsed is not given
    assert ToolCall(name="f", arguments='{"a": 1, "a": 2, "b": "\\ud800"}').parsed() == {"a": 2, "b": "\ud800"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"role": "asistant"},
            "a message's role must be one of system, user, assistant, tool; got 'asistant' (did you mean \"assistant\"?)",
        ),
        ({"role": "user", "content": ["x"]}, "a message's content must be a text, got ['x']"),
        ({"role": "user", "tool_calls": "x"}, "a message's tool_calls must be a list of ToolCalls, got 'x'"),
        ({"role": "user", "tool_calls": None}, "a message's tool_calls must be a list of ToolCalls, got None"),
        (
            {"role": "user", "tool_calls": [{"name": "x"}]},
            "a message's tool_calls must be ToolCalls, got {'name': 'x'}",
        ),
    ],
    ids=str,
)
def test_what_is_no_message_is_refused(given: dict[str, Any], sentence: str) -> None:
    """Where it is made, and not where it is read."""
    with pytest.raises(UsageError) as caught:
        Message(**given)
    assert str(caught.value) == sentence


def test_a_message_takes_what_providers_send() -> None:
    """No content is an empty one; calls become a tuple."""
    made = Message(role="assistant", content=None, tool_calls=[ToolCall(name="f")])  # type: ignore[arg-type]
    assert (made.content, made.tool_calls) == ("", (ToolCall(name="f"),))


def test_a_conversation_has_a_word_for_each_kind_of_message() -> None:
    """Each answers the conversation."""
    log = (
        Messages()
        .system("s")
        .user("u")
        .assistant("", [ToolCall(name="f", id="1")], usage=Usage(input=1))
        .tool("r", "1", failed=True)
    )
    assert [message.role for message in log] == ["system", "user", "assistant", "tool"]
    assert (log[2].usage, log[3].tool_call_id, log[3].failed) == (Usage(input=1), "1", True)
    assert log.reply == ""
    assert log.assistant("a").reply == "a"


def test_usage_that_was_not_reported_stays_unknown() -> None:
    """In a sum as well."""
    assert Usage(input=1, output=2) + Usage(input=3, output=4) == Usage(input=4, output=6)
    assert (Usage(input=1, output=2) + Usage(input=3)).total is None
    assert Usage(input=0, output=0).total == 0
    assert Usage().total is None


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Message("user", "x"),
            "Message takes its arguments by name, got 'user'; write Message(role=, content=)",
        ),
        (
            lambda: Message(rol="user"),
            (
                'Message has no argument "rol" (did you mean "role"?); '
                "it takes role, content, tool_calls, tool_call_id, usage, model, failed"
            ),
        ),
        (lambda: Message(content="x"), "Message needs role="),
        (lambda: Message(role="user", tool_calls=3), "a message's tool_calls must be a list of ToolCalls, got 3"),
        (lambda: Message(role="tool", tool_call_id=3), "a message's tool_call_id must be a text or None, got 3"),
        (lambda: Message(role="user", usage=3), "a message's usage must be a Usage or None, got 3"),
        (lambda: ToolCall(name=3), "a tool call's name must be a text, got 3"),
        (lambda: ToolCall(name="f", id=3), "a tool call's id must be a text, got 3"),
        (lambda: ToolCall("f"), "ToolCall takes its arguments by name, got 'f'; write ToolCall(name=, arguments=)"),
        (lambda: ToolCall(), "ToolCall needs name="),
        (lambda: Usage(input=-100), "Usage: input must be a whole number >= 0 or None, got -100"),
        (lambda: Usage(output="5"), "Usage: output must be a whole number >= 0 or None, got '5'"),
        (lambda: Usage(cache_read=True), "Usage: cache_read must be a whole number >= 0 or None, got True"),
        (lambda: Usage(cost=math.nan), "Usage: cost must be a number >= 0 or None, got nan"),
        (lambda: Usage(cost=-1), "Usage: cost must be a number >= 0 or None, got -1"),
        (lambda: Usage(3), "Usage takes its arguments by name, got 3; write Usage(input=, output=)"),
    ],
)
def test_what_could_not_be_meant_is_refused(make: Any, sentence: str) -> None:
    """The argument, the value, what is allowed."""
    with pytest.raises(UsageError) as caught:
        make()
    assert str(caught.value) == sentence


def test_what_is_meant_is_taken() -> None:
    """Numbers from 0, a price of any kind, no id; and a signature that says so."""
    assert Usage(input=0, output=5, cost=0).total == 5
    assert (ToolCall(name="f", id=None).id, Message(role="user", content=None).content) == ("", "")  # type: ignore[arg-type]
    assert list(inspect.signature(Message).parameters)[:2] == ["role", "content"]
    for made in (Message(role="user", content="x"), ToolCall(name="f"), Usage(input=1)):
        assert made == copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == dataclasses.replace(made)


def test_a_dataclass_that_is_made_of_one_is_checked_as_well() -> None:
    """Its constructor is its own; what it adds may have no default, and a look of its own comes after ours."""

    @dataclasses.dataclass(frozen=True)
    class Sourced(Message):
        source: str

        def __post_init__(self) -> None:
            super().__post_init__()  # type: ignore[misc]
            assert self.content is not None

    @dataclasses.dataclass(frozen=True)
    class Priced(Usage):
        list_price: float = 0.0

    made = Sourced("feed", role="assistant", content=None, tool_calls=[ToolCall(name="f")])  # type: ignore[arg-type]
    assert (made.source, made.content, made.tool_calls) == ("feed", "", (ToolCall(name="f"),))
    with pytest.raises(UsageError, match="a message's content must be a text, got 5"):
        Sourced("feed", role="user", content=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="input must be a whole number >= 0 or None, got -1"):
        Priced(input=-1)


def test_what_is_made_of_one_by_hand_is_checked_too_and_none_can_be_changed() -> None:
    """A class may be laid out in another way; and what is made is of its own class, and frozen, whatever came of its making."""

    class Noted(Message):
        pass

    class Billed(Usage):
        pass

    noted: Any = Noted(
        role="tool", content="x", tool_calls=[], tool_call_id="1", usage=Billed(input=3), model="m", failed=True
    )
    assert (noted.content, noted.tool_calls, noted.tool_call_id, noted.failed) == ("x", (), "1", True)
    assert (noted.usage.input, noted.model) == (3, "m")
    with pytest.raises(UsageError, match="role"):
        Noted(role="robot")  # type: ignore[arg-type]
    for made in (noted, Billed(input=1), Message(role="user"), Usage(input=2)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, dataclasses.fields(made)[0].name, "changed")


@pytest.mark.parametrize("text", ['{"a": [{"b": 1}], "c": "d"}', '{"a": ' + "[" * 400 + "]" * 400 + "}"], ids=len)
def test_arguments_that_are_read_again_are_made_anew(text: str) -> None:
    """Whoever changes them changes them for nobody else, however deep they are."""
    call = ToolCall(name="f", arguments=text)
    first, second = call.parsed(), call.parsed()
    assert first is not None
    assert first == second == json.loads(text)
    first["a"].append("changed")
    first["new"] = 1
    assert second == call.parsed() == json.loads(text)


def test_a_plain_one_is_like_any_other() -> None:
    """Made another way, and the same in everything: its kind, its fields, its copies, and that it can't be changed."""
    made, other = plain("user", "hi"), Message(role="user", content="hi")
    assert (type(made), made, repr(made), hash(made)) == (Message, other, repr(other), hash(other))
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == dataclasses.replace(made) == other
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.content = "ho"  # type: ignore[misc]
