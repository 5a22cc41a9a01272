"""How many calls to a provider are under way: half as many after it was asked too much, then slowly more."""

from __future__ import annotations

import contextlib
import gc
import time
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

import brute
from brute.completion import limiting
from brute.completion.limiting import Limiter, limiter, narrowed
from brute.errors import ModelError
from brute.eval import Case
from brute.hooks import LlmEvent
from tests.completion.faults import HELLO, LIMITED, model
from tests.support.agents import report
from tests.support.cassettes import serve


def crowded(status: int = 429, transient: bool = True) -> ModelError:
    """A provider that is asked too much."""
    return ModelError(f"{status}", status=status, transient=transient)


async def ends(limiter: Limiter, *errors: Exception | None) -> None:
    """Calls that are all under way, as far as they are let, and then end with these."""
    everyone = anyio.Event()

    async def one(error: Exception | None) -> None:
        with contextlib.suppress(Exception):
            async with limiter.call():
                if limiter.busy >= min(len(errors), room(limiter)):
                    everyone.set()
                await everyone.wait()
                if error is not None:
                    raise error

    async with anyio.create_task_group() as group:
        for error in errors:
            group.start_soon(one, error)


def room(limiter: Limiter) -> float:
    """How many calls may be under way."""
    return limiter._room


async def most(limiter: Limiter, calls: int) -> int:
    """How many of so many calls are under way together at the most."""
    seen: list[int] = []

    async def one() -> None:
        async with limiter.call():
            seen.append(limiter.busy)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        for _ in range(calls):
            group.start_soon(one)
    return max(seen)


def run(function: Callable[[Limiter], Awaitable[Any]]) -> Any:
    """What it answers, on a loop of its own."""

    async def go() -> Any:
        return await function(Limiter())

    return anyio.run(go)


def test_until_then_there_is_no_limit() -> None:
    """However many calls."""
    assert run(lambda made: most(made, 1000)) == 1000


def test_after_it_half_as_many_are_let_through() -> None:
    """Of those that were under way."""

    async def go(made: Limiter) -> tuple[int, int]:
        await ends(made, *[crowded()] + [None] * 15)
        return await most(made, 7), made.narrowed

    assert run(go) == (7, 1)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_many_that_were_sent_together_narrow_it_once(status: int) -> None:
    """The others say nothing new."""

    async def go(made: Limiter) -> tuple[float, int]:
        await ends(made, *[crowded(status)] * 16)
        return room(made), made.narrowed

    assert run(go) == (8, 1)


def test_it_is_halved_again_by_those_that_were_sent_later_but_never_below_one() -> None:
    """So that the run goes on, however slowly."""

    async def go(made: Limiter) -> list[float]:
        rooms = []
        for _ in range(6):
            await ends(made, *[crowded()] * 16)
            rooms.append(room(made))
        return rooms

    rooms = run(go)
    assert rooms[0] == 8
    assert rooms == sorted(rooms, reverse=True)
    assert rooms[-1] == 1


def test_it_widens_by_one_when_so_many_were_answered() -> None:
    """Additive increase: 2, 3, 4 after 2 and 3 more calls that went well."""

    async def go(made: Limiter) -> list[float]:
        await ends(made, *[crowded()] * 4)
        rooms = []
        for _ in range(5):
            async with made.call():
                pass
            rooms.append(room(made))
        return rooms

    assert run(go) == [2, 3, 3, 3, 4]


@pytest.mark.parametrize(
    "error", [ModelError("401", status=401), crowded(429, transient=False), ModelError("x", transient=True), KeyError()]
)
def test_other_trouble_does_not_narrow_it(error: Exception) -> None:
    """Nor a quota that is used up, which waiting does not cure."""

    async def go(made: Limiter) -> int:
        await ends(made, error)
        return made.narrowed

    assert run(go) == 0


def test_one_that_is_cancelled_gives_its_place_back() -> None:
    """Whether it waits for it or has it."""

    async def go(made: Limiter) -> int:
        await ends(made, crowded())
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(_for_ever, made)
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        return made.busy

    assert run(go) == 0


async def _for_ever(made: Limiter) -> None:
    async with made.call():
        await anyio.sleep_forever()


@pytest.mark.parametrize("early", [True, False], ids=["sent before", "sent after"])
def test_one_that_is_never_answered_does_not_hold_up_the_others(early: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives its place back, whether it was sent before the provider said that it was asked too much or later."""
    monkeypatch.setattr(limiting, "PATIENCE", 0.5)

    async def go(made: Limiter) -> tuple[float, int]:
        async with anyio.create_task_group() as group:
            if early:
                group.start_soon(_for_ever, made)
                await anyio.wait_all_tasks_blocked()
            await ends(made, crowded())
            if not early:
                group.start_soon(_for_ever, made)
                await anyio.wait_all_tasks_blocked()
            assert (room(made), made.busy) == (1, 1)
            with anyio.fail_after(5):
                async with made.call():
                    kept = room(made), made.busy
            group.cancel_scope.cancel()
        assert made.busy == 0
        return kept

    assert run(go) == (1, 1)


def test_one_that_takes_as_long_as_is_usual_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow model is no hung one."""
    monkeypatch.setattr(limiting, "PATIENCE", 0.0)

    async def go(made: Limiter) -> bool:
        made._usual = 100.0
        await ends(made, crowded())
        async with anyio.create_task_group() as group:
            group.start_soon(_for_ever, made)
            await anyio.wait_all_tasks_blocked()
            with anyio.move_on_after(0.1) as waited:
                async with made.call():
                    pass
            group.cancel_scope.cancel()
        return waited.cancelled_caught

    assert run(go)


def test_a_call_tells_since_when_it_waits_for_its_place() -> None:
    """And that it does no more."""

    async def go(made: Limiter) -> tuple[bool, float | None]:
        await ends(made, crowded())
        event: Any = LlmEvent(env=None, iteration=1)  # type: ignore[arg-type]

        async def waits() -> None:
            async with made.call(event):
                pass

        async with anyio.create_task_group() as group, made.call():
            group.start_soon(waits)
            await anyio.wait_all_tasks_blocked()
            since = event.queued
        return since is not None and since <= time.perf_counter(), event.queued

    assert run(go) == (True, None)


def test_providers_and_addresses_have_limiters_of_their_own() -> None:
    """Shared by all that ask them on one loop, and by no other loop."""

    async def go() -> Limiter:
        assert limiter("openai", None) is limiter("openai", None)
        assert limiter("openai", None) is not limiter("openai", "http://x")
        assert limiter("openai", None) is not limiter("anthropic", None)
        return limiter("openai", None)

    assert anyio.run(go) is not anyio.run(go)


def test_no_more_are_kept_than_are_needed() -> None:
    """Neither of many addresses nor of a loop that is gone."""

    async def go() -> weakref.ref[Limiter]:
        async with limiter("openai", "busy").call():
            for number in range(1000):
                limiter("openai", str(number))
            assert len(limiting._kept()) <= limiting.MOST
            assert limiter("openai", "busy").busy == 1
        return weakref.ref(limiter("openai", "busy"))

    gone = anyio.run(go)
    gc.collect()
    assert gone() is None


def test_it_is_told_once() -> None:
    """By address, or by the provider's name."""

    async def go() -> list[Any]:
        await ends(limiter("openai", None), *[crowded()] * 4)
        await ends(limiter("openai", "http://x"), None)
        return [narrowed(), narrowed()]

    assert anyio.run(go) == [[("openai", 1, 2)], []]


def test_a_run_remarks_it() -> None:
    """With the address that was asked."""
    pytest.importorskip("pydantic_ai")
    with serve(LIMITED, HELLO) as server:
        completion = model(server, limit=1)

        async def factory() -> Any:
            return brute.agent().run(completion)

        made = report(factory, [Case("a", said="x")])
    assert made.passed
    assert made.notes == (
        f"{server.url}/v1 was asked too much 1 time: calls to it were narrowed to 1 at a time, and waited for each other",
    )
