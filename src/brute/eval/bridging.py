"""How blocking code of an agent tells the harness, whose subscribers are async, what it does: on a loop that is nobody else's."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Coroutine
from typing import Any

_loops: dict[int, asyncio.AbstractEventLoop] = {}
_lock = threading.Lock()


def wait(work: Coroutine[Any, Any, Any]) -> Any:
    """What the coroutine answers, while this thread stands still.

    Not on the loop of the turn: that may itself be waiting for the code that calls this.

    >>> async def answer(): return 42
    >>> wait(answer())
    42
    """
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


def _loop() -> asyncio.AbstractEventLoop:
    # By process: a forked child has none of its parent's threads.
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="brute bridge", daemon=True)
            # Of no turn: it outlives the one that is first to need it.
            contextvars.Context().run(thread.start)
        return loop
