"""Whose turn an agent or a tool is in, also where the framework or the agent's own code has lost the context of the turn."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from . import unreached
from .foreign import Turn
from .stubs import StubError
from .whose import cases_own, current

_claimed: dict[int, list[Turn]] = {}


@contextlib.contextmanager
def claimed(turn: Turn, things: Iterable[Any]) -> Iterator[None]:
    """While this is held, `things` (agents, tools) are those of the turn."""
    mine = list(things)
    for thing in mine:
        _claimed.setdefault(id(thing), []).append(turn)
    try:
        yield
    finally:
        for thing in mine:
            turns = _claimed[id(thing)]
            turns.remove(turn)
            if not turns:
                del _claimed[id(thing)]


def turn_of(thing: Any, name: str | None) -> Turn | None:
    """The turn in which the thing is used here; None outside any.

    Raises `StubError`, and stops the turns that have the thing, where it is used in a thread or task that knows no turn: what happens
    there could be neither seen nor stubbed.
    """
    turn = current.get()
    if turn is None and id(thing) in _claimed and not cases_own.get():
        stop = StubError(unreached.out_of_context(name or type(thing).__name__))
        for each in _claimed[id(thing)]:
            each.root.stop = each.root.stop or stop
        raise stop
    return turn
