"""Transcripts and attempts as rows, and back."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given

from brute.eval import Attempt, Budget, Case, Failure, Transcript, Verdict
from brute.eval.logcases import case_of, case_row
from brute.eval.logrows import (
    Damaged,
    attempt_row,
    intact,
    packed,
    sealed,
    text_of,
    unpacked,
    verdict_of,
)
from tests.eval.logged import attempt
from tests.support.strategies import transcripts


@given(transcripts)
def test_a_transcript_comes_back_as_it_was(seen: Transcript) -> None:
    """As its own JSON has it, whatever it holds; what a field is anyway is left out."""
    assert unpacked(packed(seen)[0]) == Transcript.from_json(seen.to_json())
    assert len(text_of(seen)) <= len(json.dumps(seen.to_json()))


@given(transcripts)
def test_the_text_is_what_a_transcript_is_read_from(seen: Transcript) -> None:
    """`brute export` writes it, and `Transcript.from_json` takes it."""
    assert Transcript.from_json(json.loads(text_of(seen))) == Transcript.from_json(seen.to_json())


def test_a_transcript_is_small() -> None:
    """A turn of two model calls and a tool call takes a few hundred bytes."""
    assert len(packed(attempt(1).transcript)[0]) < 300


def test_a_damaged_transcript_is_never_another() -> None:
    """Whichever byte is another, and wherever it is cut off."""
    whole, _ = packed(attempt(1).transcript)
    for at in range(len(whole)):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :]):
            with contextlib.suppress(Damaged):
                assert unpacked(damaged) == attempt(1).transcript


def test_a_row_that_was_tampered_with_is_refused() -> None:
    """A failed attempt whose row says passed is none."""
    row = list(sealed(7, 3, attempt_row(attempt(2), 0, b"key")))
    intact(tuple(row))
    assert row[3] == "failed"
    for at, other in ((0, 8), (1, 4), (3, "passed"), (3, "error"), (8, None), (10, "{}")):
        with pytest.raises(Damaged):
            intact((*row[:at], other, *row[at + 1 :]))


def test_failures_come_back_as_they_were() -> None:
    """Kind, sentence, both sides and the detail."""
    verdict = Verdict(
        (Failure("mentions", "never said", expected=["a"], actual={"b": 1}, detail="more"), Failure("order", "x"))
    )
    row = attempt_row(Attempt(Case("a", said="b"), 1, "failed", verdict, Transcript()), 0, None)
    assert verdict_of(row[6]) == verdict
    assert verdict_of(None) == Verdict()


def test_numbers_of_any_size_can_be_kept() -> None:
    """An agent may report more tokens than SQLite counts."""
    from tests.support.make import request

    one = Attempt(Case("a", said="b"), 1, "passed", Verdict(), Transcript(requests=[request(tokens=10**30)]))
    assert attempt_row(one, 0, None)[3] == 1e30


def test_a_case_is_kept_as_far_as_it_is_shown() -> None:
    """Its name, what was said, its runs and its budget."""
    case = Case("a", said="b\ud800", runs=3, budget=Budget(tokens=5), mentions=["c"])
    _, name, _, kept, _ = case_row("s", case, b"1")
    assert case_of(name, kept) == Case("a", said="b\ud800", runs=3, budget=Budget(tokens=5))
    assert case_row("s", case, b"1")[4] != case_row("s", case, b"2")[4] != case_row("t", case, b"2")[4]
