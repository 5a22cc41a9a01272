"""The condition that an attempt finds its process in, and leaves it in to the next.

What can be put back as it was is put back; where something can't be, the worker is replaced. Only the process is watched, not what a module of
the user's or a library's remembers.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import json
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

_WATCHED: tuple[Any, ...] = (
    builtins, os, sys, time, json, random, threading, socket, asyncio, asyncio.events, asyncio.tasks, json.JSONEncoder, json.JSONDecoder,
)  # fmt: skip
"""The modules and classes whose functions everybody relies on, the harness too."""

# Without the names that the other one makes of numbers, which takes longer than all the rest.
_handler: Any = getattr(sys.modules.get("_signal"), "getsignal", signal.getsignal)
_HANDLED = tuple(signal.valid_signals()) if hasattr(signal, "valid_signals") else ()
_STREAMS = ("stdin", "stdout", "stderr")


class Condition:
    """The condition of this process when it is made. `memory`: the worker sets a limit on its address space for each attempt."""

    def __init__(self, memory: bool) -> None:
        self._limited = _limited(memory)
        self._environ = dict(os.environ)
        self._encoded = _encoded()
        self._folder = _folder()
        self._path = list(sys.path)
        self._umask = _umask()
        self._kept = self._fixed()
        self._homes = [(home, dict(vars(home))) for home in _WATCHED]

    def restored(self) -> bool:
        """Put back what the attempt has changed; whether all is as it was."""
        self._put_back()
        return self._kept == self._fixed() and all(_holds(home, held) for home, held in self._homes)

    def _put_back(self) -> None:
        if _encoded() != self._encoded:
            with contextlib.suppress(Exception):
                _replace(os.environ, self._environ)
        if sys.path != self._path:
            sys.path[:] = self._path
        if self._folder and _folder() != self._folder:
            with contextlib.suppress(OSError):
                os.chdir(self._folder)
        if _umask() != self._umask:
            os.umask(self._umask)

    def _fixed(self) -> list[Any]:
        """What is not put back, or was not, as it is now."""
        return [
            _folder(),
            type(os.environ),
            [_file(descriptor) for descriptor in range(3)],
            [limit() for limit in self._limited],
            [_handler(number) for number in _HANDLED],
            [id(getattr(sys, name, None)) for name in _STREAMS],
        ]


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def _file(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _replace(environ: Any, by: dict[str, str]) -> None:
    for name in [name for name in environ if name not in by]:
        del environ[name]
    environ.update({name: value for name, value in by.items() if environ.get(name) != value})


def _limited(memory: bool) -> list[Callable[[], Any]]:
    """What answers the limits of this process; of its address space the hard one alone where the worker sets the other."""
    import resource  # POSIX has it

    def of(number: int) -> Callable[[], Any]:
        if memory and number == resource.RLIMIT_AS:
            return lambda: resource.getrlimit(number)[1]
        return lambda: resource.getrlimit(number)

    return [of(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")]


def _encoded() -> dict[Any, Any]:
    """The environment, as quickly as it can be copied."""
    return dict(getattr(os.environ, "_data", os.environ))


def _holds(home: Any, held: dict[str, Any]) -> bool:
    """Whether a module or class still holds the functions and classes that it held; something else may have come or changed."""
    now = vars(home)
    if now == held:
        return True
    return all(now.get(name) is value for name, value in held.items() if callable(value))
