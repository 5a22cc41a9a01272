"""One task steps in the middle of another's step, and each is itself meanwhile."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from brute.eval.stepping import Told, begun, outside

name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="nobody")


def run(main: Any) -> Any:
    """What it answers; on a loop that complains."""
    return asyncio.run(main, debug=True)


def test_a_task_has_done_its_first_step_when_it_is_handed_out() -> None:
    """In its own context, and as the task that runs."""

    async def work() -> None:
        name.set("work")
        seen.append(asyncio.current_task())
        await asyncio.sleep(0)
        seen.append("second")

    async def go() -> None:
        ours = asyncio.current_task()
        task = begun(asyncio.get_running_loop(), work())
        assert seen == [task]
        assert asyncio.current_task() is ours
        assert name.get() == "nobody"
        await task
        assert seen == [task, "second"]

    seen: list[Any] = []
    run(go())


def test_what_never_waits_is_done_at_once() -> None:
    """Or as good as: nothing of it is left to do."""

    async def work() -> str:
        seen.append("done")
        return "answer"

    async def go() -> str:
        task = begun(asyncio.get_running_loop(), work())
        assert seen == ["done"]
        return await task

    seen: list[str] = []
    assert run(go()) == "answer"


def test_a_first_step_that_raises_raises_where_the_task_is_awaited() -> None:
    """And not where it was begun."""

    async def work() -> None:
        raise ValueError("in the first step")

    async def go() -> None:
        task = begun(asyncio.get_running_loop(), work())
        with pytest.raises(ValueError, match="in the first step"):
            await task

    run(go())


def test_a_loop_of_another_kind_begins_it_a_pass_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has ready is not looked for where there is no such thing; later Pythons can do it everywhere."""

    class Elsewhere:
        """Nothing of this task."""

        _callback = None

    async def work() -> str:
        return "answer"

    async def go() -> str:
        loop = asyncio.get_running_loop()
        with monkeypatch.context() as patch:
            create = loop.create_task

            def hiding(*args: Any, **kwargs: Any) -> Any:
                task = create(*args, **kwargs)
                patch.setattr(loop, "_ready", [Elsewhere()], raising=False)
                return task

            ready = loop._ready  # type: ignore[attr-defined]
            patch.setattr(loop, "create_task", hiding, raising=False)
            task = begun(loop, work())
            patch.setattr(loop, "_ready", ready, raising=False)
            return await task

    assert run(go()) == "answer"


def test_who_waits_goes_on_in_the_step_of_who_tells() -> None:
    """And each of the two is the current task in its own code, in its own context."""

    async def waits() -> None:
        name.set("waits")
        await told
        seen.append(("waited", name.get(), asyncio.current_task()))

    async def go() -> None:
        nonlocal told
        told = Told(asyncio.get_running_loop())
        ours, task = asyncio.current_task(), begun(asyncio.get_running_loop(), waits())
        assert seen == []
        told.tell()
        assert seen == [("waited", "waits", task)]
        assert asyncio.current_task() is ours
        told.tell()
        await task

    told: Told
    seen: list[Any] = []
    run(go())


def test_who_was_told_before_does_not_wait() -> None:
    """Not even a pass of the loop."""

    async def go() -> None:
        told = Told(asyncio.get_running_loop())
        told.tell()
        assert told.done()
        await told

    run(go())


def test_it_may_be_told_from_the_loop_itself() -> None:
    """Where no task is the current one: by a timer."""

    async def go() -> str:
        loop = asyncio.get_running_loop()
        told = Told(loop)
        loop.call_later(0.001, told.tell)
        await told
        return "told"

    assert run(go()) == "told"


def test_waiting_can_be_cancelled_and_be_told_afterwards() -> None:
    """Once for each wait, and whoever waits again is told."""

    async def waits() -> str:
        try:
            await told
        except asyncio.CancelledError:
            await told
            return "told after all"
        return "never cancelled"

    async def go() -> str:
        nonlocal told
        told = Told(asyncio.get_running_loop())
        task = begun(asyncio.get_running_loop(), waits())
        task.cancel()
        await asyncio.sleep(0)
        told.tell()
        return await task

    told: Told
    assert run(go()) == "told after all"


def test_an_interrupt_of_who_waits_reaches_who_tells() -> None:
    """It is nobody's to swallow."""

    async def waits() -> None:
        await told
        raise KeyboardInterrupt

    async def go() -> None:
        nonlocal told
        told = Told(asyncio.get_running_loop())
        task = begun(asyncio.get_running_loop(), waits())
        ours = asyncio.current_task()
        with pytest.raises(KeyboardInterrupt):
            told.tell()
        assert asyncio.current_task() is ours
        assert isinstance(task.exception(), KeyboardInterrupt)

    told: Told
    run(go())


def test_outside_of_the_loop_a_function_may_run_one_of_its_own() -> None:
    """As it may on a thread; and afterwards all is as before."""

    async def inner() -> str:
        await asyncio.sleep(0)
        return threading.current_thread().name

    async def go() -> str:
        ours = asyncio.current_task()
        answer = outside(lambda: asyncio.run(inner()))
        assert asyncio.current_task() is ours
        await asyncio.sleep(0)
        return str(answer)

    assert run(go()) == threading.current_thread().name


def test_what_it_raises_comes_through() -> None:
    """And the loop is there again."""

    def breaks() -> None:
        raise LookupError("no such thing")

    async def go() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(LookupError):
            outside(breaks)
        assert asyncio.get_running_loop() is loop

    run(go())
