"""Threads that keep no interpreter from ending."""

from __future__ import annotations

import asyncio
import concurrent.futures
import concurrent.futures.thread
import threading
from collections.abc import Callable
from typing import Any

import pytest

from brute.eval import daemons
from brute.eval.daemons import Daemons, outlast, unjoin
from brute.leaves import abandoned


def run(function: Callable[[], Any]) -> Any:
    """What an async function answers on a loop whose pool is ours, for an attempt of its own."""

    async def main() -> Any:
        abandoned.set([])
        asyncio.get_running_loop().set_default_executor(Daemons())
        return await function()

    return asyncio.run(main())


async def deserted(go: threading.Event) -> None:
    """Let a thread wait for the event, and wait for it no longer."""
    began = threading.Event()

    def waits() -> None:
        began.set()
        go.wait(20)

    task = asyncio.create_task(asyncio.to_thread(waits))
    await asyncio.to_thread(began.wait, 20)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_what_runs_there_answers_or_raises() -> None:
    """As on the usual pool."""

    async def both() -> Any:
        with pytest.raises(KeyError, match="no"):
            await asyncio.to_thread(lambda: {}["no"])
        return await asyncio.to_thread(lambda: 42), await outlast(0)

    assert run(both) == (42, False)


@pytest.mark.parametrize("ends", [False, True])
def test_a_thread_that_nobody_waits_for_is_known(ends: bool) -> None:
    """Until it has ended; the loop that it was for does not wait for it."""
    go = threading.Event()

    async def left() -> bool:
        await deserted(go)
        if ends:
            go.set()
        return await outlast(20 if ends else 0.01)

    assert run(left) is not ends
    go.set()


def test_a_thread_of_another_attempt_is_none_of_this_ones() -> None:
    """Each has its own."""
    go = threading.Event()

    async def left() -> bool:
        await deserted(go)
        abandoned.set([])
        return await outlast(0.01)

    assert run(left) is False
    go.set()


def test_threads_of_a_daemons_pool_are_not_waited_for() -> None:
    """Those of another pool are, as ever."""
    made: list[Any] = []

    def pool() -> None:
        with concurrent.futures.ThreadPoolExecutor(1) as own:
            own.submit(int)
            unjoin(own)
            made.append([thread in concurrent.futures.thread._threads_queues for thread in own._threads])

    pool()
    thread = threading.Thread(target=pool, daemon=True)
    thread.start()
    thread.join()
    assert made == [[True], [False]]
    assert daemons.Job().owner is abandoned.get()
