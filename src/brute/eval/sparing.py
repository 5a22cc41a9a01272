"""The tasks that an agent may see: those of its own turn.

Code that tidies up by cancelling all tasks of the loop means those of its program. Under the harness the loop has others too: the turns of
other attempts, and the run itself. So while a run lasts, `asyncio.all_tasks` tells whoever asks from inside a turn of that turn's tasks alone.
"""

from __future__ import annotations

import asyncio
import asyncio.base_events
import contextvars
import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any, Protocol


class Apart(Protocol):
    """What runs in a task of its own, on this loop."""

    loop: asyncio.AbstractEventLoop
    task: asyncio.Task[Any] | None


apart: contextvars.ContextVar[Apart | None] = contextvars.ContextVar("brute_apart", default=None)
"""The turn, check or world that this code is of; None in the harness's own."""

_of: weakref.WeakKeyDictionary[asyncio.Task[Any], Apart] = weakref.WeakKeyDictionary()
"""Whose a task is, where a task does not tell its context (before Python 3.12)."""


def begins(one: Apart) -> None:
    """From here on, what runs in this task is of `one`."""
    apart.set(one)
    one.task = asyncio.current_task()


_TOLD = sys.version_info >= (3, 12)


def _whose(task: asyncio.Task[Any]) -> Apart | None:
    context: Any = getattr(task, "get_context", None)
    return _of.get(task) if context is None else context().get(apart)


def own_tasks(plain: Callable[[Any], set[asyncio.Task[Any]]]) -> Callable[..., set[asyncio.Task[Any]]]:
    """`asyncio.all_tasks` as it is while a run lasts."""

    @functools.wraps(plain)
    def all_tasks(loop: asyncio.AbstractEventLoop | None = None) -> set[asyncio.Task[Any]]:
        found, mine = plain(loop), apart.get()
        if mine is None or (loop or asyncio.get_running_loop()) is not mine.loop:
            return found
        return {task for task in found if task is mine.task or _whose(task) is mine}

    return all_tasks


def noting(plain: Callable[..., asyncio.Task[Any]]) -> Callable[..., asyncio.Task[Any]]:
    """A loop's `create_task` that notes whose the task is."""

    @functools.wraps(plain)
    def create_task(self: asyncio.AbstractEventLoop, *args: Any, **named: Any) -> asyncio.Task[Any]:
        task, mine = plain(self, *args, **named), apart.get()
        if mine is not None:
            _of[task] = mine
        return task

    return create_task


PLACES: list[tuple[Any, str, Callable[[Any], Any]]] = [
    (asyncio, "all_tasks", own_tasks),
    (asyncio.tasks, "all_tasks", own_tasks),
    *([] if _TOLD else [(asyncio.base_events.BaseEventLoop, "create_task", noting)]),
]
"""What is others' while a run lasts."""
