"""What an attempt tells of as it goes on comes to the transcript that it had."""

from __future__ import annotations

import json
from typing import Any

import pytest

from brute.eval import Case, Job, World, bounding, leaving, wording
from brute.eval.adapters import adapt
from brute.eval.building import Builder
from brute.eval.executors.frames import Frames, packed
from brute.eval.executors.trail import CHECKING, TellingRunner, seen
from brute.eval.jsonable import plain
from brute.eval.stages import BUILDING, MAKING
from tests.eval.executors import sample
from tests.support.agents import asks, makes, tool
from tests.support.make import call, message, request


def growth(case: Case) -> tuple[Any, list[bytes]]:
    """An attempt at the case, and what it told of."""
    told: list[bytes] = []
    suite = sample.MIXED
    runner = TellingRunner(suite.builder, adapt, suite.world, deadline=1, unstubbed="run")
    runner.tell = lambda each: told.append(json.dumps(each).encode())
    return leaving.run(runner.attempt(Job(case))), told


@pytest.mark.parametrize("case", [case for case in sample.MIXED.cases if case.budget.tool_calls is None], ids=str)
def test_the_last_state_told_of_is_that_of_the_turn(case: Case) -> None:
    """All messages, calls and requests, but for what the end of the turn adds."""
    attempt, told = growth(case)
    ours, theirs = seen(case, told).transcript, attempt.transcript
    assert [each.name for each in ours.calls] == theirs.names
    for one, other in zip(ours.calls, theirs.calls, strict=True):
        assert (one.arguments, one.executed, one.malformed) == (other.arguments, other.executed, other.malformed)
    assert len(ours.requests) == len(theirs.requests)
    assert ours.iterations == theirs.iterations
    shown = [plain(each) for each in theirs.messages]
    assert [plain(each) for each in ours.messages] == shown[: len(ours.messages)]
    assert len(shown) - len(ours.messages) <= 1


def test_each_thing_is_sent_a_few_times_only() -> None:
    """Not all of it at each event, which would grow with the square of the turn."""
    long = Case("long", said=sample.says("done", *sample.SEARCH and [sample.SEARCH] * 50))
    _, told = growth(long)
    assert sum(map(len, told)) < 150_000
    messages = [len(json.loads(each).get("messages", [0, []])[1]) for each in told]
    assert sum(messages) <= 102


def test_where_it_is_beside_the_turn() -> None:
    """In the order in which they come."""
    case = Case("checked", said=sample.says(), check=sample.wordy)
    _, told = growth(case)
    stages = [json.loads(each)["stage"] for each in told if b'"stage"' in each]
    assert stages == [
        "the world's making", "the agent's building", "the world's prepare", "the world's stub", None, "the check"
    ]  # fmt: skip
    assert seen(case, told).stage is CHECKING
    assert seen(case, []).stage is MAKING
    assert seen(case, [b'{"stage":"the agent\'s building"}']).stage is BUILDING


def test_what_had_not_ended_is_cut() -> None:
    """A call that was running failed, and a model call that was waited for has no answer."""
    asked = call("search", "denied", query="x")
    asked.started = 0.5
    told = [
        {"stage": None},
        {"iterations": 1, "requests": [0, [plain(request(5, started=0.1, ended=0.2))]]},
        {"messages": [0, [plain(message("user", "hi"))]], "calls": [0, [plain(asked), plain(call("fetch", "denied"))]]},
    ]
    case = Case("a", said="hi")
    what = seen(case, [json.dumps(each).encode() for each in told])
    assert what.where == "tool search"
    assert [(each.outcome, each.error) for each in what.transcript.calls] == [
        ("failed", wording.CUT_CALL),
        ("denied", None),
    ]
    waiting = {"requests": [1, [plain(request(None, started=0.3))]], "calls": [0, []]}
    assert seen(case, [json.dumps(waiting).encode()]).where == "the model call"
    assert seen(case, [b"{}"]).where == "the agent's own code"


def test_a_conversation_that_was_rewritten_is_told_of_anew() -> None:
    """A later beginning takes the place of what stood there."""
    told = [
        {"messages": [0, [plain(message("user", each)) for each in "abc"]]},
        {"messages": [0, [plain(message("user", "sum"))]]},
        {"messages": [1, [plain(message("user", "d"))]]},
    ]
    what = seen(Case("a", said="x"), [json.dumps(each).encode() for each in told])
    assert [each.content for each in what.transcript.messages] == ["sum", "d"]


def test_frames_come_whole_however_they_are_cut() -> None:
    """Byte by byte, or all at once."""
    sent = packed(b"a", {"é": [1, None]}) + packed(b"b") + packed(b"c", "x" * 1000)
    whole, bytewise = Frames(), Frames()
    found = whole.fed(sent)
    assert [kind for kind, _ in found] == [b"a", b"b", b"c"]
    assert [frame for at in range(len(sent)) for frame in bytewise.fed(sent[at : at + 1])] == found


def test_what_is_told_is_within_bounds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Written out, a result of hundreds of megabytes would take longer than the attempt has; the note on it is told as well."""
    monkeypatch.setattr(bounding, "MOST", 100)
    told = list[bytes]()

    def much() -> str:
        return "r" * 100_000

    case = Case("a", said="x")
    runner = TellingRunner(
        Builder(makes(asks("much"), "done", tools=[tool(much)])), adapt, World, deadline=5.0, unstubbed="run"
    )
    runner.tell = lambda each: told.append(json.dumps(each).encode())
    leaving.run(runner.attempt(Job(case)))
    assert sum(map(len, told)) < 10_000
    transcript = seen(case, told).transcript
    assert transcript.calls[0].result == "r" * 100
    assert [note[:27] for note in transcript.notes] == ["the result of tool much is ", "a message of the role tool "]
