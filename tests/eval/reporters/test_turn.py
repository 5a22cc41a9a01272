"""A turn step by step: what each step says, which ones are marked, and how long it may get."""

from __future__ import annotations

from typing import Any

import pytest

from brute import Message, ToolCall, Usage
from brute.eval import Attempt, Budget, Call, Case, Failure, Request, Transcript, Verdict
from brute.eval.reporters.lines import attempt_lines, text_of
from brute.eval.reporters.turn import turn_lines
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE


def asks(*names: str, **more: Any) -> Message:
    """A message that asks for tools."""
    calls = tuple(ToolCall(id=f"{n}", name=name) for n, name in enumerate(names))
    return Message(role="assistant", tool_calls=calls, **more)


def told(*failures: Failure, budget: Budget = Budget(), **seen: Any) -> list[str]:
    """The lines on a turn, without what they are indented by."""
    attempt = Attempt(Case("c", said="?", budget=budget), 1, "failed", Verdict(failures), Transcript(**seen))
    lines = [text_of(line) for line in turn_lines(attempt)]
    assert all(line.startswith("    ") for line in lines)
    return [line[4:] for line in lines]


USER = Message(role="user", content="rates?")
HELD = Message(role="assistant", content="It held.")
SEARCH = Call(name="search", arguments={"query": "boe"}, id="0", outcome="stubbed", result="Held.")


def test_what_the_model_saw_and_did() -> None:
    """The system prompt in short, the tools, what was said, each call with what came of it, the reply."""
    system = Message(role="system", content="Answer\n in  one sentence. " + "x" * 300)
    result = Message(role="tool", content="Held.", tool_call_id="0")
    assert told(
        messages=[system, USER, asks("search"), result, HELD], calls=[SEARCH], tools=["search", "fetch"], iterations=2
    ) == [
        f"  system    | Answer in one sentence. {'x' * 174}... 126 more characters",
        "  tools     | search, fetch",
        "  user      | rates?",
        '  call 1    | search {"query": "boe"}',
        "  stubbed   | Held.",
        "  assistant | It held.",
    ]


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        (Call(name="a"), ["  call 1    | a {}", "  ran       |"]),
        (Call(name="a", result={"x": [1]}), ["  call 1    | a {}", '  ran       | {"x": [1]}']),
        (
            Call(name="a", result="1\n\n2"),
            ["  call 1    | a {}", "  ran       | 1", "            |", "            | 2"],
        ),
        (Call(name="a", outcome="failed", error="E: x", result="x"), ["  call 1    | a {}", "  failed    | E: x"]),
        (Call(name="a", outcome="denied", error="no"), ["  call 1    | a {}", "  denied    | no"]),
        (Call(name="a", arguments=None, malformed='{"x'), ['  call 1    | a {"x', "  ran       |"]),
        (Call(name="a", agent="inner agent"), ["  call 1    | inner agent: a {}", "  ran       |"]),
        (
            Call(name="a", arguments={"x": 1}, executed={"x": 2}),
            ['  call 1    | a {"x": 1}', '            | executed with {"x": 2}', "  ran       |"],
        ),
        (
            Call(name="a", result="\n".join("123456789")),
            [
                "  call 1    | a {}",
                "  ran       | 1",
                *(f"            | {n}" for n in [*range(2, 7), "... 5 more characters"]),
            ],
        ),
    ],
)
def test_a_call_and_what_came_of_it(call: Call, lines: list[str]) -> None:
    """Its arguments, those of the tool where they were others, then how it ended and with what."""
    assert told(calls=[call]) == lines


def test_what_was_asked_for_and_never_made() -> None:
    """It is told where it was asked for."""
    assert told(messages=[USER, asks("search", "fetch")], calls=[SEARCH]) == [
        "  user      | rates?",
        '  call 1    | search {"query": "boe"}',
        "  stubbed   | Held.",
        "  no call   | fetch {}: never made",
    ]


TURN = {
    "messages": [USER, asks("search"), Message(role="tool", content="Held.", tool_call_id="0"), HELD],
    "calls": [SEARCH, Call(name="note", arguments={"text": "rates were raised"}, id="9")],
}


@pytest.mark.parametrize(
    ("failure", "marked"),
    [
        (Failure("call.arguments", "x", expected={"search": "any"}), ["call 1"]),
        (Failure("call.forbidden", "x", expected="no call to note"), ["call 2"]),
        (Failure("call.missing", "x", expected={"fetch": ["any"]}), ["note"]),
        (Failure("order", "x", expected=["note", "search"]), ["call 1"]),
        (Failure("mentions", "x"), ["assistant"]),
        (Failure("check", "x"), ["assistant"]),
        (Failure("check", 'noted "rates were raised"'), ["call 2"]),
    ],
    ids=lambda each: getattr(each, "message", ""),
)
def test_the_step_that_a_failure_lies_in_is_marked(failure: Failure, marked: list[str]) -> None:
    """With the failure's kind under it; what lies at the end of the turn is marked at the last."""
    lines = told(failure, **TURN)
    labels = [line[2:12].strip() for line in lines if line.startswith("> ")]
    assert labels == [{"note": "call 2"}.get(label, label) for label in marked]
    assert [line.strip() for line in lines if line.strip().startswith("^")] == [f"^ {failure.kind}"]


def test_one_step_may_have_several_failures() -> None:
    """Each kind once."""
    lines = told(Failure("mentions", "x"), Failure("mentions", "y"), Failure("absent", "z"), messages=[USER, HELD])
    assert lines == ["  user      | rates?", "> assistant | It held.", "            ^ mentions, absent"]


SPENT = {
    "messages": [USER, asks("search", usage=Usage(input=100, output=20))],
    "calls": [SEARCH],
    "requests": [
        Request(usage=Usage(input=100, output=20), started=0.0, ended=1.5),
        Request(usage=Usage(input=900, output=80), started=1.5, ended=2.0),
    ],
}


def test_where_tokens_went() -> None:
    """Where they are over the budget, each model call says what it took, also one whose message the turn did not live to take."""
    failure = Failure("budget.tokens", "x", expected=1000, actual=1100)
    assert told(failure, budget=Budget(tokens=1000), stopped="budget.tokens", **SPENT) == [
        "  user      | rates?",
        "  assistant | (model call 1: 120 tokens, 1.5 s)",
        '  call 1    | search {"query": "boe"}',
        "  stubbed   | Held.",
        "> assistant | (model call 2: 980 tokens, 1,100 in all, 0.5 s)",
        "            ^ budget.tokens",
        "  stopped   | the budget of 1,000 tokens was spent",
    ]
    assert not any("tokens" in line for line in told(Failure("absent", "x"), **SPENT))


@pytest.mark.parametrize(
    ("seen", "last"),
    [
        (
            {"stopped": "budget.iterations", "iterations": 3},
            "before model call 3: the budget of 2 iterations was spent",
        ),
        ({"stopped": "budget.tool_calls"}, "the budget of 4 tool calls was spent"),
        ({"stopped": "budget.odd"}, "the budget of odd was spent"),
        ({"stopped": "MaxIterations(6)"}, "by MaxIterations(6)"),
    ],
)
def test_what_stopped_the_turn(seen: dict[str, Any], last: str) -> None:
    """A budget with its limit, a layer by its name; what lies in no step is marked there."""
    lines = told(Failure("reply.missing", "x"), messages=[], budget=Budget(iterations=2, tool_calls=4), **seen)
    assert lines == [f"> stopped   | {last}", "            ^ reply.missing"]


def test_how_a_turn_ended_that_raised() -> None:
    """With its own sentence, marked."""
    error = Failure("turn.raised", "the turn raised KeyError: 'id'")
    assert told(error, messages=[USER], error=error)[1:] == [
        "> ended     | the turn raised KeyError: 'id'",
        "            ^ turn.raised",
    ]


def test_a_model_call_that_failed() -> None:
    """It stands where the model would have answered."""
    lines = told(Failure("error.model", "x"), messages=[USER], requests=[Request(error="529 overloaded")])
    assert lines[1:] == ["> assistant | (model call 1 failed: 529 overloaded)", "            ^ error.model"]


def test_a_long_turn_is_told_from_both_ends() -> None:
    """The first steps, the last, and those that are marked; between them stands how many there are besides."""
    calls = [Call(name="delete" if n == 20 else "read") for n in range(41)]
    lines = told(Failure("call.forbidden", "x", expected="no call to delete"), calls=calls)
    steps = [line for line in lines if " call " in line or "..." in line]
    assert [line[2:].split(" |")[0].strip() for line in steps] == [
        *(f"call {n}" for n in range(1, 6)),
        "...",
        "call 21",
        "...",
        *(f"call {n}" for n in range(30, 42)),
    ]
    assert [line for line in lines if "..." in line] == ["  ...       | 15 more steps", "  ...       | 8 more steps"]


def test_very_much_that_is_wrong_is_no_longer() -> None:
    """A thousand forbidden calls are a page, and so are ten megabytes of texts."""
    calls = [Call(name="delete", arguments={"path": "y" * 10_000}, result="z\n" * 100_000)] * 1000
    text = "\n".join(told(Failure("call.forbidden", "x", expected="no call to delete"), calls=calls))
    assert text.count("^ call.forbidden") == 5 + 12 + 1
    assert len(text) < 30_000


def test_a_turn_of_which_nothing_was_seen() -> None:
    """Has no lines."""
    assert told(Failure("error.build", "x")) == []


def test_it_is_told_of_attempts_that_failed_alone() -> None:
    """What passed stays short, and so does what was not finished."""
    for attempt in ATTEMPTS:
        lines = [text_of(line) for line in attempt_lines(attempt)]
        seen = attempt.status in ("failed", "error") and attempt.transcript.messages
        assert any(line.startswith("      user      | ") for line in lines) == bool(seen)


def test_nothing_from_outside_acts() -> None:
    """Whatever was said, by whomever, is text."""
    seen = {
        "messages": [
            Message(role=role, content=HOSTILE) for role in ("system", "user", "assistant", "tool")
        ] + [asks(HOSTILE, HOSTILE)],
        "calls": [Call(name=HOSTILE, arguments={HOSTILE: HOSTILE}, executed={HOSTILE: 1}, result=HOSTILE, agent=HOSTILE)],
        "tools": [HOSTILE],
        "stopped": HOSTILE,
        "requests": [Request(error=HOSTILE)],
    }  # fmt: skip
    for stopped in (HOSTILE, f"budget.{HOSTILE}"):
        lines = told(Failure(HOSTILE, HOSTILE), **{**seen, "stopped": stopped})
        assert all(line.isprintable() for line in lines)
        assert not any("##[" in line or "##vso[" in line for line in lines)
        assert all(line[12:13] in "|^" for line in lines)


@pytest.mark.parametrize(
    "kind", ["error.tool", "error.check", "error.blind", "error.judge", "error.build", "cancelled"]
)
def test_what_the_turn_is_not_to_blame_for_is_marked_nowhere(kind: str) -> None:
    """A slip in the case, a check that crashed: the reply is not at fault."""
    lines = told(Failure(kind, "no"), messages=[USER, HELD])
    assert lines == ["  user      | rates?", "  assistant | It held."]


def test_calls_that_are_too_many_are_marked_and_not_the_reply() -> None:
    """Each of them, by its own number."""
    failures = [
        Failure(
            "call.unwanted", f"called search besides what this case wants (call {n} of 3: {{}})", "no other call", {}
        )
        for n in (2, 3)
    ]
    lines = told(*failures, messages=[USER, HELD], calls=[SEARCH, Call(name="search"), Call(name="search")])
    assert [line for line in lines if line.startswith("> ")] == ["> call 2    | search {}", "> call 3    | search {}"]


def test_a_model_call_is_told_with_the_message_that_came_of_it() -> None:
    """History is none, and one that did not tell what it used has a place of its own."""
    old = Message(role="assistant", content="old", usage=Usage(input=7, output=7))
    lines = told(
        Failure("budget.tokens", "spent 105 tokens, budget 50", 50), budget=Budget(tokens=50), said="rates?",
        messages=[Message(role="user", content="h"), old, USER, asks("search"), Message(role="assistant", content="done", usage=Usage(input=100, output=5))],
        calls=[SEARCH], requests=[Request(started=0.0, ended=2.0), Request(iteration=2, usage=Usage(input=100, output=5))],
    )  # fmt: skip
    assert lines == [
        "  user      | h",
        "  assistant | old",
        "  user      | rates?",
        "  assistant | (model call 1: ? tokens, 2.0 s)",
        '  call 1    | search {"query": "boe"}',
        "  stubbed   | Held.",
        "> assistant | (model call 2: 105 tokens)",
        "            | done",
        "            ^ budget.tokens",
    ]
