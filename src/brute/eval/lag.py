"""The watch over the event loop: whoever blocks it is named while it blocks, and how late the loop was is told in the report.

On a loop that stands still no attempt goes on, and what all of them then wait for looks like the model's time. It is watched from a
thread, since nothing that runs on the loop would come to its turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..leaves import abandoned
from ..loading import frame_of
from . import remarks

PERIOD = 0.05
"""Seconds between two beats of the loop."""

NOTED = 0.1
"""Seconds that a beat may come late before the report says so."""

BLOCKED = 1.0
"""Seconds that a beat may come late before it is said while it lasts."""


Span = tuple[object, float, float]
"""A time for which the loop stood still: by whose code (None: nobody knows), and how many seconds ago it began and ended.

What stands for an attempt is the list of what was left behind of it, by which all that runs of it is known.
"""


class Watch:
    """The watch over one loop. `running` answers what runs on it just now, `warn` is told, on a thread, of a loop that is blocked.

    `stood` is told, when the loop goes on, by whose code it stood still and when.
    """

    def __init__(
        self,
        running: Callable[[], list[str]],
        warn: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
        stood: Callable[[Sequence[Span]], object] = lambda spans: None,
    ) -> None:
        self.running = running
        self.warn = warn
        self.clock = clock
        self.stood = stood
        self.loop: asyncio.AbstractEventLoop | None = None
        self._owners: list[tuple[float, object]] = []
        self.count = 0
        self.worst = 0.0
        self.during = ("", list[str]())
        self._thread = threading.get_ident()
        self._due = clock()
        self._seen: tuple[str, list[str]] | None = None
        self._warned = False

    def note(self) -> str | None:
        """The remark for the report, where the loop was late."""
        return remarks.lagged(self.count, self.worst, *self.during) if self.count else None

    def beat(self) -> None:
        """Note how late the loop comes to this, and when it is due again."""
        late = self.clock() - self._due
        owners, self._owners = self._owners, []
        if late > NOTED:
            self.count += 1
            if late > self.worst:
                self.worst, self.during = late, self._seen or ("", [])
            self.stood(_spans(late, self._due, owners))
        self._due = self.clock() + PERIOD
        self._seen, self._warned = None, False

    def look(self) -> None:
        """See what holds up a beat that is late, and warn of one that is very late; called on another thread."""
        now = self.clock()
        late = now - self._due
        if late > 0:
            self._owners.append((now, self._owner()))
        warns = late > BLOCKED and not self._warned
        if warns or (late > NOTED / 2 and self._seen is None):
            at, running = self._seen = frame_of(sys._current_frames().get(self._thread)), self._running()
        if warns:
            self._warned = True
            self.warn(remarks.blocking(late, at, running))

    def _owner(self) -> object:
        """Whose code holds up the loop, where that can be told."""
        with contextlib.suppress(Exception):
            task = asyncio.current_task(self.loop) if self.loop is not None else None
            of = getattr(task, "get_context", None)  # from Python 3.12 on
            context = of() if of is not None else _context(sys._current_frames().get(self._thread))
            left: list[str] | None = None if context is None else context.get(abandoned)
            return left
        return None

    def _running(self) -> list[str]:
        try:
            return self.running()
        except RuntimeError:  # the loop went on meanwhile, and what is looked through has changed
            return []


def _context(frame: Any) -> contextvars.Context | None:
    """The context of the callback that a loop is in the middle of: the innermost, for one may be run inside of another."""
    while frame is not None and frame.f_code is not asyncio.Handle._run.__code__:
        frame = frame.f_back
    return None if frame is None else frame.f_locals["self"]._context


def _spans(late: float, due: float, owners: Sequence[tuple[float, object]]) -> list[Span]:
    """The time since the beat was due, parted among those who were seen meanwhile: each has it from the last look to his, the last one the rest."""
    spans = []
    began = late
    for index, (seen, owner) in enumerate(owners):
        ended = 0.0 if index == len(owners) - 1 else min(max(late - (seen - due), 0.0), began)
        spans.append((owner, began, ended))
        began = ended
    return spans or [(None, late, 0.0)]


@contextlib.contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Let the running loop beat, and a thread look, while this lasts."""
    loop = watch.loop = asyncio.get_running_loop()
    over = threading.Event()

    timer = loop.call_soon(lambda: None)

    def beat() -> None:
        nonlocal timer
        watch.beat()
        timer = loop.call_later(PERIOD, beat)

    def look() -> None:
        # A loop that was given up does not beat, and holds up nobody.
        while not over.wait(NOTED) and loop.is_running():
            with contextlib.suppress(Exception):
                watch.look()

    beat()
    looking = threading.Thread(target=look, name="brute watch", daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        timer.cancel()
        looking.join(1)


def to_stderr(sentence: str) -> None:
    """Say it where a report is not spoilt by it."""
    print(f"warning: {sentence}", file=sys.stderr, flush=True)  # noqa: T201
