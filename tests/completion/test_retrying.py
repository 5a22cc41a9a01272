"""How often a failed call is tried again, and how long is waited."""

from __future__ import annotations

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute.completion.retrying import Retrying
from brute.errors import ModelError, UsageError
from tests.completion.faults import Waits


def tried(errors: list[ModelError], retrying: Retrying) -> tuple[str | None, list[str], int]:
    """How a call that fails with these errors and then works ends: its error, its record and the number of tries."""
    left, record, tries = list(errors), list[str](), 0

    async def call() -> None:
        nonlocal tries
        tries += 1
        if left:
            raise left.pop(0)

    try:
        anyio.run(retrying.run, call, record.append)
    except ModelError as error:
        return str(error), record, tries
    return None, record, tries


def passing(retry_after: float | None = None) -> ModelError:
    """A trouble that may pass."""
    return ModelError("529 overloaded", status=529, transient=True, retry_after=retry_after)


def test_the_waits_double_up_to_a_ceiling() -> None:
    """Without a word from the provider each wait is twice the one before, and none is longer than the ceiling."""
    waits = Waits()
    error, record, tries = tried([passing()] * 7, Retrying(limit=6, sleep=waits, random=lambda: 0.0))
    assert waits == [0.5, 1, 2, 4, 8, 8]
    assert (error, tries) == ("529 overloaded", 7)
    assert record[0] == "529 overloaded; waited 0.5 s"
    assert len(record) == 6


@given(st.floats(0, 1), st.one_of(st.none(), st.floats(0, 60)), st.integers(1, 5))
def test_a_wait_is_bounded(chance: float, asked: float | None, limit: int) -> None:
    """Whatever chance says, a wait is at least half of what was meant or all that was asked, and at most a minute."""
    waits = Waits()
    tried([passing(asked)] * limit, Retrying(limit=limit, sleep=waits, random=lambda: chance))
    for number, wait in enumerate(waits):
        assert (asked if asked is not None else min(0.5 * 2**number, 8) / 2) <= wait <= 60


def test_a_provider_that_asks_for_no_wait_gets_the_first_one() -> None:
    """`Retry-After: 0`, or a date that is past: the tries are not spent within milliseconds."""
    waits = Waits()
    tried([passing(0), passing(0.0), passing(0.5)], Retrying(limit=3, sleep=waits, random=lambda: 0.5))
    assert waits == [0.375, 0.375, 0.525]


def test_what_does_not_pass_is_not_tried_again() -> None:
    """An error that no waiting cures is raised at once."""
    error, record, tries = tried([ModelError("401 not authorised", status=401)], Retrying(limit=5, sleep=Waits()))
    assert (error, record, tries) == ("401 not authorised", [], 1)


def test_no_retries_at_all() -> None:
    """`retries=0` asks once."""
    assert tried([passing()], Retrying(limit=0, sleep=Waits())) == ("529 overloaded", [], 1)


@pytest.mark.parametrize("limit", [-1, 1.5, True, "2", None])
def test_a_wrong_number_is_refused(limit: object) -> None:
    """The sentence shows what was given."""
    with pytest.raises(UsageError, match="retries must be a whole number of 0 or more, got "):
        Retrying(limit=limit)  # type: ignore[arg-type]


def test_what_is_given_up_for_the_same_reason_twice_says_so_once() -> None:
    """A run tries an attempt again whose model call was given up, and is asked to wait as long."""
    once, _, _ = tried([passing(3000)], Retrying(limit=1, sleep=Waits()))
    assert once == "529 overloaded; asked to wait 3000 s, longer than 60 s"
    again = ModelError(f"the model call failed: {once}", status=529, transient=True, retry_after=3000)
    assert tried([again], Retrying(limit=1, sleep=Waits()))[0] == f"the model call failed: {once}"
    other = tried([again], Retrying(limit=1, longest=30, sleep=Waits()))[0]
    assert other == f"the model call failed: {once}; asked to wait 3000 s, longer than 30 s"
