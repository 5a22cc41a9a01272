"""Threads that keep no interpreter from ending."""

from __future__ import annotations

import asyncio
import concurrent.futures
import concurrent.futures.thread
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Case
from brute.eval.daemons import Daemons, outlast
from brute.leaves import abandoned
from tests.support.agents import report


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


def waited_for(pool: concurrent.futures.ThreadPoolExecutor) -> list[bool]:
    """Whether the interpreter waits for the threads of the pool on its way out."""
    known: Any = concurrent.futures.thread._threads_queues
    return [thread in known for thread in pool._threads]


@pytest.mark.parametrize("stops", [False, True])
def test_what_a_turn_handed_to_a_pool_and_could_not_stop_is_not_waited_for(stops: bool) -> None:
    """As long as it is not stopped, the pool is as any other."""
    go = threading.Event()

    async def tool() -> None:
        await asyncio.get_running_loop().run_in_executor(pool, go.wait, 20)

    async def agent(said: str) -> str:
        await tool()
        return "done"

    with concurrent.futures.ThreadPoolExecutor() as pool:
        timer = threading.Timer(0.05, go.set)
        if not stops:
            timer.start()
        made = report(agent, [Case("case", said="hello")], deadline=0.5 if stops else 20).attempts[0]
        assert (made.status, made.left_behind) == (("failed", True) if stops else ("passed", False))
        assert waited_for(pool) == [not stops]
        go.set()


def test_a_process_that_left_a_pool_behind_ends_at_once() -> None:
    """Though the thread goes on."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    folder = Path(__file__).parents[2]
    made = subprocess.run([sys.executable, "-c", ENDS], cwd=folder, env=env, capture_output=True, text=True, timeout=50)
    assert (made.returncode, made.stdout.split()) == (0, ["True"])


ENDS = """
import asyncio, concurrent.futures, time
from brute.eval import Case
from tests.support.agents import report

pool = concurrent.futures.ThreadPoolExecutor()

async def agent(said):
    await asyncio.get_running_loop().run_in_executor(pool, time.sleep, 60)

print(report(agent, [Case("case", said="hello")], deadline=0.5).attempts[0].left_behind, flush=True)
"""
