"""What reaches a run from outside its loop: Ctrl-C and SIGTERM, and the alarm for an agent that blocks the loop.

Signals and process groups are POSIX; elsewhere, and outside the main thread, all of it does nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from . import sparing

if TYPE_CHECKING:
    import asyncio

SLACK = 5.0
"""Seconds beyond the deadline until the alarm rings: a machine under load is no blocked loop."""

HEEDED: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
"""The signals that interrupt a run; a process that makes attempts for another heeds none, and dies of them."""

AGAIN = 3
"""How often code is told that its time is up, which may catch that."""

_LONGEST = 1e8
"""Seconds that a timer of the system's can be set to everywhere: three years."""

interruptible: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_interruptible", default=False)
"""Whether the code that runs now is the case's, which an alarm may break into as into what runs apart: an agent, a world, a check."""

_alarm: _Alarm | None = None


class Blocked(BaseException):
    """The end of code that blocked the loop for longer than any attempt has time."""


class Ended(KeyboardInterrupt):
    """The second Ctrl-C, which ends the run wherever it is, and is nothing that an agent did."""


def _may_be_broken_into() -> bool:
    return interruptible.get() or sparing.apart.get() is not None


def _possible() -> bool:
    return os.name == "posix" and threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def wakeful(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """A loop that a signal wakes, whichever thread the system hands it to.

    Python runs signal handlers on the main thread only, and while that waits for something to happen, it does not look.
    """
    if not _possible():
        yield
        return
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    loop.add_reader(ours, _drained, ours)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        loop.remove_reader(ours)
        ours.close()
        theirs.close()


def _drained(ours: socket.socket) -> None:
    with contextlib.suppress(BlockingIOError):
        ours.recv(4096)


class Interrupts:
    """Ctrl-C and SIGTERM while a run lasts: the first cancels its task, another ends it at once.

    Code of the agent's that holds up the loop, so that the first does not come to the task, is broken into after `grace` seconds.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any], grace: float) -> None:
        self.count = 0
        self.grace = grace
        self._loop = loop
        self._task = task
        self._thread = threading.get_ident()

    def came(self, *_: Any) -> None:
        """Note one."""
        self.count += 1
        if self.count == 1:
            self._loop.call_soon_threadsafe(self._task.cancel)
            if _alarm is not None:
                _alarm.hurry(self.grace)
            return
        # From the loop, where no code of the agent's can catch it; and at once where such code holds the loop up.
        self._loop.call_soon_threadsafe(_end)
        if _may_be_broken_into():
            _end()

    def end(self) -> None:
        """End the run at once, whichever thread asks for it; on the loop's own, here."""
        self.count += 2
        self._loop.call_soon_threadsafe(_end)
        if threading.get_ident() == self._thread:
            _end()


_heeding: list[Interrupts] = []


def interrupted() -> bool:
    """Whether the run that goes on here has been told to end, though it may not have come to that yet."""
    return any(each.count for each in _heeding)


def _end() -> None:
    raise Ended


@contextlib.contextmanager
def interrupted_by(interrupts: Interrupts) -> Iterator[None]:
    """Tell `interrupts` of Ctrl-C and SIGTERM, where nobody else handles them."""
    ours = [
        (number, before)
        for number in HEEDED
        if _possible() and (before := signal.getsignal(number)) in (signal.default_int_handler, signal.SIG_DFL)
    ]
    for number, _ in ours:
        signal.signal(number, interrupts.came)
    _heeding.append(interrupts)
    try:
        yield
    finally:
        _heeding.remove(interrupts)
        for number, before in ours:
            signal.signal(number, before)


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """A while in which SIGTERM is what Ctrl-C is, also between two runs."""
    if not _possible() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def within(seconds: float, unstoppable: Callable[[Any], NoReturn]) -> Iterator[None]:
    """Raise `Blocked` in code that takes longer; `unstoppable` gets the frame of one that catches that again and again."""
    if not _possible() or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
        yield
        return
    rings = 0

    def ring(_: int, frame: Any) -> None:
        nonlocal rings
        rings += 1
        if rings > AGAIN:
            unstoppable(frame)
        raise Blocked(f"took longer than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST), min(seconds, 1.0))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def armed() -> bool:
    """Whether an alarm watches the caller's loop, so that code which blocks it can be ended."""
    return _alarm is not None and _possible()


def broke_in() -> bool:
    """Whether the alarm broke into code because the run was told to end: a cancellation is on its way, which that code held up."""
    return _alarm is not None and _alarm.broke_in


@contextlib.contextmanager
def alarmed(seconds: float) -> Iterator[None]:
    """Raise `Blocked` in the agent's code that blocks the running loop for longer than `seconds`."""
    global _alarm
    if _alarm is not None and _possible() and not _alarm.loop.is_running():
        _alarm.end()  # that loop was given up, and puts it off no more
    if not _possible() or signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:
        yield
        return
    alarm = _Alarm(seconds)
    signal.signal(signal.SIGALRM, alarm.ring)
    alarm.put_off()
    _alarm = alarm
    try:
        yield
    finally:
        if _alarm is alarm:
            alarm.end()


class _Alarm:
    """An alarm that the loop keeps putting off, for as long as it runs at all."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.period = seconds, min(seconds / 4, 1.0)
        import asyncio

        self.hurried = self.broke_in = False
        self.loop = asyncio.get_running_loop()

    def put_off(self) -> None:
        # Once it has gone off it goes on, for one may be caught, or come just before the code that it should break into waits.
        signal.setitimer(signal.ITIMER_REAL, min(self.seconds, _LONGEST), self.period)
        self._timer = self.loop.call_later(self.period, self.put_off)

    def hurry(self, seconds: float) -> None:
        """Ring as soon as the loop stands still for so many seconds from now on; called by a signal's handler."""
        if not self.hurried:
            self.hurried = True
            self.seconds = min(self.seconds, seconds)
            self.period = min(self.period, self.seconds / 4)
            signal.setitimer(signal.ITIMER_REAL, self.seconds, self.period)

    def end(self) -> None:
        global _alarm
        _alarm = None
        self._timer.cancel()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def ring(self, *_: Any) -> None:
        # In the context of whatever runs on the loop; what belongs to the harness is let finish.
        if _may_be_broken_into():
            self.broke_in = self.hurried
            raise Blocked(f"blocked the event loop for more than {self.seconds:g} seconds")
