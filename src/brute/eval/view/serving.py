"""The server of the view: a socket that only this machine can reach unless it is asked to be otherwise, and its end at Ctrl-C."""

from __future__ import annotations

import errno
import importlib
import ipaddress
import logging
import os
import secrets
import signal
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import MissingExtra, UsageError
from ..signals import HEEDED

if TYPE_CHECKING:
    import uvicorn

    from .gate import Gate

GRACE = 0
"""Seconds that an answer which is on its way has when the server ends: a reader that has gone would be waited for, for ever."""


def check_extra() -> None:
    """Raise `MissingExtra` where the libraries are not installed."""
    try:
        for name in ("starlette.applications", "uvicorn"):
            importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(f"brute view ({error})", "view") from error


def bound(host: str, port: int | None, exposed: bool = False) -> socket.socket:
    """A socket that listens at the port, or at a free one. Raises `UsageError` where it can't, or where others could reach it unasked."""
    number = _address(host)
    if not number.is_loopback and not exposed:
        raise UsageError(
            f"--host {host} lets other machines read the log; add --expose if they are meant to, or leave out --host"
        )
    made = socket.socket(socket.AF_INET6 if number.version == 6 else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            # A port that was just used by another is free again; elsewhere the option would take it from who has it.
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((str(number), port or 0))
        # From here on a browser may come, and waits for the server.
        made.listen(128)
    except OSError as error:
        made.close()
        raise UsageError(_why(host, port, error)) from error
    return made


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host.strip("[]"))
    except ValueError:
        raise UsageError(f"--host must be an address, such as 127.0.0.1 or ::1, or localhost; got {host!r}") from None


def _why(host: str, port: int | None, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; choose another one, or leave out --port to have a free one"
    if error.errno == errno.EACCES:
        return f"port {port} of {host} is not for you to use ({error.strerror}); choose one above 1023, or leave out --port"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"--host {host} is no address of this machine"
    return f"no server can listen on {host}: {error.strerror or error}"


def new_token() -> str:
    """What whoever reads the log has to know: 256 bits, for as long as the server runs."""
    return secrets.token_urlsafe(32)


def address(made: socket.socket, path: str) -> str:
    """The address of a path at the server that listens at the socket."""
    host, port = made.getsockname()[:2]
    # What listens everywhere has no address of its own.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"


def server(gate: Gate) -> uvicorn.Server:
    """The server, which says nothing by itself: neither paths, which hold the token, nor what strangers send."""
    import anyio.lowlevel
    import uvicorn

    class Prompt(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await super().shutdown(sockets)
            # Who does not read what was sent would keep the connection for ever.
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await anyio.lowlevel.checkpoint()

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    config = uvicorn.Config(
        gate,
        http="h11",
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )
    return Prompt(config)


def serve(gate: Gate, made: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM, and cut off what is on its way then; `ready` is called when they end the server, and nothing else."""
    running = server(gate)

    def end(*_: object) -> None:
        running.should_exit = True

    before = {number: signal.signal(number, end) for number in HEEDED}
    try:
        ready()
        running.run(sockets=[made])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
