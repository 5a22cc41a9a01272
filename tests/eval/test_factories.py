"""A function that builds agents is called in place once it proved quick, and on a thread while it may be slow."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from brute.eval import Case, signals
from brute.eval.factories import QUICK, Factory
from tests.support.agents import Clock, makes, report

MAIN = threading.main_thread()


def calls(function: Callable[[Clock], Any], *seconds: float, armed: bool = True, **kwargs: Any) -> list[Any]:
    """What calling it so often answers, when it takes so many seconds each time."""
    clock = Clock()
    factory = Factory(clock)

    async def go() -> list[Any]:
        found = []
        for each in seconds:

            def takes(**named: Any) -> Any:
                clock.now += each
                return function(clock, **named)

            found.append(await factory.call(takes, **kwargs))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signals, "armed", lambda: armed)
        return list(asyncio.run(go()))


def here(clock: Clock) -> bool:
    """Whether it runs in place."""
    return threading.current_thread() is MAIN


def test_one_that_proved_quick_is_called_in_place() -> None:
    """The first time nobody knows, and one that had to import something shows it the second time."""
    assert calls(here, 0.0, QUICK, 0.0) == [False, True, True]
    assert calls(here, 1.0, 0.0, 0.0) == [False, False, True]


def test_one_that_was_slow_in_place_never_is_again() -> None:
    """For it held up all other attempts."""
    assert calls(here, 0.0, 1.0, 0.0, 0.0) == [False, True, False, False]


def test_where_nothing_could_end_it_it_is_called_on_a_thread() -> None:
    """An alarm is for the main thread of a POSIX system."""
    assert calls(here, 0.0, 0.0, 0.0, armed=False) == [False, False, False]


def test_it_gets_what_it_is_called_with() -> None:
    """On a thread and in place."""
    assert calls(lambda clock, world: world, 0.0, 0.0, world="w") == ["w", "w"]


def test_it_may_run_a_loop_of_its_own_wherever_it_is_called() -> None:
    """As a factory that asks a server for its tools does."""

    async def asked() -> str:
        await asyncio.sleep(0)
        return "asked"

    assert calls(lambda clock: asyncio.run(asked()), 0.0, 0.0) == ["asked", "asked"]


def test_what_it_hands_out_is_awaited() -> None:
    """A lambda over an async function is no async function."""

    async def made() -> str:
        return "made"

    assert calls(lambda clock: made(), 0.0, 0.0) == ["made", "made"]


def test_a_generator_function_is_refused_in_place_too() -> None:
    """Nothing in it would run."""

    def yields(clock: Clock) -> Any:
        yield clock

    with pytest.raises(TypeError, match="is a generator function"):
        calls(yields, 0.0)


def test_what_it_raises_comes_through_in_place_too() -> None:
    """Each time that it is called."""
    met: list[bool] = []

    def breaks(clock: Clock) -> None:
        met.append(here(clock))
        if len(met) == 2:
            raise LookupError("the second one")

    with pytest.raises(LookupError, match="the second one"):
        calls(breaks, 0.0, 0.0)
    assert met == [False, True]


def test_the_agents_of_a_suite_are_built_in_place() -> None:
    """All but the first."""
    seen: list[bool] = []

    def build() -> Any:
        seen.append(threading.current_thread() is MAIN)
        return makes("done")()

    assert report(build, [Case("a", said="x", runs=40)]).passed
    assert not seen[0]
    assert any(seen)


def test_one_that_hangs_in_place_is_ended_by_the_alarm() -> None:
    """And its attempt alone ends in an error."""
    count = 0

    def build() -> Any:
        nonlocal count
        count += 1
        while count == 6:
            pass
        return makes("done")()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signals, "SLACK", 0.2)
        told = report(build, [Case("a", said="x", runs=8)], jobs=1, deadline=0.5)
    assert [each.status for each in told.attempts].count("error") == 1
    (wrong,) = [each for each in told.attempts if each.status == "error"]
    assert wrong.verdict.sentences[0].startswith("the agent could not be built")


def test_of_two_loops_only_the_armed_one_calls_in_place() -> None:
    """A suite that is run on another thread has no alarm."""
    seen: list[bool] = []

    def build() -> Any:
        seen.append(threading.current_thread() is running)
        return makes("done")()

    def go() -> None:
        nonlocal running
        running = threading.current_thread()
        report(build, [Case("a", said="x", runs=5)])

    running: Any = None
    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    assert seen == [False] * 5
