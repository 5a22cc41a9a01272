"""What an attempt leaves running inside its worker: tasks, and threads of the user's own code."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import types
from collections.abc import Iterator

_OURS = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2)) + os.sep
_PYTHONS = os.path.dirname(os.__file__) + os.sep


class Leftovers:
    """What has been started since this was made, which is before any attempt: what the suite's own file has started is none of an attempt's."""

    def __init__(self) -> None:
        self._tasks = asyncio.all_tasks()
        self._threads = set(threading.enumerate())

    def __bool__(self) -> bool:
        """Whether any of it still runs, and could do to the next attempt what it likes.

        A library's threads may stay: it keeps them for as long as a process lives (an exporter of traces, a pool that waits for work).
        """
        if asyncio.all_tasks() - self._tasks:
            return True
        return any(_is_users(thread) for thread in threading.enumerate() if thread not in self._threads)


def _is_users(thread: threading.Thread) -> bool:
    """Whether a thread runs, or is about to run, code that is neither a library's nor ours."""
    if isinstance(thread, threading.Timer):
        return True
    target = getattr(thread, "_target", None) or type(thread).run
    code = getattr(target, "__code__", None)
    frame = sys._current_frames().get(thread.ident or 0)
    return any(_is_users_file(each.co_filename) for each in (*([code] if code else []), *_codes(frame)))


def _codes(frame: types.FrameType | None) -> Iterator[types.CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def _is_users_file(name: str) -> bool:
    return not name.startswith(("<", _OURS, _PYTHONS)) and "site-packages" not in name
