"""The limits: when they are told that their time is up, with one timer for all of them."""

from __future__ import annotations

import asyncio
import contextvars
import weakref
from collections.abc import Awaitable, Callable

import pytest

from brute.eval.limits import Alarms, Limit

where: contextvars.ContextVar[str] = contextvars.ContextVar("where", default="nowhere")


def told(begin: Callable[[Alarms, Callable[[str], Callable[[], None]]], Awaitable[None]]) -> list[str]:
    """Whose time was up, in order: `begin` gets the alarms, and what makes that which a limit of a name calls."""
    said: list[str] = []

    async def go() -> None:
        over = asyncio.Event()

        def named(name: str) -> Callable[[], None]:
            def up() -> None:
                said.append(f"{name} in {where.get()}")
                if name == "last":
                    over.set()

            return up

        await begin(Alarms(), named)
        await asyncio.wait_for(over.wait(), 10)

    asyncio.run(go())
    return said


def test_each_is_told_at_its_own_time_in_its_own_context() -> None:
    """Also one that began later and is due before the others."""

    async def begin(alarms: Alarms, named: Callable[[str], Callable[[], None]]) -> None:
        for name, seconds in (("last", 0.06), ("first", 0.01), ("second", 0.03)):
            where.set(name)
            Limit(seconds, alarms=alarms).begin(named(name))

    assert told(begin) == ["first in first", "second in second", "last in last"]


def test_one_that_has_ended_is_not_told() -> None:
    """Neither before its time, nor by what was told just before it."""

    async def begin(alarms: Alarms, named: Callable[[str], Callable[[], None]]) -> None:
        ended, other, last = (Limit(seconds, alarms=alarms) for seconds in (0.01, 0.0, 0.03))
        ended.begin(named("ended"))
        ended.end()
        late = Limit(0.0, alarms=alarms)
        other.begin(late.end)
        late.begin(named("late"))
        last.begin(named("last"))

    assert told(begin) == ["last in nowhere"]


def test_one_that_is_extended_or_shortened_is_told_then() -> None:
    """What it is called for is asked at its time, and not before."""

    async def begin(alarms: Alarms, named: Callable[[str], Callable[[], None]]) -> None:
        settled: list[Limit] = []
        extended = Limit(0.01, lambda: settled or (settled.append(extended), extended.extend(0.05)), alarms)
        extended.begin(named("last"))
        plain = Limit(0.03, alarms=alarms)
        plain.begin(named("plain"))
        short = Limit(100, alarms=alarms)
        short.begin(named("short"))
        assert (short.shorten(0.001), short.shorten(1)) == (True, False)

    assert told(begin) == ["short in nowhere", "plain in nowhere", "last in nowhere"]


def test_they_may_be_of_another_loop_later() -> None:
    """What was left of an earlier loop is of no meaning there."""
    alarms, said = Alarms(), list[str]()

    async def leaves() -> None:
        Limit(0.2, alarms=alarms).begin(lambda: said.append("earlier"))

    async def waits() -> None:
        over = asyncio.Event()
        Limit(0.2, alarms=alarms).begin(over.set)
        await asyncio.wait_for(over.wait(), 10)
        said.append("over")

    asyncio.run(leaves())
    asyncio.run(waits())
    assert said == ["over"]


@pytest.mark.parametrize("lasting", [False, True])
def test_a_timer_stays_only_where_more_are_to_begin(lasting: bool) -> None:
    """A loop that makes thousands of checks is not left with a timer for each of them."""

    async def go() -> int:
        alarms, loop = Alarms(lasting), asyncio.get_running_loop()
        for _ in range(3):
            limit = Limit(100, alarms=alarms)
            limit.begin(lambda: None)
            limit.end()
        return sum(not timer.cancelled() for timer in loop._scheduled)  # type: ignore[attr-defined]

    assert asyncio.run(go()) == lasting


@pytest.mark.parametrize("rung", [False, True])
def test_the_timer_keeps_nothing_of_the_limit_that_it_was_set_for(rung: bool) -> None:
    """It outlives the attempt, whose agent stands in the context that it began in, and rings in nobody's."""

    class Agent:
        pass

    held: contextvars.ContextVar[Agent | None] = contextvars.ContextVar("held", default=None)

    async def one(alarms: Alarms) -> weakref.ref[Agent]:
        agent = Agent()
        held.set(agent)
        over = asyncio.Event()
        limits = [Limit(seconds, alarms=alarms) for seconds in ((0.001, 100) if rung else (100,))]
        for limit in limits:
            limit.begin(over.set)
        if rung:
            await over.wait()
        for limit in limits:
            limit.end()
        return weakref.ref(agent)

    async def go() -> Agent | None:
        alarms = Alarms(lasting=True)
        kept = await asyncio.create_task(one(alarms))
        await asyncio.sleep(0)
        return kept()

    assert asyncio.run(go()) is None
