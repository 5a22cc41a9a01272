"""What a transcript keeps of results and messages that are too large for it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from brute.eval import Case, bounding
from brute.eval.bounding import Bound
from brute.eval.transcript import Transcript
from tests.support.agents import asks, attempt, makes, speaks, tool

RESULT = (
    "the result of tool search is longer than 100 characters: the transcript keeps its beginning, and is graded by that"
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transcript that keeps little."""
    monkeypatch.setattr(bounding, "MOST", 100)


@dataclasses.dataclass
class Page:
    """What a tool may answer."""

    title: str
    text: str


ROUND: list[Any] = [1]
ROUND.append(ROUND)

WHOLE = [None, 5, "x" * 100, {"a": ["x" * 50, 2.5]}, ("a", {"b"}), Page("t", "x" * 80), b"x", ROUND, {1: None}, object]

LARGE: list[tuple[Any, Any]] = [
    ("x" * 101, "x" * 100),
    (b"x" * 101, b"x" * 100),
    (["x" * 60, "y" * 60, "z"], ["x" * 60, "y" * 39]),
    ({"a": "x" * 200, "b": 1}, {"a": "x" * 98}),
    ([1] * 1000, [1] * 99),
    (("x" * 60, "y" * 60), ["x" * 60, "y" * 39]),
    ({"page": Page("t", "x" * 200)}, {"page": {"title": "t", "text": "x" * 84}}),
    ([ROUND, "x" * 200], [[1, "..."], "x" * 96]),
]


@pytest.mark.parametrize("value", WHOLE, ids=lambda value: type(value).__name__)
def test_what_is_within_bounds_is_kept_whole(value: Any) -> None:
    """Without a note."""
    transcript = Transcript()
    kept = Bound(transcript).result("search", value)
    assert kept is value or kept == value or repr(kept) == repr(value)
    assert transcript.notes == []


@pytest.mark.parametrize(("value", "beginning"), LARGE, ids=lambda value: type(value).__name__)
def test_of_what_is_larger_the_beginning_is_kept(value: Any, beginning: Any) -> None:
    """However it is made up, and one note says so, however often."""
    transcript = Transcript()
    bound = Bound(transcript)
    assert bound.result("search", value) == beginning
    bound.result("search", value)
    assert transcript.notes == [RESULT]


def test_the_agent_has_all_of_it_and_the_transcript_the_beginning() -> None:
    """Results and messages; the reply is graded by what is kept of it."""
    seen: list[int] = []

    def search() -> str:
        return "r" * 5000

    def model(env: Any) -> Any:
        if env.messages[-1].role == "user":
            return asks("search")
        seen.append(len(env.messages[-1].content))
        return "y" * 95 + " word " + "z" * 5000

    made = attempt(speaks(model, tools=[tool(search)]), Case("a", said="x", mentions=["y" * 95]))
    assert (made.status, seen) == ("passed", [5000])
    transcript = made.transcript
    assert transcript.calls[0].result == "r" * 100
    assert [len(each.content) for each in transcript.messages] == [1, 0, 100, 100]
    assert transcript.notes == [
        RESULT,
        RESULT.replace("the result of tool search", "a message of the role tool"),
        RESULT.replace("the result of tool search", "a message of the role assistant"),
    ]


def test_a_long_conversation_is_not_stale() -> None:
    """A message that is kept in part is still the one that it was."""
    made = attempt(makes("y" * 5000), Case("a", said="x"))
    assert not made.transcript.stale
    assert made.transcript.reply == "y" * 100
