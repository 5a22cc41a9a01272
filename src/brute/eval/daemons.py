"""Threads that keep no interpreter from ending, for whoever asks asyncio for one."""

from __future__ import annotations

import asyncio
import concurrent.futures
import concurrent.futures.thread
import functools
from collections.abc import Callable
from typing import Any

import anyio

from ..leaves import abandoned, on_thread

_deserted: set[Job] = set()
_pooled: dict[concurrent.futures.Future[Any], tuple[concurrent.futures.ThreadPoolExecutor, list[str] | None]] = {}


class Job(concurrent.futures.Future[Any]):
    """What runs on a thread, for an attempt (`owner` is where that keeps what it left behind)."""

    def __init__(self) -> None:
        super().__init__()
        self.owner = abandoned.get()

    def cancel(self) -> bool:
        """Note that nobody waits for it any more, where it can't be kept from running."""
        if self.running():
            _deserted.add(self)
            self.add_done_callback(_deserted.discard)
        return super().cancel()


class Daemons(concurrent.futures.ThreadPoolExecutor):
    """The pool behind `asyncio.to_thread`, on daemon threads: the interpreter waits for those of the usual pool on its way out."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> concurrent.futures.Future[Any]:
        """Call the function on a thread."""
        future = Job()

        def done(answer: Any, error: BaseException | None) -> None:
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)

        if future.set_running_or_notify_cancel():
            on_thread(functools.partial(function, *args, **named), done)
        return future


async def outlast(seconds: float) -> bool:
    """Whether a thread for which nobody of this attempt waits any more goes on for longer than so many seconds."""
    owner = abandoned.get()
    mine = [asyncio.wrap_future(job) for job in list(_deserted) if job.owner is owner]
    if not mine:
        return False
    with anyio.CancelScope(shield=True):
        _, left = await asyncio.wait(mine, timeout=seconds)
    for each in mine:
        each.cancel() if each in left else each.exception()
    return bool(left)


def pooled(future: concurrent.futures.Future[Any], pool: concurrent.futures.ThreadPoolExecutor) -> None:
    """Note what an attempt has handed to a pool of the agent's own."""
    if not future.done():
        _pooled[future] = pool, abandoned.get()
        future.add_done_callback(lambda done: _pooled.pop(done, None))


def forsake() -> bool:
    """Keep the interpreter from waiting, on its way out, for what this attempt handed to pools and could not stop; whether there is such."""
    owner = abandoned.get()
    running = [pool for future, (pool, whose) in list(_pooled.items()) if whose is owner and not future.cancel()]
    waited_for: Any = concurrent.futures.thread._threads_queues
    for pool in running:
        for thread in [each for each in list(pool._threads) if each.daemon]:
            waited_for.pop(thread, None)
    return bool(running)
