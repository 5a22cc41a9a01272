"""How a function that builds agents is called: on a thread while it may be slow, and in place once it proved quick.

The hop to a thread and back costs more than most agents take to build, and a pass of the loop, in which connections lie idle.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..leaves import answered, call_leaf, in_thread, is_async

QUICK = 0.002
"""Seconds that a quick function takes at the most."""


class Factory:
    """A function that builds agents. One that was slow in place is never again called there."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._quick = False
        self._slow = False

    def call(self, function: Callable[..., Any], **kwargs: Any) -> Awaitable[Any]:
        """What the function answers, to be awaited."""
        return call_leaf(function, **kwargs) if is_async(function) else self._called(function, **kwargs)

    async def _called(self, function: Callable[..., Any], **kwargs: Any) -> Any:
        timed = functools.partial(self._timed, functools.partial(function, **kwargs) if kwargs else function)
        signals, stepping = _later()
        # In place only where a function that hangs all of a sudden would be ended.
        if self._quick and signals.armed():
            answer = stepping.outside(timed)
            self._slow = not self._quick
        else:
            answer = await in_thread(timed)
        return await answered(function, answer)

    def _timed(self, function: Callable[[], Any]) -> Any:
        began = self._clock()
        try:
            return function()
        finally:
            self._quick = not self._slow and self._clock() - began <= QUICK


@functools.cache
def _later() -> tuple[Any, Any]:
    """Two modules that are imported when there is a loop, which has theirs: a factory is made before."""
    from . import signals, stepping

    return signals, stepping
