"""Conversations both ways between our words and the library's."""

from __future__ import annotations

from typing import Any

import pytest

from brute.completion import translate
from brute.errors import ModelError
from brute.messages import Message, ToolCall, Usage
from brute.tools import Tool

library = pytest.importorskip("pydantic_ai.messages")

CALLS = Message(
    role="assistant",
    content="Let me look.",
    tool_calls=(ToolCall(id="a", name="search", arguments='{"q": '), ToolCall(id="b", name="read", arguments={"n": 1})),
)


def user(text: str = "hi") -> Message:
    """What the user said."""
    return Message(role="user", content=text)


def shape(history: list[Any]) -> list[list[tuple[str, Any]]]:
    """Each entry's parts: what they are and what they hold."""
    return [
        [(part.part_kind, getattr(part, "content", None) or part.args) for part in entry.parts] for entry in history
    ]


def test_requests_and_responses_stand_in_turn() -> None:
    """What isn't the model's is put together up to what the model says next."""
    system = Message(role="system", content="Be brief.")
    results = [
        Message(role="tool", content="two", tool_call_id="b"),
        Message(role="tool", content="error: one", tool_call_id="a", failed=True),
    ]
    history: list[Any] = translate.history([system, user(), CALLS, *results, user("well?")], {})
    assert shape(history) == [
        [("system-prompt", "Be brief."), ("user-prompt", "hi")],
        [("text", "Let me look."), ("tool-call", '{"q": '), ("tool-call", {"n": 1})],
        [("tool-return", "two"), ("tool-return", "error: one"), ("user-prompt", "well?")],
    ]
    two, one = history[2].parts[:2]
    assert (two.tool_name, two.tool_call_id, two.outcome) == ("read", "b", "success")
    assert (one.tool_name, one.tool_call_id, one.outcome) == ("search", "a", "failed")


def test_calls_without_an_id_get_one() -> None:
    """A script's calls have no ids: each gets one, and results are tied to them in order."""
    asked = Message(role="assistant", tool_calls=(ToolCall(name="f"), ToolCall(name="g")))
    results = [Message(role="tool", content=text) for text in "xy"]
    history: list[Any] = translate.history([user(), asked, *results], {})
    calls, returns = history[1].parts, history[2].parts
    assert [part.tool_call_id for part in returns] == [part.tool_call_id for part in calls]
    assert len({part.tool_call_id for part in calls}) == 2
    assert [part.tool_name for part in returns] == ["f", "g"]


def test_an_assistant_that_said_nothing_is_left_out() -> None:
    """Providers refuse an empty message."""
    history: list[Any] = translate.history([user(), Message(role="assistant"), user("still there?")], {})
    assert shape(history) == [[("user-prompt", "hi")], [("user-prompt", "still there?")]]


def test_what_was_said_goes_back_word_for_word() -> None:
    """The response that a message was made of is sent again as it came, also for a copy that says the same."""
    response = library.ModelResponse(
        parts=[
            library.ThinkingPart(content="hm", signature="s", provider_name="x"),
            library.ToolCallPart("search", {"q": 1}, tool_call_id="a"),
        ]
    )
    message = translate.message(response, Usage())
    said = {id(message): (message, response)}
    copy = Message(role="assistant", tool_calls=message.tool_calls, usage=Usage(input=1))
    changed = Message(role="assistant", content="changed", tool_calls=message.tool_calls)
    assert translate.history([user(), message], said)[1] is response
    assert translate.history([user(), copy], said)[1] is response
    assert translate.history([user(), changed], said)[1] is not response


def test_an_answer_keeps_arguments_as_they_came() -> None:
    """A dict stays one, text stays text, malformed or not."""
    parts = [library.TextPart("Yes. "), library.TextPart("No.")] + [
        library.ToolCallPart("f", arguments, tool_call_id=str(number))
        for number, arguments in enumerate(({"a": 1}, '{"a": ', "", None))
    ]
    message = translate.message(library.ModelResponse(parts=parts, model_name="m"), Usage(input=1))
    assert [call.arguments for call in message.tool_calls] == [{"a": 1}, '{"a": ', "", None]
    assert (message.content, message.model, message.usage) == ("Yes. No.", "m", Usage(input=1))


def test_a_refusal_is_what_the_model_said() -> None:
    """OpenAI files a refusal apart from the text."""
    response = library.ModelResponse(
        parts=[], finish_reason="content_filter", provider_details={"refusal": "I can't help with that."}
    )
    translate.check_ended(response)
    assert translate.message(response, Usage()).content == "I can't help with that."


@pytest.mark.parametrize(
    ("reason", "own", "sentence", "transient"),
    [
        ("content_filter", "SAFETY", "the answer was withheld by a content filter (SAFETY)", False),
        ("length", "length", "the answer was cut off at the token limit before it said anything", False),
        ("error", "MALFORMED_FUNCTION_CALL", "the answer was broken off by an error (MALFORMED_FUNCTION_CALL)", True),
    ],
)
def test_an_empty_answer_that_was_broken_off_is_refused(reason: Any, own: str, sentence: str, transient: bool) -> None:
    """It would pass for a silence of the agent's."""
    details = {"finish_reason": own}
    with pytest.raises(ModelError) as raised:
        translate.check_ended(library.ModelResponse(parts=[], finish_reason=reason, provider_details=details))
    assert (str(raised.value), raised.value.transient) == (sentence, transient)
    blank = [library.TextPart(" \n")]
    with pytest.raises(ModelError):
        translate.check_ended(library.ModelResponse(parts=blank, finish_reason=reason, provider_details=details))


@pytest.mark.parametrize("reason", ["content_filter", "length", None])
def test_an_answer_that_was_cut_off_after_some_words_is_what_was_said(reason: Any) -> None:
    """What the model said until then is there to be graded."""
    translate.check_ended(library.ModelResponse(parts=[library.TextPart("half a")], finish_reason=reason))


@pytest.mark.parametrize(
    ("reason", "own", "sentence"),
    [
        (
            "error",
            "MALFORMED_FUNCTION_CALL",
            "the answer was broken off by an error (MALFORMED_FUNCTION_CALL)",
        ),
        (
            "tool_call",
            "function_call",
            "the answer says that it asks for a tool, and asks for none (function_call)",
        ),
    ],
)
@pytest.mark.parametrize("said", [[], [library.TextPart("Let me look.")]])
def test_an_answer_in_which_a_call_was_lost_is_refused(reason: Any, own: str, sentence: str, said: list[Any]) -> None:
    """Whatever it says besides, `never` would pass by a call that the model asked for, and that nobody saw."""
    details = {"finish_reason": own}
    with pytest.raises(ModelError) as raised:
        translate.check_ended(library.ModelResponse(parts=said, finish_reason=reason, provider_details=details))
    assert (str(raised.value), raised.value.transient) == (sentence, True)
    call = library.ToolCallPart("search", {}, tool_call_id="1")
    translate.check_ended(library.ModelResponse(parts=[call], finish_reason=reason, provider_details=details))


@pytest.mark.parametrize(
    ("own", "sentence", "transient"),
    [
        ("abort", "the answer was blank, and not ended by the model (abort)", True),
        (None, "the answer was blank, and not ended by the model as far as it says", False),
    ],
)
def test_a_blank_answer_that_the_model_is_not_known_to_have_ended_is_refused(
    own: str | None, sentence: str, transient: bool
) -> None:
    """A reason that nobody knows (Gemini's OTHER, vLLM's abort, a response still in progress), or none."""
    details = {"finish_reason": own} if own else None
    with pytest.raises(ModelError) as raised:
        translate.check_ended(library.ModelResponse(parts=[], provider_details=details))
    assert (str(raised.value), raised.value.transient) == (sentence, transient)


def test_an_empty_answer_that_the_model_ended_is_let_through() -> None:
    """A model may say nothing."""
    translate.check_ended(library.ModelResponse(parts=[], finish_reason="stop"))


def test_tools_are_offered_by_their_schema() -> None:
    """Name, description and schema as the tool has them."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    tool = Tool(name="search", description="Search.", parameters=schema, function=lambda q: q)
    (offered,) = translate.parameters([tool]).function_tools
    assert (offered.name, offered.description, offered.parameters_json_schema) == ("search", "Search.", schema)
