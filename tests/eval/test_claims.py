"""What is used where its turn can't be told is not used at all."""

from __future__ import annotations

import contextvars

import pytest

from brute.eval.claims import claimed, turn_of
from brute.eval.foreign import Turn, current
from brute.eval.stubs import StubError
from brute.hooks import Watch


def test_a_thing_is_in_the_turn_that_runs_here() -> None:
    """Whether the turn claims it or not."""
    turn, thing = Turn(Watch()), object()
    token = current.set(turn)
    try:
        assert turn_of(thing, "thing") is turn
    finally:
        current.reset(token)
    assert turn_of(thing, "thing") is None


def test_a_claimed_thing_without_a_turn_stops_the_turns_that_have_it() -> None:
    """For nobody can tell which of them it is."""
    one, other, thing = Turn(Watch()), Turn(Watch()), object()
    with claimed(one, [thing]), claimed(other, [thing, thing]):
        with pytest.raises(StubError, match="search was used in a thread or task without the turn's context"):
            contextvars.Context().run(turn_of, thing, "search")
        assert isinstance(one.stop, StubError)
        assert isinstance(other.stop, StubError)
    assert turn_of(thing, "search") is None
