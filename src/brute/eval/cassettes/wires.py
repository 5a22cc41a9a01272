"""The ways out of the process that are watched while a run records or replays: the HTTP libraries that clients of models use, and sockets.

Each library is watched where all its requests go by (`Client.send` of httpx and of its fork httpx2, `Session.send` of requests, `ClientSession`
of aiohttp), so that no client has to be built in another way. Outside an attempt that is taped nothing changes.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

from . import aiohttp_wire, httpx_wire, requests_wire, sockets
from .exchanging import Undo

_LIBRARIES: dict[str, Callable[[Any], Undo]] = {
    "httpx": httpx_wire.watch,
    "httpx2": httpx_wire.watch,
    "aiohttp": aiohttp_wire.watch,
    "requests": requests_wire.watch,
}

_lasting = 0
_undo: list[Undo] = []


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """A while in which they are watched; runs may overlap."""
    global _lasting
    if _lasting == 0:
        _undo[:] = [*_libraries(), sockets.watch()]
    _lasting += 1
    try:
        yield
    finally:
        _lasting -= 1
        if _lasting == 0:
            while _undo:
                _undo.pop()()


def _libraries() -> Iterator[Undo]:
    for name, watch in _LIBRARIES.items():
        # Also one that the agent imports only later.
        if importlib.util.find_spec(name) is None:
            continue
        with contextlib.suppress(ImportError):  # a broken installation is the agent's to find out
            yield watch(importlib.import_module(name))
