"""How a turn is run so that the suite can leave it behind.

Everything else in the harness is structured: no task outlives the one that started it. A turn under test is the one exception, since
an agent may swallow its cancellation, and then a structured parent would wait for ever. So a turn is a task of its own, which
is cancelled at its deadline, given a moment to clean up, then closed by force, and where even that fails left behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

GRACE = 2.0
"""Seconds that a cancelled turn has for its own cleaning up."""

_left: set[asyncio.Task[Any]] = set()
# Loops that still hold a task which can't be stopped: closing one would wait for it.
_given_up: list[asyncio.Runner] = []


class LeftBehind(Exception):
    """A turn that could not be stopped in time."""


class Overtime(Exception):
    """A turn that was stopped because its time was up."""


async def limited(
    coroutine: Coroutine[Any, Any, Any], seconds: float | None, *, late: Callable[[], Any] = lambda: None, grace: float = GRACE
) -> Any:
    """What the coroutine answers within `seconds`; `Overtime` when it had to be stopped, `LeftBehind` when it could not be.

    `late` is called when its time is up, before it is told.
    """
    task = asyncio.ensure_future(coroutine)
    try:
        done, _ = await asyncio.wait((task,), timeout=seconds)
    except asyncio.CancelledError:
        await _stop(task, coroutine, grace)
        raise
    if done:
        return task.result()
    late()
    if await _stop(task, coroutine, grace):
        raise Overtime
    raise LeftBehind


async def _stop(task: asyncio.Task[Any], coroutine: Coroutine[Any, Any, Any], grace: float) -> bool:
    """Cancel the task, then close it by force; whether it has ended."""
    task.cancel()
    done, _ = await asyncio.wait((task,), timeout=grace)
    if not done:
        try:
            coroutine.close()
        except (RuntimeError, ValueError):
            pass
        task.cancel()
        done, _ = await asyncio.wait((task,), timeout=0.1)
    if done:
        if not task.cancelled():
            task.exception()  # looked at, so that the loop does not complain of it
        return True
    _left.add(task)
    # It never will be awaited, and the interpreter need not say so on its way out.
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    task.add_done_callback(_left.discard)
    return False


def left_behind() -> int:
    """How many tasks are still running that could not be stopped."""
    return len(_left)


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """What `main` answers, on a loop of its own that is given up rather than waited for where tasks were left behind."""
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        if left_behind():
            _given_up.append(runner)
        else:
            runner.close()
