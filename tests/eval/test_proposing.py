"""A case, proposed from what an attempt did."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings

from brute import Message, UsageError
from brute.eval import Budget, Call, Case, Failure, Transcript
from brute.eval.casefiles.source import source_of
from brute.eval.grading import grade
from brute.eval.keying import case_key
from brute.eval.proposing import Proposal, propose
from tests.support import agents
from tests.support.make import attempt, message, transcript
from tests.support.strategies import transcripts


def proposed(seen: Transcript, *failures: str, **fields: Any) -> Proposal:
    """What an attempt with this transcript comes to."""
    return propose(attempt(Case("a", said=seen.said, **fields), 1, *failures, transcript=seen))


def answered(name: str, result: Any, outcome: Any = "ran", **arguments: Any) -> Call:
    """A call with its result."""
    return Call(name=name, arguments=arguments, result=result, outcome=outcome)


def test_stubs_answer_as_the_tools_did() -> None:
    """One value where all answers are one, else in turn; what failed raises."""
    made = proposed(
        transcript(
            answered("same", {"a": 1}, q=1),
            answered("same", {"a": 1}, q=2),
            answered("turns", "x"),
            answered("turns", True),
            answered("turns", 1),
            Call(name="raises", outcome="failed", error="TimeoutError: slow"),
            Call(name="stubbed", outcome="stubbed", error="TimeoutError: slow"),
        )
    ).case
    assert made.stubs["same"] == {"a": 1}
    assert [*map(repr, made.stubs["turns"].answers)] == ["'x'", "True", "1"]
    assert repr(made.stubs["raises"]) == repr(made.stubs["stubbed"]) == "TimeoutError('slow')"


@pytest.mark.parametrize(
    ("said", "stub"),
    [
        ("KeyError: 'id'", KeyError("id")),
        ("KeyError: id", Exception("KeyError: id")),
        ("ValueError", ValueError()),
        ("OSError: [Errno 2] gone", OSError("[Errno 2] gone")),
        ("UnicodeDecodeError: bad", Exception("UnicodeDecodeError: bad")),
        ("httpx.ReadTimeout: slow", Exception("httpx.ReadTimeout: slow")),
        ("it went wrong", Exception("it went wrong")),
    ],
)
def test_an_error_says_the_same_again(said: str, stub: Exception) -> None:
    """As an exception of its own kind where that is one of Python's."""
    made = proposed(transcript(Call(name="f", outcome="failed", error=said))).case
    assert repr(made.stubs["f"]) == repr(stub)


def test_what_the_model_read_counts_where_nobody_saw_the_answer() -> None:
    """A call that was answered outside the hooks; and an error that a sentence would have clipped."""
    long = "x" * 500
    messages = [
        message("user", "hello"),
        message("tool", "the text", tool_call_id="1"),
        message("tool", f"error: ValueError: {long}", tool_call_id="2", failed=True),
        message("tool", "null", tool_call_id="3"),
        message("assistant", "done"),
    ]
    calls = [
        Call(name="f", id="1"),
        Call(name="g", id="2", outcome="failed", error="ValueError: xxx..."),
        Call(name="h", id="3"),
    ]
    stubs = proposed(transcript(*calls, messages=messages)).case.stubs
    assert (stubs["f"], repr(stubs["g"]), stubs["h"]) == ("the text", f"ValueError('{long}')", None)


def test_tools_that_have_no_stub() -> None:
    """Those of an inner agent, those that there are not, those that were denied."""
    made = proposed(
        transcript(
            answered("mine", "x"),
            answered("inner", "y"),
            Call(name="nope", outcome="failed", error="BadArguments: there is no tool"),
            Call(name="mine", outcome="denied", error="no"),
            tools=["mine"],
        )
    )
    assert made.case.stubs == {"mine": "x"}
    assert made.notes == (
        "1 call of mine denied, and without an answer here",
        "inner is a tool of an inner agent, and has no stub here",
    )
    assert dict(made.case.calls) == {"mine": None, "inner": None}


def test_calls_and_order() -> None:
    """What was asked for, call by call; the order where no two were made side by side."""
    calls = [answered("f", 1, q="a"), answered("f", 1, q="b", n=[1]), answered("g", 2)]
    apart = [dataclasses.replace(each, iteration=number) for number, each in enumerate(calls, 1)]
    made = proposed(transcript(*apart)).case
    assert dict(made.calls) == {"f": [{"q": "a"}, {"q": "b", "n": [1]}], "g": None}
    assert made.order == ("f", "g")
    assert proposed(transcript(*calls)).case.order is None
    assert proposed(transcript(*apart, blind=["order"])).case.order is None
    assert proposed(transcript(apart[0], apart[1])).case.order is None


def test_what_the_reply_said() -> None:
    """The numbers that it has from the tools and not from the prompt; absence; silence."""
    found = answered("f", {"rate": "4.25%", "at": "12:30", "n": 7})
    assert proposed(transcript(found, reply="4.25% at 12:30; 99 of 7", said="7?")).case.mentions == ["4.25", "12:30"]
    assert proposed(transcript(found, reply="I found no results.")).case.absent
    assert proposed(transcript(reply="")).case.silent
    many = answered("f", "11 12 13 14 15 16 17")
    assert proposed(transcript(many, reply="11 12 13 14 15 16 17")).case.mentions == ["11", "12", "13", "14", "15"]


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everywhere; an argument with one in it is left out, for nobody says `***` again."""
    monkeypatch.setenv("SOME_TOKEN", "hush-hush-4711")
    made = proposed(
        transcript(
            answered("f", ["hush-hush-4711"], key="hush-hush-4711", q="a"),
            said="it is hush-hush-4711",
            messages=[
                message("user", "so: hush-hush-4711"),
                message("user", "it is hush-hush-4711"),
                message("assistant", "done"),
            ],
        )
    )
    assert "hush" not in repr(made)
    assert made.case.stubs == {"f": ["***SOME_TOKEN***"]}
    assert made.case.said == "it is ***SOME_TOKEN***"
    assert dict(made.case.calls) == {"f": {"q": "a"}}
    assert made.notes == ("calls of f: 1 argument left out, with a secret in it",)


def test_what_was_said_before() -> None:
    """The conversation without the agent's own prompt; the runs and the budget of the case."""
    messages = [message("system", "be brief"), message("user", "hi"), message("assistant", "yes?"), message("user", "hello"), message("assistant", "done")]  # fmt: skip
    made = proposed(transcript(messages=messages), runs=3, budget=Budget(iterations=2)).case
    assert made.conversation == (Message(role="user", content="hi"), Message(role="assistant", content="yes?"))
    assert (made.runs, made.budget) == (3, Budget(iterations=2))


def test_an_attempt_that_did_not_pass() -> None:
    """The reviewer is told, and an expectation that it did not meet is left out."""
    made = proposed(transcript(iterations=5), "budget.iterations", budget=Budget(iterations=2))
    assert made.case.budget == Budget()
    assert made.notes == (
        "the attempt did not pass: about budget.iterations; the expectations say what it did, and not what is right",
        "the budget: left out, since the attempt would not meet it",
    )


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (transcript(error=Failure("turn.raised", "the turn raised KeyError: 'id'")), "no case can be made of a turn that did not end by itself: the turn raised KeyError: 'id'"),
        (transcript(stopped="budget.tokens"), "no case can be made of a turn that was stopped for its budget"),
        (transcript(reply="", published=["x"]), 'no case can be made of it: published 1 thing when it should have stayed silent: "x"'),
        (transcript(blind=["messages"]), "no case can be made of it: cannot tell what the reply was"),
    ],
)  # fmt: skip
def test_an_attempt_of_which_no_case_can_be_made(seen: Transcript, sentence: str) -> None:
    """One that nothing would pass."""
    with pytest.raises(UsageError) as why:
        proposed(seen)
    assert str(why.value).startswith(sentence)


@settings(max_examples=200, deadline=None)
@given(transcripts)
def test_what_is_proposed_passes_where_it_comes_from(
    tmp_path_factory: pytest.TempPathFactory, seen: Transcript
) -> None:
    """After it was written and read, as YAML, as JSON and as Python; or none is proposed."""
    try:
        case = proposed(seen).case
    except UsageError:
        return
    path = tmp_path_factory.getbasetemp() / "cases"
    names: dict[str, Any] = {}
    exec(compile(source_of([case]), "eval_x.py", "exec"), names)
    back = [names["CASES"][0]]
    for ending in (".yaml", ".json"):
        Case.dump([case], f"{path}{ending}")
        back += Case.load(f"{path}{ending}")
    seen.failures = []
    for each in back:
        assert case_key(each) == case_key(case)
        assert grade(each, seen).passed


def test_the_agent_does_the_same_again_under_it() -> None:
    """A real turn, live; the case that it comes to, with every tool stubbed; the same turn, and a verdict."""
    replies = [
        agents.asks(("search", {"q": "rate"})),
        agents.asks(("search", {"q": "when"}), "fetch"),
        "4.25% since 2024.",
    ]
    search, fetch = agents.Live("search", "4.25"), agents.Live("fetch", {"year": [2024]})
    first = agents.attempt(agents.makes(*replies, tools=[search.tool, fetch.tool]), Case("a", said="rates?"))
    made = propose(first).case
    assert (made.mentions, made.stubs) == (["4.25", "2024"], {"search": "4.25", "fetch": {"year": [2024]}})
    ran = [*search.ran], [*fetch.ran]
    again = agents.attempt(agents.makes(*replies, tools=[search.tool, fetch.tool]), made)
    assert again.passed
    assert ([*search.ran], [*fetch.ran]) == ran
    other = [agents.asks(("search", {"q": "rate"})), "4.25% since 2024."]
    assert not agents.attempt(agents.makes(*other, tools=[search.tool, fetch.tool]), made).passed
