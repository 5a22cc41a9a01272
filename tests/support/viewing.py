"""The live view of a log, on a real server on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from brute.eval.view.app import application
from brute.eval.view.gate import Gate
from brute.eval.view.serving import address, bound, new_token, server


@contextlib.contextmanager
def viewing(path: Path, narrow: bool = False) -> Iterator[str]:
    """The address of the view of the log at `path`, while a server for it runs on a thread.

    `narrow`: the system keeps next to nothing of what is sent for a reader that does not read.
    """
    token, made = new_token(), bound("127.0.0.1", None)
    if narrow:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    running = server(Gate(application(str(path)), token))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [made]})
    thread.start()
    try:
        yield address(made, f"/{token}/")
    finally:
        running.should_exit = True
        thread.join(30)
        assert not thread.is_alive()
        made.close()
