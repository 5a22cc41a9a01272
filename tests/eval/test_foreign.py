"""A turn of another framework's agent, and what it leaves behind."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

from brute import ToolCall
from brute.eval.foreign import Turn
from brute.eval.guarding import Guard
from brute.eval.known import Known
from brute.eval.stubs import Stubs
from brute.hooks import Watch

STUBS = {"search": "4.25%"}


def played() -> tuple[weakref.ref[Turn], weakref.ref[Guard]]:
    """What is left of a turn and its guard once a stubbed call is over."""
    watch, guard = Watch(), Guard(STUBS, ["search"], refuse=False)
    watch.first.on_all([("before_tool", guard.seal)])
    watch.first.on("before_tool", Stubs(STUBS))
    watch.last.on_all([("approve_tool", guard)])
    turn = Turn(watch)

    async def run(arguments: dict[str, Any]) -> Any:
        raise AssertionError("it is stubbed")

    async def body(turn: Turn) -> None:
        event = await turn.call(ToolCall(name="search"), run, tool=Known("search", check=lambda given: None))
        assert event.outcome == "stubbed"

    asyncio.run(turn.run(body))
    return weakref.ref(turn), weakref.ref(guard)


def test_a_turn_and_its_guard_are_freed_at_once() -> None:
    """And not by the collector, whose passes cost more than the turn does."""
    gc.collect()
    gc.disable()
    try:
        turn, guard = played()
        assert turn() is None
        assert guard() is None
    finally:
        gc.enable()


def test_the_root_of_an_inner_turn_is_the_outermost() -> None:
    """What stops one of them stops all."""
    outer = Turn(Watch())
    inner = outer.inner("one").inner("two")
    assert outer.root is outer
    assert inner.root is outer
