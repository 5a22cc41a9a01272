"""A task that begins, and a wait that ends, in the very step in which it is asked to, and not a pass of the event loop later.

A bare loop begins its next request in the step in which the last one ended. Where a turn is a task of its own, two passes lie between
them, and meanwhile the agents' connections lie idle: pools like that of httpx look at each idle one whenever a request begins, which with 64
attempts at a time costs more than the harness does. What is used here is what `asyncio` offers to those who write tasks and loops of their own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar
from typing import Any

_enter: Callable[..., None] = asyncio._enter_task
_leave: Callable[..., None] = asyncio._leave_task


def begun(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """A task of `work` that has done its first step already; to be called in a task of the running loop."""
    if sys.version_info >= (3, 12):
        return asyncio.Task(work, loop=loop, eager_start=True)
    task = loop.create_task(work)
    ready = getattr(loop, "_ready", None)
    # The first step is what the loop has been given last. Where it can't be told (a loop of another kind), it comes a pass later.
    if ready and getattr(ready[-1]._callback, "__self__", None) is task:
        _beside(loop, ready.pop()._run)
    return task


class Told:
    """Something that one task waits for: `tell()` lets it go on at once, inside of the step of whoever tells."""

    _asyncio_future_blocking = False

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._told = False
        self._cancelled = False
        self._waiting: tuple[Callable[[Any], object], Context | None] | None = None

    def tell(self, _: Any = None) -> None:
        """Let whoever waits go on, until it waits again; nothing where that was told before."""
        if self._told:
            return
        self._told = True
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            callback, context = waiting
            _beside(self._loop, callback if context is None else (lambda told: context.run(callback, told)), self)

    def __await__(self) -> Generator[Any, None, None]:
        if not self._told:
            self._asyncio_future_blocking = True
            yield self

    # What a task asks of that which it waits for.

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The loop of the task that waits."""
        return self._loop

    def done(self) -> bool:
        """Whether nobody need wait any more."""
        return self._told

    def add_done_callback(self, callback: Callable[[Any], object], *, context: Context | None = None) -> None:
        """Call it when told."""
        self._waiting = callback, context

    def cancel(self, msg: Any = None) -> bool:
        """Let the waiting task be cancelled, a pass of the loop later; whether it waits."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return False
        self._cancelled = True
        callback, context = waiting
        self._loop.call_soon(callback, self, context=context)
        return True

    def result(self) -> None:
        """Nothing, or the cancellation."""
        if self._cancelled:
            self._cancelled = False
            raise asyncio.CancelledError


class Waiting:
    """Whether what is done here `had` to wait, so that the loop has had a pass since this was last set to False."""

    __slots__ = ("had",)

    def __init__(self) -> None:
        self.had = False


waiting: ContextVar[Waiting | None] = ContextVar("brute_waiting", default=None)
"""Where whoever makes one attempt after the other wants to be told; set once, for to set a context variable takes as long as thirty lines."""


def outside(function: Callable[[], Any]) -> Any:
    """What the function answers, called here and yet as if no loop ran: as on a thread, it may run one of its own."""
    loop = asyncio.get_running_loop()

    def alone() -> Any:
        asyncio._set_running_loop(None)
        try:
            return function()
        finally:
            asyncio._set_running_loop(loop)

    return _beside(loop, alone)


def _beside(loop: asyncio.AbstractEventLoop, step: Callable[..., Any], *args: Any) -> Any:
    """Do the step of another task in the middle of the step of this one."""
    current = asyncio.current_task(loop)
    if current is None:
        return step(*args)
    _leave(loop, current)
    try:
        return step(*args)
    finally:
        _enter(loop, current)
