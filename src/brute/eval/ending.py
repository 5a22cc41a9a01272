"""The ways out of this process that take no leave: `os._exit`, and to become another program.

Neither raises anything. Taken by an agent's code, the process would be gone with all that the run has found out, and with the status that this
code chose, which may be 0. So while a run lasts they lead here: it is said who took one, and the run ends as by a second Ctrl-C.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ..loading import frame_of, shown_path
from . import remarks

SILENT = 70
"""The exit status where the agent's code wanted 0."""

LEAVE = 10.0
"""Seconds in which the run may end when a thread wants the process to: then it does."""

AGAIN = 3
"""How often the run is asked to end before the process just does."""

_WAYS = ("_exit", "execv", "execve")
"""All of `os`; the others of its family call these."""


class Gone(SystemExit):
    """The end that code of the agent's wanted for the process: `asked` is the status that it chose, `code` one that is not 0."""

    def __init__(self, asked: Any, sentence: str) -> None:
        known = asked & 0xFF if isinstance(asked, int) else 0
        super().__init__(known or SILENT)
        self.asked = asked
        self.sentence = sentence


class _Guard:
    """What stands at the ways out; forked children pass."""

    def __init__(self, apart: str) -> None:
        self.apart = apart
        self.holders = 0
        self.spared = threading.Event()
        self.pid = os.getpid()
        self.gone: Gone | None = None
        self.calls = 0
        self.ends: list[Callable[[], object]] = []
        homes = [os, importlib.import_module(os.name)]
        self.ways = [(home, name, getattr(home, name)) for home in homes for name in _WAYS if hasattr(home, name)]

    def stand(self) -> None:
        for home, name, way in self.ways:
            setattr(home, name, functools.wraps(way)(functools.partial(self.taken, name, way)))

    def leave(self) -> None:
        for home, name, way in self.ways:
            setattr(home, name, way)

    def taken(self, name: str, way: Callable[..., NoReturn], *args: Any, **kwargs: Any) -> NoReturn:
        """Somebody wants the process to end."""
        if os.getpid() != self.pid:
            way(*args, **kwargs)
        asked = args[0] if args and name == "_exit" else kwargs.get("status", 0)
        gone = Gone(asked, remarks.took_the_run(_where(sys._getframe(1)), f"os.{name}", asked, self.apart))
        if not self.ends and threading.current_thread() is threading.main_thread():
            # A file that is being loaded: whoever loads it refuses it.
            raise gone
        if self.gone is None:
            self.gone = gone
            _say(gone.sentence)
        self.calls += 1
        # Whoever catches what that raises, and tries again, is not asked for ever.
        if self.ends and self.calls <= AGAIN:
            self.ends[-1]()
            # Here on another thread than the loop's, which ends the process, or the run alone; or does not come to it.
            if self.spared.wait(LEAVE):
                raise gone
        self.really(self.gone.code)

    def really(self, status: Any) -> NoReturn:
        """End the process."""
        next(way for _, name, way in self.ways if name == "_exit")(status)
        raise SystemExit(status)  # in a test, whose way out is another


_guard: _Guard | None = None


@contextlib.contextmanager
def guarded(apart: str = "--isolate") -> Iterator[None]:
    """A while in which the process does not end without a word; `apart` is what its user could have made each attempt in a process of its own with.

    Such whiles may overlap, in one loop: the last to end leaves.
    """
    global _guard
    if _guard is None:
        _guard = _Guard(apart)
        _guard.stand()
    guard = _guard
    guard.holders += 1
    try:
        yield
    finally:
        guard.holders -= 1
        if not guard.holders:
            guard.leave()
            _guard = None


@contextlib.contextmanager
def under_way(end: Callable[[], object]) -> Iterator[None]:
    """A while in which `end()` ends what is under way, from any thread."""
    if _guard is None:
        yield
        return
    ends = _guard.ends
    ends.append(end)
    try:
        yield
    finally:
        ends.remove(end)


def gone() -> Gone | None:
    """The end that somebody wanted for the process, which is to come now."""
    return None if _guard is None else _guard.gone


def spare() -> None:
    """Let the process go on, after what was under way has ended: a thread that wanted its end, and waits for it, gets an exception."""
    if _guard is not None:
        _guard.spared.set()


def ended(status: int) -> NoReturn:
    """End the process, which the harness may."""
    if _guard is not None:
        _guard.really(status)
    os._exit(status)


def _where(frame: Any) -> str:
    """The user's own code that led here, or whatever code did."""
    return frame_of(frame) or f"{shown_path(frame.f_code.co_filename)}:{frame.f_lineno} in {frame.f_code.co_name}"


def _say(sentence: str) -> None:
    with contextlib.suppress(Exception):
        print(f"Error: {sentence}", file=sys.stderr, flush=True)  # noqa: T201
