"""The time that something has, which may be changed while it runs."""

from __future__ import annotations

import asyncio
import contextvars
import math
import operator
import time
from collections.abc import Callable
from typing import Any


class Limit:
    """The time that something has, in seconds from now; it may be made shorter on the way.

    `stopping` says that it is being stopped, so that what it then raises is the stop's doing and not its own. `settle` is called when the
    time seems to be up, and may still extend it. `ends` is when that is, by the loop's clock.
    """

    __slots__ = ("_alarms", "_settle", "_up", "ends", "loop", "stopping")

    def __init__(
        self, seconds: float, settle: Callable[[], object] = lambda: None, alarms: Alarms | None = None
    ) -> None:
        self._settle = settle
        self.loop = asyncio.get_running_loop()
        self._alarms = Alarms() if alarms is None else alarms
        self.ends = self.loop.time() + seconds
        self._up: Callable[[], Any] = lambda: None
        self.stopping = False

    def shorten(self, seconds: float) -> bool:
        """Let it end `seconds` from now, unless it ends sooner; whether it was made shorter."""
        ends = self.loop.time() + seconds
        shorter = ends < self.ends
        if shorter:
            self.ends = ends
            self.begin(self._up)
        return shorter

    def extend(self, seconds: float) -> None:
        """Let it end so much later."""
        self.ends += seconds

    def begin(self, up: Callable[[], Any]) -> None:
        """Call `up` when the time is up."""
        self._up = up
        self._alarms.begin(self)

    def due(self) -> None:
        """Look whether the time is up."""
        self._settle()
        if self.ends - self.loop.time() > 0.001:
            self._alarms.begin(self)
        else:
            self._up()

    def end(self) -> None:
        """Call nothing any more."""
        self._alarms.end(self)


class Alarms:
    """What tells limits that their time is up: one timer for all, since one for each takes longer than all else that they do.

    They are of one loop at a time. `lasting` says that more are to begin when none is left, so that the timer is kept for them.
    """

    __slots__ = ("_lasting", "_limits", "_loop", "_rings", "_timer")

    def __init__(self, lasting: bool = False) -> None:
        self._lasting = lasting
        self._loop: asyncio.AbstractEventLoop | None = None
        # In the context that each was begun in, it is told.
        self._limits: dict[Limit, contextvars.Context] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._rings = math.inf

    def begin(self, limit: Limit) -> None:
        """Tell it when it is due."""
        if limit.loop is not self._loop:
            self._loop, self._limits, self._timer, self._rings = limit.loop, {}, None, math.inf
        self._limits[limit] = contextvars.copy_context()
        if limit.ends < self._rings:
            self._set(limit.ends)

    def end(self, limit: Limit) -> None:
        """Tell it nothing any more."""
        self._limits.pop(limit, None)
        if not (self._lasting or self._limits or self._timer is None):
            self._timer.cancel()
            self._timer, self._rings = None, math.inf

    def _set(self, rings: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        assert self._loop is not None
        # In a context that is nobody's: that of one attempt would be kept after its end, and the alarm might break into this as into its code.
        nobodys = contextvars.Context()
        self._rings, self._timer = rings, self._loop.call_at(rings, self._ring, self._loop, context=nobodys)

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        if loop is not self._loop:
            return
        self._timer, self._rings = None, math.inf
        now = loop.time() + time.get_clock_info("monotonic").resolution  # as exact as the loop itself is
        left = []
        for limit in sorted(self._limits, key=_ends):
            if limit.ends <= now:
                loop.call_soon(self._tell, limit, context=self._limits[limit])
            else:
                left.append(limit.ends)
        if left:
            self._set(left[0])

    def _tell(self, limit: Limit) -> None:
        if self._limits.pop(limit, None) is not None:  # it may have ended meanwhile
            limit.due()


_ends = operator.attrgetter("ends")
