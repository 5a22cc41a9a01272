"""An agent that cancels all tasks of its loop costs its own attempt at the most."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import brute
from brute.eval import Case
from brute.middleware import ToolLoop, Tools
from tests.support.agents import asks, report, tool


def agents() -> Any:
    """A factory of agents that call the tool that they are told to: one waits until the other has cancelled all tasks."""
    gone = asyncio.Event()
    begun: list[str] = []

    async def wait() -> str:
        begun.append("wait")
        await gone.wait()
        return "waited"

    async def tidy(how: str) -> str:
        while len(begun) < 2:  # noqa: ASYNC110 - no waiting, but passes of the loop
            await asyncio.sleep(0)
        loop, this = asyncio.get_running_loop(), asyncio.current_task()

        def cancel() -> None:
            for task in asyncio.all_tasks(loop):
                if task is not this:
                    task.cancel()

        if how == "thread":
            thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(cancel))
            thread.start()
            await asyncio.to_thread(thread.join)
        else:
            cancel()
        gone.set()
        return "tidied"

    async def model(env: brute.Env) -> Any:
        last = env.messages[-1]
        return "done" if last.role == "tool" else asks((last.content.split()[0], {"how": last.content.split()[-1]}))

    async def factory() -> Any:
        return brute.agent().use(ToolLoop).use(Tools, [tool(wait_for(wait)), tool(tidy)]).run(model)

    return factory


def wait_for(wait: Any) -> Any:
    """The tool, with an argument that it has no use for."""

    async def wait_(how: str) -> Any:
        return await wait()

    wait_.__name__ = "wait"
    return wait_


def test_an_agent_that_cancels_all_tasks_ends_no_other_s_attempt() -> None:
    """Its program has one turn; those of the others, and the run, are none of its business."""
    for how in ("here", "thread"):
        cases = [Case("w1", said="wait"), Case("k", said=f"tidy {how}"), Case("w2", said="wait")]
        got = report(agents(), cases, jobs=3, log=None, retries=0)
        assert (how, [each.status for each in got.attempts], got.interrupted) == (how, ["passed"] * 3, False)


def test_an_agent_still_cancels_its_own_tasks() -> None:
    """What it started itself it may end."""

    async def model(env: brute.Env) -> str:
        own = asyncio.create_task(asyncio.Event().wait())
        others = asyncio.all_tasks() - {asyncio.current_task()}
        own.cancel()
        return str(others == {own})

    async def factory() -> Any:
        return brute.agent().run(model)

    got = report(factory, [Case("a", said="x", mentions=["true"])], log=None)
    assert got.attempts[0].verdict.sentences == []


def test_all_tasks_is_as_it_was_when_the_run_is_over() -> None:
    """Nothing is left in asyncio."""
    before = asyncio.all_tasks, asyncio.tasks.all_tasks, asyncio.base_events.BaseEventLoop.create_task
    test_an_agent_still_cancels_its_own_tasks()
    assert (asyncio.all_tasks, asyncio.tasks.all_tasks, asyncio.base_events.BaseEventLoop.create_task) == before
