"""The watch for a process that stands still as a whole: code that holds the interpreter's lock for ever, so that no other line of Python runs.

No alarm, no signal handler and no thread of ours comes to its turn then. What does is `faulthandler`'s timer, which needs no lock: it writes the
stacks of all threads to standard error, and ends the process with status 1. For as long as the loop beats it is put off.
"""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from . import leaving, remarks, signals

LATE = 5.0
"""Seconds beyond all that ends an attempt by itself until the process is held to stand still."""

BEAT = 10.0
"""Seconds between two beats of the loop: each makes a thread anew, which takes a moment."""

_LONGEST = 1e8

_ours = False
"""Whether nobody but us has imported `faulthandler` until now."""


@contextlib.contextmanager
def watched(deadline: float) -> Iterator[None]:
    """A while in which the running loop beats, and the process ends where it does not for so long that every attempt should be over.

    Nothing is done where that would be somebody else's business: on a loop that is not the harness's own, where `faulthandler` is in use already
    (pytest does), and on systems whose timer counts the time for which a computer sleeps.
    """
    global _ours
    if not leaving.owned() or ("faulthandler" in sys.modules and not _ours) or not _counts_only_waking():
        yield
        return
    _ours = False
    watch = _Watch(deadline + signals.SLACK + leaving.GRACE + LATE + BEAT)
    try:
        yield
    finally:
        watch.end()
        _ours = not watch.given_way


def _counts_only_waking() -> bool:
    """Whether a timer of a lock goes by a clock that stands still while the computer sleeps; else it would go off when it wakes."""
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return False
    import sysconfig

    return bool(sysconfig.get_config_var("HAVE_SEM_CLOCKWAIT"))


class _Watch:
    """One that is under way."""

    def __init__(self, seconds: float) -> None:
        import faulthandler

        self.seconds = min(seconds, _LONGEST)
        self._module: Any = faulthandler
        self._arm: Callable[..., None] = faulthandler.dump_traceback_later
        self._disarm: Callable[[], None] = faulthandler.cancel_dump_traceback_later
        self._loop = asyncio.get_running_loop()
        self._over = _thread.allocate_lock()
        self._over.acquire()
        self.given_way = False
        for name, way in self._ways():
            setattr(faulthandler, name, functools.wraps(way)(functools.partial(self._theirs, way)))
        self._stops = signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL
        if self._stops:
            signal.signal(signal.SIGTSTP, self._stop)
        _says(remarks.stands_still(self.seconds), self._over)
        self._beat()

    def _ways(self) -> list[tuple[str, Callable[..., None]]]:
        return [("dump_traceback_later", self._arm), ("cancel_dump_traceback_later", self._disarm)]

    def _beat(self) -> None:
        self._put_off()
        self._timer = self._loop.call_later(BEAT, self._beat)

    def _put_off(self) -> None:
        if not self.given_way:
            self._arm(self.seconds, exit=True, file=2)

    def _theirs(self, way: Callable[..., None], *args: Any, **kwargs: Any) -> None:
        """Somebody else uses the timer, of which there is one: it is theirs from now on."""
        self.given_way = True
        way(*args, **kwargs)

    def _stop(self, *_: Any) -> None:
        """Ctrl-Z: the time for which a process is stopped is no time in which it stands still."""
        if not self.given_way:
            self._disarm()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._stop)
        self._put_off()

    def end(self) -> None:
        """Beat no more, and leave everything as it was."""
        self._timer.cancel()
        self._over.release()
        if not self.given_way:
            self._disarm()
        for name, way in self._ways():
            setattr(self._module, name, way)
        if self._stops:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)


def _says(sentence: str, over: _thread.LockType) -> None:
    """Let the stacks say it, where nothing else can: as the file of a function in which a thread waits."""
    home: dict[str, Any] = {}
    exec(compile("def said(wait):\n    wait()", sentence, "exec"), home)
    # Not by `threading`, whose threads are followed for the attempts' sake.
    _thread.start_new_thread(home["said"], (over.acquire,))
