"""The time that something has, which may be changed while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class Limit:
    """The time that something has, in seconds from now; it may be made shorter on the way.

    `stopping` says that it is being stopped, so that what it then raises is the stop's doing and not its own. `settle` is called when the
    time seems to be up, and may still extend it.
    """

    __slots__ = ("_ends", "_settle", "_timer", "_up", "loop", "stopping")

    def __init__(self, seconds: float, settle: Callable[[], object] = lambda: None) -> None:
        self._settle = settle
        self.loop = asyncio.get_running_loop()
        self._ends = self.loop.time() + seconds
        self._timer: asyncio.TimerHandle | None = None
        self._up: Callable[[], Any] = lambda: None
        self.stopping = False

    def shorten(self, seconds: float) -> bool:
        """Let it end `seconds` from now, unless it ends sooner; whether it was made shorter."""
        ends = self.loop.time() + seconds
        shorter = ends < self._ends
        if shorter:
            self._ends = ends
            self.begin(self._up)
        return shorter

    def extend(self, seconds: float) -> None:
        """Let it end so much later."""
        self._ends += seconds

    def begin(self, up: Callable[[], Any]) -> None:
        """Call `up` when the time is up."""
        self.end()
        self._up = up
        self._timer = self.loop.call_at(self._ends, self._due)

    def _due(self) -> None:
        self._settle()
        if self._ends - self.loop.time() > 0.001:
            self.begin(self._up)
        else:
            self._up()

    def end(self) -> None:
        """Call nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
