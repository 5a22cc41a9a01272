"""Ctrl-C reaches a loop that waits, and an alarm breaks into code that blocks one."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
import time
from typing import Any

import pytest

from brute.eval import Case, leaving, signals
from brute.eval.signals import Blocked, alarmed, interruptible, wakeful
from tests.support.agents import asks, makes, report, speaks, tool

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "SLACK", 0.2)
    monkeypatch.setattr(leaving, "GRACE", 0.05)


def blocks_in_c() -> None:
    """Waits in the operating system, as a request without a timeout does."""
    time.sleep(30)


def blocks_in_python() -> None:
    """Spins."""
    while True:
        pass


def blocks_and_catches() -> None:
    """Catches what an alarm might raise, if it were an `Exception`."""
    try:
        time.sleep(30)
    except Exception:
        time.sleep(30)


@pytest.mark.parametrize("block", [blocks_in_c, blocks_in_python, blocks_and_catches])
def test_an_async_tool_that_blocks_the_loop_ends_and_the_next_attempt_is_made(block: Any) -> None:
    """The attempt says that it did, and where."""

    async def blocking() -> None:
        block()

    good = [Case("b", said="x")]

    async def factory() -> Any:
        first = not seen
        seen.append(1)
        return await makes(asks("blocking") if first else "done", "done", tools=[tool(blocking)])()

    seen: list[int] = []
    first, second = report(factory, [Case("a", said="x"), *good], deadline=0.1, jobs=1).attempts
    assert (first.status, first.verdict.failures[0].kind, second.status) == ("failed", "turn.deadline", "passed")
    assert first.verdict.sentences == ["stopped at last: the turn blocked the event loop for more than 0.3 seconds"]
    assert f"in {block.__name__}" in first.verdict.failures[0].detail


def test_a_pattern_that_takes_for_ever_on_a_reply_is_an_error() -> None:
    """Backtracking without end in the case's own expectation."""
    case = Case("a", said="x", mentions=[re.compile("(a+)+$")])
    (attempt,) = report(makes("a" * 60 + "b"), [case], deadline=0.1).attempts
    assert (attempt.status, attempt.transcript.reply[:1]) == ("error", "a")
    (failure,) = attempt.verdict.failures
    told = "mentions could not be graded: the pattern /(a+)+$/ blocked the event loop for more than 0.3 seconds"
    assert (failure.kind, failure.message) == ("error.check", told)


def test_the_alarm_breaks_into_nothing_of_the_harness() -> None:
    """Only into what a turn, a check or a world does; the rest is let finish."""

    async def go() -> float:
        with alarmed(0.05):
            began = time.monotonic()
            while time.monotonic() - began < 0.2:
                pass
            interruptible.set(True)
            with pytest.raises(Blocked):
                time.sleep(10)  # noqa: ASYNC251
        return time.monotonic() - began

    assert asyncio.run(go()) < 5
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_loop_that_runs_puts_the_alarm_off() -> None:
    """However long the run."""

    async def go() -> None:
        interruptible.set(True)
        with alarmed(0.1):
            ends = time.monotonic() + 0.3
            while time.monotonic() < ends:  # noqa: ASYNC110
                await asyncio.sleep(0)

    asyncio.run(go())


def test_an_alarm_of_somebody_elses_is_left_alone() -> None:
    """As pytest-timeout has."""
    rang: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:

        async def go() -> None:
            with alarmed(0.01):
                signal.raise_signal(signal.SIGALRM)

        asyncio.run(go())
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rang == [1]


def test_a_signal_wakes_a_loop_whichever_thread_it_comes_to() -> None:
    """A handler runs on the main thread only, which does not look for signals while it waits."""

    async def wait() -> None:
        loop = asyncio.get_running_loop()
        handled = loop.create_future()
        signal.signal(signal.SIGUSR1, lambda *_: handled.set_result(None))
        with wakeful(loop):
            sender = threading.Timer(0.05, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGUSR1))
            sender.start()
            began = time.monotonic()
            async with asyncio.timeout(5):
                await handled
            assert time.monotonic() - began < 4
            sender.join()

    before = signal.getsignal(signal.SIGUSR1)
    try:
        asyncio.run(wait())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert signal.set_wakeup_fd(-1) == -1


def test_outside_the_main_thread_both_do_nothing() -> None:
    """Signals are the main thread's, and a suite may run on another."""
    found: list[Any] = []

    def run() -> None:
        found.append(report(speaks(lambda env: "done"), [Case("a", said="x")]).passed)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [True]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm on this system")
def test_the_alarm_of_a_loop_that_was_given_up_is_ended_by_the_next() -> None:
    """A second Ctrl-C leaves it behind: it would ring in a turn that blocks nothing, and no later run would have one of its own."""

    async def left() -> None:
        with alarmed(50):
            await asyncio.Event().wait()

    async def begins() -> asyncio.Task[None]:
        task = asyncio.create_task(left())
        await asyncio.sleep(0)
        return task

    async def rings() -> float:
        with alarmed(1000):
            # What was left behind may come to its end any time.
            task.get_coro().close()  # type: ignore[union-attr]
            return signal.getitimer(signal.ITIMER_REAL)[0]

    loop = asyncio.new_event_loop()
    task = loop.run_until_complete(begins())
    assert signal.getitimer(signal.ITIMER_REAL)[0] <= 50
    assert asyncio.run(rings()) > 900
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    loop.close()
