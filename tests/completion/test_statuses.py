"""How a provider's trouble ends an attempt: an error that says so, never a failure of the agent and never a pass."""

from __future__ import annotations

import io

import pytest

import brute
from brute.eval import Attempt, Budget, Case, Suite
from tests.completion.faults import BROKEN, HELLO, LIMITED, MALFORMED, UNAUTHORISED, model
from tests.support.cassettes import Fault, Loopback, serve

pytest.importorskip("pydantic_ai")


def attempts(server: Loopback, *, limit: int = 0, case: Case | None = None, runs: int = 1) -> list[Attempt]:
    """The attempts at one case against the server."""

    def build() -> brute.Agent:
        return brute.agent().run(model(server, limit=limit))

    case = case or Case("greets", said="hello", mentions=["hello"], runs=runs)
    suite = Suite(agent=build, cases=[case], jobs=1, retries=0, out=io.StringIO())
    suite.run()
    assert suite.report is not None
    return list(suite.report.attempts)


TROUBLES = {
    "a 401": (UNAUTHORISED, "the model call failed: 401 incorrect API key provided: ***"),
    "a 429": (LIMITED, "the model call failed: 429 rate limited"),
    "a 500": (BROKEN, "the model call failed: 500 the server had an error"),
    "a dropped connection": (
        Fault("drop"),
        "the model call failed: connection dropped: server disconnected without sending a response",
    ),
    "malformed JSON": (MALFORMED, r'the model call failed: the answer was not JSON: "{\"id\": \"x\", \"choi"'),
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("limit", [0, 1])
def test_trouble_is_an_error(trouble: str, limit: int) -> None:
    """What the provider did is no verdict on the agent, however often it was tried."""
    fault, sentence = TROUBLES[trouble]
    with serve(fault, fault) as server:
        (attempt,) = attempts(server, limit=limit)
    assert attempt.status == "error"
    assert [(error.kind, error.message) for error in attempt.verdict.errors] == [("error.model", sentence)]
    assert attempt.verdict.failures == attempt.verdict.errors
    retried = limit if fault is not UNAUTHORISED else 0
    assert len(attempt.transcript.requests[0].retries) == retried == len(server.requests) - 1


def test_a_success_after_a_429_passes_with_the_retry_on_record() -> None:
    """What a second try mends is a pass, and the transcript says that there was a first."""
    with serve(LIMITED, HELLO) as server:
        (attempt,) = attempts(server, limit=2)
    assert (attempt.status, attempt.transcript.reply) == ("passed", "Hello there.")
    assert [request.retries for request in attempt.transcript.requests] == [["429 rate limited; waited 2 s"]]
    assert attempt.transcript.to_json()["requests"][0]["retries"] == ["429 rate limited; waited 2 s"]


def test_one_attempts_trouble_is_its_own() -> None:
    """The attempts before and after a failed call are graded as if nothing had been."""
    with serve(HELLO, UNAUTHORISED, HELLO) as server:
        made = attempts(server, runs=3)
    assert sorted(attempt.status for attempt in made) == ["error", "passed", "passed"]


def test_a_silence_that_the_provider_made_is_no_silence() -> None:
    """A withheld answer doesn't pass a case that wants none."""
    body = '{"choices": [{"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant"}}], "id": "x"'
    withheld = Fault(body=body + ', "object": "chat.completion", "created": 1, "model": "m"}')
    with serve(withheld) as server:
        (attempt,) = attempts(server, case=Case("keeps quiet", said="hello", silent=True))
    assert attempt.status == "error"
    assert attempt.verdict.errors[0].message == "the model call failed: the answer was withheld by a content filter"


OLD_CALL = '"finish_reason": "function_call", "message": {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}}'


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (OLD_CALL, "the answer says that it asks for a tool, and asks for none (function_call)"),
        (
            '"finish_reason": "abort", "message": {"role": "assistant", "content": ""}',
            "the answer was blank, and not ended by the model (abort)",
        ),
    ],
)
def test_a_silence_that_hides_a_call_or_an_abort_is_no_silence(choice: str, sentence: str) -> None:
    """Neither "silent" nor "never" can be told of an answer of which something was lost."""
    lost = Fault(
        body='{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, '
        + choice
        + "}]}"
    )
    with serve(lost) as server:
        (attempt,) = attempts(server, case=Case("keeps quiet", said="hello", silent=True, never=["f"]))
    assert attempt.status == "error"
    assert [error.message for error in attempt.verdict.errors] == [f"the model call failed: {sentence}"]


def test_an_answer_that_the_client_makes_nonsense_of_is_no_slip_of_the_agents() -> None:
    """Anthropic's client takes a block of a kind that it doesn't know for a text without one."""
    odd = Fault(
        body='{"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [{"type": "new", "x": 1}], '
        '"stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 5, "output_tokens": 2}}'
    )
    with serve(odd) as server:
        suite = Suite(
            agent=lambda: brute.agent().run(model(server, "anthropic")),
            cases=[Case("keeps quiet", said="hello", silent=True)],
            retries=0,
            out=io.StringIO(),
        )
        assert suite.run() == 1
    assert suite.report is not None
    assert [failure.kind for failure in suite.report.attempts[0].verdict.failures] == ["error.model"]


def test_what_was_not_understood_of_an_answer_is_named() -> None:
    """By its place in the answer, and not by how many rules of a library it breaks."""
    calls = HELLO.body.replace(
        '"content"',
        '"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": null}}], "content"',
    )
    with serve(Fault(body=calls)) as server:
        (attempt,) = attempts(server)
    (error,) = attempt.verdict.errors
    assert error.message == (
        "the model call failed: the answer was not understood: "
        "choices.0.message.tool_calls.0.function.arguments: input should be a valid string"
    )


def test_usage_that_was_not_reported_is_not_inside_a_budget() -> None:
    """A server that reports no usage leaves a token budget undecided."""
    silent = Fault(body=HELLO.body.replace('"usage"', '"unused"'))
    with serve(silent) as server:
        (attempt,) = attempts(server, case=Case("is brief", said="hello", budget=Budget(tokens=1000)))
    assert attempt.status == "error"
    assert attempt.transcript.tokens is None
    assert attempt.verdict.errors[0].message.startswith("cannot tell tokens spent")


def test_an_answer_that_never_ends_is_left_when_it_is_longer_than_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until its time was up, it filled the memory; another try would do the same."""
    from brute.completion import wire

    monkeypatch.setattr(wire, "LONGEST", 2_000_000)
    with serve(Fault(body=" " * 2_000_001), HELLO) as server:
        (attempt,) = attempts(server, limit=1)
        assert len(server.requests) == 1
    assert [error.message for error in attempt.verdict.errors] == [
        "the model call failed: the answer was longer than 2 MB"
    ]
