"""Threads that keep no interpreter from ending, for whoever asks asyncio for one."""

from __future__ import annotations

import concurrent.futures
import functools
from collections.abc import Callable
from typing import Any

from ..leaves import on_thread


class Daemons(concurrent.futures.ThreadPoolExecutor):
    """The pool behind `asyncio.to_thread`, on daemon threads: the interpreter waits for those of the usual pool on its way out."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> concurrent.futures.Future[Any]:
        """Call the function on a thread."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()

        def done(answer: Any, error: BaseException | None) -> None:
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)

        if future.set_running_or_notify_cancel():
            on_thread(functools.partial(function, *args, **named), done)
        return future
