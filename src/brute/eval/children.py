"""The child processes that tools started, and their end when a run is interrupted.

A child is known by its parent, this process, or by that parent's parent. One whose parent has ended is found too where this process
adopts orphans (Linux, and only as a program of its own: see `adopting`); elsewhere it is out of reach.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

GRACE = 0.5
"""Seconds that children have between being asked to end and being killed."""

PROC = "/proc"
_PR_SET_CHILD_SUBREAPER = 36


def childless() -> bool:
    """Whether this process has no child at all, which costs next to nothing to ask where it can be asked."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    except OSError:  # a sandbox that lets nobody ask so
        return False
    return False


def running() -> frozenset[int]:
    """The children of this process, theirs, and so on; empty where that can't be told."""
    if childless():
        return frozenset()
    parents = _parents()
    found: set[int] = set()
    new = {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return frozenset(found)


def end(spared: Iterable[int], grace: float | None = None) -> None:
    """End the children of this process but for those that are `spared`: asked at first, killed after `grace` seconds."""
    spared = frozenset(spared)
    until = time.monotonic() + (GRACE if grace is None else grace)
    asked: frozenset[int] = frozenset()
    while (left := running() - spared) and time.monotonic() < until:
        _signal(left - asked, signal.SIGTERM)
        asked |= left
        time.sleep(0.01)
    # Twice, for one that had a child of its own in between.
    for _ in range(2):
        _signal(running() - spared, getattr(signal, "SIGKILL", signal.SIGTERM))


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """A while in which children whose parent ends become this process's own, so that they can be ended (Linux only).

    For the command line alone: it changes the whole process, which a suite that runs inside somebody else's has no business to do.
    """
    _adopt(True)
    try:
        yield
    finally:
        _adopt(False)


def _adopt(on: bool) -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _parents() -> dict[int, int]:
    """The parent of each process that has not ended."""
    if os.path.exists(f"{PROC}/self/stat"):
        return dict(_proc())
    if os.name != "posix":
        return {}
    try:
        asking = subprocess.Popen(["ps", "-A", "-o", "pid=,ppid=,stat="], stdout=subprocess.PIPE, text=True)
    except OSError:
        return {}
    rows = [line.split() for line in asking.communicate()[0].splitlines()]
    return {int(row[0]): int(row[1]) for row in rows if row[2][0] != "Z" and int(row[0]) != asking.pid}


def _proc() -> Iterator[tuple[int, int]]:
    for name in os.listdir(PROC):
        if not name.isdigit():
            continue
        try:
            # The name of the program, which may hold anything, stands in parentheses before the rest.
            state, parent = _read(f"{PROC}/{name}/stat").rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):  # it has just ended
            continue
        if state != b"Z":
            yield int(name), int(parent)


def _read(path: str) -> bytes:
    """What stands in a short file; a file object would take as long as all the rest."""
    opened = os.open(path, os.O_RDONLY)
    try:
        return os.read(opened, 4096)
    finally:
        os.close(opened)
