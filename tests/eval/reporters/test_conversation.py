"""A transcript as a person reads it, as a whole and where text from outside would act."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brute import Message, ToolCall, Usage
from brute.eval import Attempt, Call, Case, Failure, Request, Transcript, Verdict
from brute.eval.judgement import Judgement, Vote
from brute.eval.reporters.attempted import told as on_the_page
from brute.eval.reporters.conversation import FULL, Room, conversation
from brute.eval.reporters.lines import text_of
from tests.eval.reporters.sample import ATTEMPTS, HOSTILE
from tests.support.golden import same_as_golden

GOLDEN = Path(__file__).parent / "golden"


def asks(id: str, name: str, **arguments: Any) -> ToolCall:
    """A call as the model asked for it."""
    return ToolCall(id=id, name=name, arguments=arguments)


TURN = Transcript(
    said="rates?",
    messages=[
        Message(role="system", content="Answer in one sentence."),
        Message(role="user", content="What did the Bank do?\nAnd why?"),
        Message(
            role="assistant",
            content="I'll look.",
            tool_calls=(
                asks("1", "search", query="boe"),
                asks("2", "fetch", url="x"),
                asks("3", "delete", path="/"),
                asks("4", "gone"),
            ),
            usage=Usage(input=100, output=12),
            model="gpt-5",
        ),
        Message(role="tool", content="Held.", tool_call_id="1"),
        Message(role="tool", content="Error", tool_call_id="2", failed=True),
        Message(role="tool", content="denied", tool_call_id="3"),
        Message(role="tool", content="who asked?", tool_call_id="9"),
        Message(role="assistant", content="It held.\n\nTwice.", usage=Usage(input=150, output=8)),
    ],
    calls=[
        Call(
            name="search",
            arguments={"query": "boe"},
            executed={"query": "boe", "limit": 3},
            result={"rate": "4.25"},
            outcome="stubbed",
            id="1",
        ),
        Call(
            name="fetch",
            arguments={"url": "x"},
            executed={"url": "x"},
            outcome="failed",
            error="TimeoutError: slow",
            result="TimeoutError: slow",
            id="2",
        ),
        Call(name="delete", arguments={"path": "/"}, outcome="denied", error="no deleting", id="3"),
        Call(name="note", arguments=None, malformed='{"text": ', outcome="failed", error="malformed", agent="helper"),
    ],
    requests=[
        Request(usage=Usage(input=100, output=12), started=0.0, ended=1.25),
        Request(started=2.0, ended=2.5, error="529 overloaded"),
    ],
    iterations=2,
    seconds=2.5,
    stopped="MaxIterations(2)",
    error=Failure("error.model", "the model call failed: 529 overloaded"),
    published=["a note"],
    notes=["left behind, still running: fetch"],
)

FAILURES = (
    Failure("error.model", "the model call failed: 529 overloaded"),
    Failure("call.arguments", "called search 1 time, never with query matching /rate/", expected={"search": ["query"]}),
    Failure(
        "call.forbidden", "called delete, which this case forbids", expected="no call to delete", actual={"path": "/"}
    ),
    Failure("order", "wanted fetch, search in that order; got search, fetch", expected=["fetch", "search"]),
    Failure("mentions", 'never said "4.25"', expected="4.25"),
)


def text(attempt: Attempt, room: Room | None = None) -> str:
    """The lines on an attempt, one below the other."""
    return "".join(f"{text_of(line)}\n" for line in (conversation(attempt, room) if room else conversation(attempt)))


def test_a_conversation_is_told_from_its_beginning_to_its_end() -> None:
    """Who said what, each call with its arguments and result, which were stubbed, and where each failure lies."""
    attempt = Attempt(Case("searches", said="rates?", runs=2), 2, "failed", Verdict(FAILURES), TURN)
    same_as_golden(text(attempt), GOLDEN / "conversation.txt")


def test_hostile_text_is_inert() -> None:
    """Nothing that a model, a tool or an exception said acts on a terminal or a CI log, wherever it stands."""
    seen = Transcript(
        messages=[
            Message(role="user", content=HOSTILE),
            Message(
                role="assistant",
                content=HOSTILE,
                tool_calls=(asks(HOSTILE, HOSTILE, x=HOSTILE), asks("", HOSTILE)),
                model=HOSTILE,
            ),
            Message(role="tool", content=HOSTILE),
        ],
        calls=[
            Call(
                name=HOSTILE,
                arguments={HOSTILE: HOSTILE},
                executed={HOSTILE: [HOSTILE]},
                result=HOSTILE,
                error=HOSTILE,
                agent=HOSTILE,
            )
        ],
        requests=[Request(error=HOSTILE)],
        published=[HOSTILE],
        stopped=HOSTILE,
        error=Failure("turn.raised", HOSTILE, detail=HOSTILE),
        notes=[HOSTILE],
    )
    attempt = Attempt(
        Case(f"x{HOSTILE}", said="?"), 1, "failed", Verdict((Failure("check", HOSTILE, detail=HOSTILE),)), seen, HOSTILE
    )
    for told in (text(attempt), text(attempt, FULL), *map(text, ATTEMPTS)):
        assert all(line.isprintable() for line in told.splitlines())
        assert not any(line.lstrip(" |").startswith("##") for line in told.splitlines())
        assert "##vso[" not in told
        assert not any(line.startswith("::") for line in told.splitlines())


def test_long_texts_are_cut_unless_they_are_asked_for() -> None:
    """A reply of a megabyte takes a page, and all of it where that is wanted."""
    seen = Transcript(messages=[Message(role="assistant", content="x" * 100 + "\n" * 3 + "y\n" * 50_000)])
    attempt = Attempt(Case("long", said="?"), 1, "passed", Verdict(), seen)
    assert len(text(attempt).splitlines()) < 80
    assert "more characters" in text(attempt)
    assert text(attempt, FULL).count("| y") == 50_000


def test_what_a_judge_said_is_told() -> None:
    """In a terminal and on the page, inert."""
    said = [
        Judgement(rubric="is kind", votes=[Vote(met=True, reason="it\x1b[31m thanks")]),
        Judgement(rubric="is short", error="the judge's model call failed: 529"),
    ]
    attempt = Attempt(Case("a", said="x"), 1, "passed", Verdict(), Transcript(judgements=said))
    lines = [
        'judged "is kind" met (1 of 1 vote): it\\u001b[31m thanks',
        'could not judge "is short": the judge\'s model call failed: 529',
    ]
    assert [text_of(line).strip() for line in conversation(attempt)][-2:] == lines
    assert [step["text"] for step in on_the_page(attempt)["steps"][:2]] == lines


def test_every_failure_that_lies_in_a_step_is_marked_there() -> None:
    """A call too many, a model call that was one too many; what lies nowhere is not."""
    seen = Transcript(
        messages=[Message(role="assistant", content="done", usage=Usage(input=100, output=5))],
        calls=[Call(name="read"), Call(name="read")],
        requests=[
            Request(iteration=1, usage=Usage(input=60, output=0)),
            Request(iteration=2, usage=Usage(input=100, output=5)),
        ],
    )
    failures = (
        Failure("call.unwanted", "x", {"read": "call(times=1)"}, [{}, {}]),
        Failure("budget.tokens", "x", 100),
        Failure("budget.iterations", "x", 0),
        Failure("error.check", "x"),
    )
    told = [text_of(line) for line in conversation(Attempt(Case("c", said="?"), 1, "failed", Verdict(failures), seen))]
    assert [line.strip() for line in told if " <- " in line] == [
        "assistant (105 tokens)  <- budget.tokens",
        "model call 1  <- budget.iterations",
        "call 1: read {} ran  <- call.unwanted",
        "call 2: read {} ran  <- call.unwanted",
    ]
    page = on_the_page(Attempt(Case("c", said="?"), 1, "failed", Verdict(failures), seen))
    there = {spot for step in page["steps"] for spot in step["spots"]}
    assert [[spot for spot in each["spots"] if spot in there] for each in page["failures"]] == [
        ["c1", "c2"],
        ["r2"],
        ["r1"],
        [],
    ]
