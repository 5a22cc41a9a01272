"""The collector looks less often while a run lasts."""

from __future__ import annotations

import gc

import pytest

from brute.eval.collecting import SELDOM, seldom


def test_it_looks_seldom_for_a_while_and_as_often_as_before_afterwards() -> None:
    """Also where two runs overlap, and where one of them breaks."""
    before = gc.get_threshold()
    one, other = seldom(), seldom()
    one.__enter__()
    other.__enter__()
    assert gc.get_threshold() == (max(before[0], SELDOM), *before[1:])
    one.__exit__(None, None, None)
    assert gc.get_threshold()[0] >= SELDOM
    other.__exit__(None, None, None)
    assert gc.get_threshold() == before
    with pytest.raises(KeyError), seldom():
        raise KeyError
    assert gc.get_threshold() == before


def test_a_collector_that_is_off_stays_off() -> None:
    """Whoever chose never keeps it."""
    before = gc.get_threshold()
    gc.set_threshold(0, 10, 10)
    try:
        with seldom():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
