"""Who is whose child: sessions, orphans, and what a process has left running."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
import time
from typing import Any

from ..children import childless

_PDEATHSIG, _SUBREAPER = 1, 36


def lead() -> None:
    """Make this process the head of a session of its own, so that no Ctrl-C reaches it and its children can be killed with it.

    On Linux it also becomes the foster parent of what its children leave behind, and dies with the process that started it.
    """
    with contextlib.suppress(PermissionError):  # it is the head of one already
        os.setsid()
    foster()
    _prctl(_PDEATHSIG, signal.SIGKILL)


def foster() -> None:
    """On Linux, become the parent of orphans below this process, also of those that left its session."""
    _prctl(_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    libc = _libc()
    if libc is not None:
        libc.prctl(option, value, 0, 0, 0)


@functools.cache
def _libc() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    return ctypes.CDLL(None)


def alone() -> bool:
    """Whether this process has one thread only, so that a fork of it holds no lock that nobody will ever release.

    Elsewhere than on Linux it can't be told, and on macOS the system's own libraries do not outlive a fork.
    """
    if not sys.platform.startswith("linux"):
        return False
    # A thread that was joined is listed for a moment more.
    for _ in range(50):
        if len(os.listdir("/proc/self/task")) == 1:
            return True
        if threading.active_count() > 1:
            return False
        time.sleep(0.005)
    return False


def children(of: int | str = "self") -> list[int] | None:
    """The children of a process, ended ones included; None where the system does not say."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{of}/task"):
            with open(f"/proc/{of}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    except (FileNotFoundError, ProcessLookupError):
        # The kernel was built without this list; a thread that has just ended counts as no more than that.
        return found or None
    return found


def left_running() -> list[str]:
    """The command lines of this process' children that are still running; those that Python's own libraries keep are left out."""
    if childless():
        return []
    found = children()
    if found is None:
        return ["a child process"] if _one_runs() else []
    ours = command(os.getpid())
    running = [each for each in found if each not in _pythons_own() and _state(each) not in ("Z", "X", "")]
    return ["a fork of its own process" if command(each) == ours else command(each) for each in running]


def _one_runs() -> bool:
    """Whether a child is running, where the system does not list them: those that have ended are reaped on the way."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _pythons_own() -> set[int]:
    """The tracker and the server that `multiprocessing` keeps for as long as a process lives."""
    tracker = getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None)
    server = getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)
    return {getattr(tracker, "_pid", None) or 0, getattr(server, "_forkserver_pid", None) or 0}


def _state(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(") ")[2][:1]
    except OSError:
        return ""


def command(pid: int) -> str:
    """The command line of a process."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().rstrip(b"\0").replace(b"\0", b" ").decode("utf-8", "replace") or f"process {pid}"
    except OSError:
        return f"process {pid}"


def kill(pid: int) -> None:
    """Kill a process and its group."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)
