"""How a leaf (completion, tool, subscriber, check, stub, factory) is called, be it sync or async.

A sync leaf runs on a worker thread, so that it never blocks the loop of another attempt. The threads are our own because
they must be daemons: Python cannot end a thread, and anyio's and asyncio's are joined when the interpreter exits, so one
tool that hangs for ever would hold up a suite that is long done.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import os
import queue
import threading
import types
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

_Job = tuple[contextvars.Context, Callable[[], Any], Callable[[Any, BaseException | None], None]]
_idle: list[Worker] = []

KEPT = 64
"""How many threads wait for another leaf; what a wide run needed beside them ends when its leaf has."""

abandoned: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("brute_abandoned", default=None)
"""Where a caller wants to be told of the leaves that were left behind on their threads: a list that their names go to."""


def is_async(function: Any) -> bool:
    """Whether calling `function` gives something to await."""
    # One that is async without the flag is found out by what it answers.
    return bool(_flags(function) & inspect.CO_COROUTINE)


def is_generator(function: Any) -> bool:
    """Whether calling `function` gives a generator, which has said nothing yet, in the place of an answer."""
    return bool(_flags(function) & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR))


def _flags(function: Any) -> int:
    kind = type(function)
    if kind is types.FunctionType:  # as most are
        flags: int = function.__code__.co_flags
        return flags
    while isinstance(function, functools.partial):
        function = function.func
        kind = type(function)
    if kind is types.FunctionType:
        return int(function.__code__.co_flags)
    if kind is types.MethodType:
        code = getattr(function.__func__, "__code__", None)
        return 0 if code is None else int(code.co_flags)
    # An object that is called through its class: what counts is that method.
    try:
        return int(_flags_of(kind))  # type: ignore[arg-type]
    except TypeError:  # a class that can't be hashed
        return int(_flags_of.__wrapped__(kind))


@functools.lru_cache(maxsize=256)
def _flags_of(kind: type[Any]) -> int:
    code = getattr(getattr(kind, "__call__", None), "__code__", None)  # noqa: B004
    return 0 if code is None else int(code.co_flags)


def in_loop() -> bool:
    """Whether the caller stands inside a running event loop, where blocking doors must refuse."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def being_cancelled(loop: asyncio.AbstractEventLoop | None = None) -> bool:
    """Whether the task that runs now was told to end, so that a cancellation in it is no exception of its own; `loop` is the running one."""
    import asyncio

    task = asyncio.current_task(loop)
    return task is not None and task.cancelling() > 0


def call_leaf(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Awaitable[Any]:
    """What `function(*args, **kwargs)` answers, to be awaited: its own coroutine where it is async; where it is sync, it runs on a worker thread."""
    if _flags(function) & inspect.CO_COROUTINE:
        awaited: Awaitable[Any] = function(*args, **kwargs)
        return awaited
    return _hopped(functools.partial(function, *args, **kwargs))


async def _hopped(function: functools.partial[Any]) -> Any:
    return await answered(function.func, await in_thread(function))


async def answered(function: Callable[..., Any], answer: Any) -> Any:
    """What a sync `function` that handed out `answer` meant by it."""
    if inspect.isgenerator(answer) or inspect.isasyncgen(answer):
        # Nothing in it has run, and nobody would notice.
        raise TypeError(f"{_name(function)} is a generator function (it has a yield in it), so nothing in it ran")
    # A sync function may hand out an awaitable all the same (a lambda over an async function).
    return await answer if inspect.isawaitable(answer) else answer


async def in_thread(function: Callable[[], Any]) -> Any:
    """What `function()` answers on a daemon thread; when the caller is cancelled, the thread is left behind."""
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(answer: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(answer)
        else:
            # A future refuses StopIteration, and an exit is the thread's, not the loop's.
            carried = isinstance(error, Exception) and not isinstance(error, StopIteration)
            future.set_exception(error if carried else LeafExit(error))

    def done(answer: Any, error: BaseException | None) -> None:
        try:
            loop.call_soon_threadsafe(settle, answer, error)
        except RuntimeError:  # the loop is closed: whoever asked has gone
            pass

    on_thread(function, done)
    try:
        return await future
    except asyncio.CancelledError:
        told = abandoned.get()
        if told is not None:
            told.append(_name(function))
        raise
    except LeafExit as exit:
        raise exit.error from None


def on_thread(function: Callable[[], Any], done: Callable[[Any, BaseException | None], None]) -> None:
    """Call `function()` on a daemon thread, in a copy of this context, and there `done(answer, error)`."""
    try:
        worker = _idle.pop()
    except IndexError:
        worker = Worker()
    worker.jobs.put((contextvars.copy_context(), function, done))


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__)


class LeafExit(Exception):
    """An exception of a sync leaf that a future cannot carry (SystemExit, KeyboardInterrupt, StopIteration)."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class Worker(threading.Thread):
    """A daemon thread that runs one leaf after another."""

    def __init__(self) -> None:
        super().__init__(name="brute leaf", daemon=True)
        self.jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self.start()

    def run(self) -> None:
        """Run them."""
        while True:
            context, function, done = self.jobs.get()
            answer, error = None, None
            try:
                answer = context.run(function)
            except BaseException as raised:
                error = raised
            keeps = len(_idle) < KEPT
            if keeps:
                _idle.append(self)
            done(answer, error)
            if not keeps:
                return
            del context, function, done, answer, error


if hasattr(os, "register_at_fork"):
    # A forked child has none of its parent's threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_idle.clear)
