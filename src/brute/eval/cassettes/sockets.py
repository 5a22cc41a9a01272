"""The last guard of a replay: no socket is connected, and no name looked up, in a turn whose model is frozen."""

from __future__ import annotations

import asyncio.base_events
import socket
from typing import Any

from ...calling import inside
from . import wording
from .exchanging import Undo, all_of, exchanged
from .scope import current, passing
from .sides import BOTH, MODEL

_INTERNET = (socket.AF_INET, socket.AF_INET6)


class Unsent(ConnectionRefusedError):
    """What would have left to the network, and did not."""


def _refuse(where: Any) -> None:
    """Raise where nothing may go out: what is known already may, and what a live tool does."""
    tape = current.get()
    if tape is None or MODEL not in tape.frozen or passing.get():
        return
    if tape.frozen != BOTH and inside.get() is not None:
        return
    sentence = wording.beside_the_recording(_host(where))
    tape.fail(sentence)
    raise Unsent(sentence)


def _host(address: Any) -> str:
    parts = address if isinstance(address, tuple) else (address,)
    return ":".join(str(part.decode() if isinstance(part, bytes) else part) for part in parts[:2])


def watch() -> Undo:
    """Watch all sockets of the process."""
    # Of what `sendmsg` takes, only the fourth is an address; without one it goes to where the socket is connected.
    methods = [_exchange_method(name) for name in ("connect", "connect_ex", "sendto")]
    if hasattr(socket.socket, "sendmsg"):
        methods.append(_exchange_method("sendmsg", 3))
    return all_of([*methods, _lookups(), *map(_exchange_lookup, _LOOKUPS)])


def _exchange_method(name: str, place: int = -1) -> Undo:
    inherited = name not in socket.socket.__dict__
    plain: Any = getattr(socket.socket, name)

    def method(self: socket.socket, *args: Any) -> Any:
        if self.family in _INTERNET and place < len(args) and args:
            _refuse(args[place])
        return plain(self, *args)

    if not inherited:
        return exchanged(socket.socket, name, method)
    setattr(socket.socket, name, method)

    def undo() -> None:
        if socket.socket.__dict__.get(name) is method:
            delattr(socket.socket, name)

    return undo


_LOOKUPS = ("gethostbyname", "gethostbyname_ex", "gethostbyaddr")


def _exchange_lookup(name: str) -> Undo:
    plain: Any = getattr(socket, name)

    def lookup(host: Any) -> Any:
        _refuse(host)
        return plain(host)

    return exchanged(socket, name, lookup)


def _lookups() -> Undo:
    loops: Any = asyncio.base_events.BaseEventLoop
    plain, plain_async = socket.getaddrinfo, loops.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *args: Any, **named: Any) -> Any:
        if host is not None:
            _refuse((host, port))
        return plain(host, port, *args, **named)

    async def getaddrinfo_async(self: Any, host: Any, port: Any, **named: Any) -> Any:
        if host is not None:
            _refuse((host, port))
        return await plain_async(self, host, port, **named)

    return all_of([exchanged(socket, "getaddrinfo", getaddrinfo), exchanged(loops, "getaddrinfo", getaddrinfo_async)])
