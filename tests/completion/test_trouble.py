"""The sentences that tell of a failed call."""

from __future__ import annotations

import json

import pytest

from brute.completion import trouble
from brute.completion.wire import Answer
from brute.errors import ModelError, UsageError


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "A", "type": "x"}}, "A"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "B"}}, "B"),
        ([{"error": {"code": 400, "message": "C", "status": "INVALID"}}], "C"),
        ({"error": "D"}, "D"),
        ({"object": "error", "message": "E"}, "E"),
        ({"detail": [{"loc": ["body"], "msg": "F"}]}, "F"),
        ("G", "G"),
        ("<html>G</html>", None),
        ({"error": {"code": 5}}, None),
        ({}, None),
        ([], None),
        (None, None),
    ],
)
def test_every_servers_words_are_found(body: object, words: str | None) -> None:
    """OpenAI, Anthropic, Google, Ollama, vLLM and FastAPI each put them elsewhere."""
    assert trouble.said(body) == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\r\nlines\t here", "two lines here"),
        ("\x1b[31mred\x1b[0m \x07bell", "red bell"),
        ("right\u202eleft \ud800", "right left"),
        ("key sk-proj-abcdef_123456 and AIzaSyA1234567 and hidden", "key *** and *** and ***"),
        ("organisation orders, skills and risk-free", "organisation orders, skills and risk-free"),
    ],
)
def test_text_is_made_harmless(text: str, shown: str) -> None:
    """One line, nothing that a terminal obeys, no keys."""
    assert trouble.plain(text, ["hidden"]) == shown


def test_long_words_are_clipped() -> None:
    """What is left out is counted."""
    assert trouble.plain("x" * 1500) == "x" * 200 + "... 1,300 more characters"


ANSWERED = [
    {"choices": [{}]},
    {"output": []},
    {"content": []},
    {"candidates": [{}]},
    {"promptFeedback": {"blockReason": "SAFETY"}},
    {"error": None, "output": []},
]


@pytest.mark.parametrize("data", ANSWERED)
def test_an_answer_is_let_through(data: object) -> None:
    """What holds an answer, be it an empty one, is the library's to read."""
    trouble.check(Answer(200, json.dumps(data).encode()))


@pytest.mark.parametrize(
    ("body", "sentence", "transient"),
    [
        (b"", "the answer was empty", True),
        (b" \n", "the answer was empty", True),
        (b"\xff\xfe", 'the answer was not JSON: "\ufffd\ufffd"', True),
        (b'"hello"', 'the answer held no message: "\\"hello\\""', False),
        (b'{"choices": []}', 'the answer held no message: "{\\"choices\\": []}"', False),
        (b'{"error": {"message": "Gone.", "code": 404}}', "404 gone", False),
        (b'{"error": {"message": "Busy", "code": "busy"}}', "200 busy", False),
    ],
)
def test_what_holds_no_answer_is_refused(body: bytes, sentence: str, transient: bool) -> None:
    """A status of success is not enough."""
    with pytest.raises(ModelError) as raised:
        trouble.check(Answer(200, body))
    assert (str(raised.value), raised.value.transient) == (sentence, transient)


def test_an_error_status_is_not_an_answers() -> None:
    """Bodies that come with an error's status are read as errors."""
    trouble.check(Answer(500, b""))


def test_what_the_client_itself_raises_is_told_by_its_type() -> None:
    """A slip in the client is no verdict on the agent; wrong options are the user's."""
    exceptions = pytest.importorskip("pydantic_ai.exceptions")

    def told(error: Exception) -> tuple[type, str]:
        made = trouble.trouble(error, None, where="openai")
        return type(made), str(made)

    assert told(KeyError("id")) == (ModelError, "the client raised KeyError: 'id'")
    assert told(exceptions.UserError("no such setting")) == (UsageError, "no such setting")
    assert told(exceptions.UnexpectedModelBehavior("odd")) == (ModelError, "the answer was not understood: odd")
    assert told(exceptions.ModelAPIError("m", "odd")) == (ModelError, "odd")
    assert told(TimeoutError()) == (ModelError, "timed out")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry-after": "10"}, 10), ({"retry-after": "1_0"}, None), ({"retry-after-ms": "1_0"}, None), ({}, None)],
    ids=str,
)
def test_a_wait_is_a_number_as_headers_write_it(headers: dict[str, str], seconds: float | None) -> None:
    """Python would read 1_0 as 10."""
    exceptions = pytest.importorskip("pydantic_ai.exceptions")
    error = exceptions.ModelHTTPError(429, "m", headers=headers)
    assert trouble.refused(error, None, ()).retry_after == seconds


def test_a_model_that_stands_in_for_one_that_failed_has_its_own_trouble() -> None:
    """It is asked while the other's error is handled, which is no cause of what becomes of it."""
    from pydantic_ai.exceptions import ModelHTTPError

    try:
        raise ModelError("529 overloaded", transient=True)
    except ModelError:
        try:
            raise ModelHTTPError(401, "m", {"error": "no such key"})
        except ModelHTTPError as error:
            made = trouble.trouble(error, None, where="here")
    assert isinstance(made, ModelError)
    assert (str(made), made.transient) == ("401 no such key", False)
