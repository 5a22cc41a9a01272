"""A leaf is called as what it is, sync or async, and a sync one never holds anything up."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
from typing import Any

import anyio
import pytest

from brute import leaves
from brute.leaves import abandoned, being_cancelled, call_leaf, in_loop, in_thread, is_async
from tests.support.naming import steady


async def later(value: int = 1) -> int:
    """An async leaf."""
    return value


def now(value: int = 1) -> int:
    """A sync leaf."""
    return value


class Calls:
    """An object that is called, sync or async, and a method of either kind."""

    def __call__(self) -> int:
        """Answer."""
        return 1

    async def later(self) -> int:
        """An async method."""
        return 1


class CallsLater:
    """An object that is called and awaited."""

    async def __call__(self) -> int:
        """Answer, later."""
        return 1


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        (later, True),
        (now, False),
        (functools.partial(functools.partial(later, 1)), True),
        (functools.partial(now, 1), False),
        (Calls(), False),
        (Calls().later, True),
        (CallsLater(), True),
        (functools.partial(CallsLater()), True),
        (print, False),
        (Calls, False),
    ],
    ids=steady,
)
def test_what_gives_something_to_await_is_async(function: Any, answer: bool) -> None:
    """Partials, methods and objects included."""
    assert is_async(function) is answer


def test_any_leaf_answers_its_value() -> None:
    """One that hands out an awaitable without being async included."""

    async def go() -> list[int]:
        return [await call_leaf(leaf, 7) for leaf in (later, now, lambda value: later(value))]

    assert anyio.run(go) == [7, 7, 7]


def test_a_sync_leaf_runs_on_a_daemon_thread_in_the_callers_context() -> None:
    """So that it holds up neither the loop nor the interpreter's exit."""
    word = contextvars.ContextVar("word", default="unset")

    async def go() -> tuple[bool, bool, str]:
        word.set("set")
        return await in_thread(lambda: (threading.current_thread().daemon, in_loop(), word.get()))

    assert anyio.run(go) == (True, False, "set")


@pytest.mark.parametrize(
    "error", [KeyError("x"), SystemExit(1), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError()], ids=repr
)
def test_whatever_a_sync_leaf_raises_comes_out_as_it_is(error: BaseException) -> None:
    """Also what a future can't carry."""

    def raises() -> None:
        raise error

    async def go() -> BaseException:
        try:
            await in_thread(raises)
        except BaseException as raised:
            return raised
        raise AssertionError("nothing was raised")

    assert anyio.run(go) is error


def test_a_stop_of_an_iteration_comes_out_as_coroutines_have_it() -> None:
    """A future can't carry it, and a coroutine may not raise it."""

    async def go() -> Any:
        await in_thread(lambda: next(iter(())))

    with pytest.raises(RuntimeError, match="StopIteration"):
        anyio.run(go)


def test_a_leaf_that_is_cancelled_is_left_behind_by_name_and_its_thread_used_again() -> None:
    """Whoever wants to know of it is told; what it answers too late is dropped."""
    go_on = threading.Event()
    told: list[str] = []

    def hangs() -> None:
        go_on.wait()

    async def go() -> None:
        abandoned.set(told)
        async with anyio.create_task_group() as group:
            group.start_soon(in_thread, functools.partial(hangs))
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        go_on.set()

    anyio.run(go)
    assert len(told) == 1
    assert told[0].endswith("hangs")


def test_a_thread_that_is_done_is_used_again() -> None:
    """A run of many leaves makes few threads."""

    async def go() -> int:
        return len({await in_thread(threading.get_ident) for _ in range(20)})

    assert anyio.run(go) <= 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_makes_threads_of_its_own() -> None:
    """It has none of its parent's, and would wait for them for ever."""
    anyio.run(in_thread, now)
    assert leaves._idle
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        os.write(write, b"none" if not leaves._idle else b"some")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"none"
    os.close(read)
    os.close(write)


def test_only_a_task_that_was_told_to_end_is_being_cancelled() -> None:
    """A cancellation that nobody asked for is an exception of its own."""

    async def go() -> list[bool]:
        seen = [being_cancelled()]
        with anyio.CancelScope() as scope:
            scope.cancel()
            try:
                await anyio.sleep_forever()
            except BaseException:
                seen.append(being_cancelled())
                raise
        return seen

    assert anyio.run(go) == [False, True]


def test_in_loop_tells_where_a_blocking_door_must_refuse() -> None:
    """Inside a running loop, and nowhere else."""

    async def inside() -> bool:
        return in_loop()

    assert (in_loop(), anyio.run(inside)) == (False, True)


def test_a_wide_run_leaves_no_more_threads_waiting_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 300 overlapping sync leaves needs a thread of its own, and most of those end with it."""
    monkeypatch.setattr(leaves, "_idle", [])
    monkeypatch.setattr(leaves, "KEPT", 3)
    count = 20
    gate = threading.Barrier(count)
    seen: set[threading.Thread] = set()

    def meets() -> None:
        seen.add(threading.current_thread())
        gate.wait(10)

    async def go() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(count):
                group.start_soon(in_thread, meets)

    anyio.run(go)
    assert len(seen) == count
    for thread in seen - set(leaves._idle):
        thread.join(10)
    assert sum(thread.is_alive() for thread in seen) == len(leaves._idle) == 3


def test_a_class_that_can_not_be_hashed_is_looked_at_all_the_same() -> None:
    """What is remembered of a class is no reason to refuse one."""

    class Odd(type):
        def __eq__(cls, other: object) -> bool:
            return cls is other

        __hash__ = None  # type: ignore[assignment]

    class Leaf(metaclass=Odd):
        async def __call__(self) -> None: ...

    assert is_async(Leaf())
