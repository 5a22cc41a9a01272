"""A server on this machine that answers with raw bytes: in pieces, compressed, broken off."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], Sequence[bytes], bool]
"""Status, headers, pieces of the body, and whether it is broken off behind them."""


class Wire:
    """The server; `requests` are the bodies that came, in order."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.requests: list[bytes] = []
        self.replies = list(replies)
        wire = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 5

            def do_POST(self) -> None:
                wire.requests.append(self.rfile.read(int(self.headers.get("content-length", 0))))
                status, headers, pieces, cut = wire.replies.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("transfer-encoding", "chunked")
                self.send_header("connection", "close")
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                if not cut:
                    self.wfile.write(b"0\r\n\r\n")
                self.close_connection = True

            do_GET = do_POST

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.server.daemon_threads = False

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"


@contextmanager
def wired(*replies: Reply) -> Iterator[Wire]:
    """Such a server, for a while."""
    wire = Wire(replies)
    thread = threading.Thread(target=wire.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield wire
    finally:
        wire.server.shutdown()
        wire.server.server_close()
        thread.join()
