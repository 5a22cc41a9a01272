"""A thread of the user's own code is left over; a library's may stay."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from brute.eval.executors.leftovers import Leftovers


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Set at the end, so that threads that wait for it end."""
    event = threading.Event()
    yield event
    event.set()


class Here:
    """What is left over of a test, whatever the tests before it have left."""

    def __init__(self) -> None:
        self.leftovers = asyncio.run(self._made())
        self.leftovers._tasks = set()

    async def _made(self) -> Leftovers:
        return Leftovers()

    def busy(self) -> bool:
        """Whether there is any thread; no task runs outside a loop."""

        async def main() -> bool:
            self.leftovers._tasks = asyncio.all_tasks()
            return bool(self.leftovers)

        return asyncio.run(main())


def test_nothing_is_left_over_at_first() -> None:
    """Whatever others have left before."""
    assert not Here().busy()


def test_a_thread_that_runs_the_users_code(over: threading.Event) -> None:
    """Daemon or not."""
    here = Here()
    thread = threading.Thread(target=lambda: over.wait(), daemon=True)
    thread.start()
    assert here.busy()
    over.set()
    thread.join()
    assert not here.busy()


def test_a_timer_that_will(over: threading.Event) -> None:
    """Whatever it will call."""
    here = Here()
    timer = threading.Timer(3600, os.getpid)
    timer.start()
    assert here.busy()
    timer.cancel()
    timer.join()


def test_a_pool_at_rest_is_a_library_s_and_one_at_work_is_not(over: threading.Event) -> None:
    """By what stands on its stack."""
    here = Here()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(os.getpid).result()
        assert not here.busy()
        began = threading.Event()
        work = pool.submit(lambda: (began.set(), over.wait()))
        began.wait()
        assert here.busy()
        over.set()
        work.result()


def test_a_task() -> None:
    """One that is none of the worker's own."""

    async def main() -> list[bool]:
        leftovers = Leftovers()
        task = asyncio.ensure_future(asyncio.Event().wait())
        before = bool(leftovers)
        task.cancel()
        await asyncio.wait((task,))
        return [before, bool(leftovers)]

    assert asyncio.run(main()) == [True, False]
