"""A fake of OpenAI's chat completions on loopback, in a process of its own, so that what it costs is on nobody's bill.

Where the last message is the user's it asks for a tool, where it is a tool's result it answers the text, both with usage.
The address says how long it takes: `/lat/1000/v1/chat/completions` answers after 1,000 milliseconds.

The process ends when its standard input does, which is also what happens when whoever started it is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator

PATIENCE = 5.0
"""Seconds that the process has to end by itself."""

_SAYS: dict[str, dict[str, object]] = {
    "asks": {
        "message": {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"query": "Bank of England rate"}'},
                }
            ],
        },
        "finish_reason": "tool_calls",
    },
    "answers": {
        "message": {"role": "assistant", "content": "It held Bank Rate at 4.25%."},
        "finish_reason": "stop",
    },
}
_USED = {
    "asks": {"prompt_tokens": 50, "completion_tokens": 12, "total_tokens": 62},
    "answers": {"prompt_tokens": 90, "completion_tokens": 14, "total_tokens": 104},
}


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """A running endpoint: its port, and the id of its process."""

    port: int
    pid: int

    def url(self, latency: int = 0) -> str:
        """The base URL under which each answer takes `latency` milliseconds."""
        return f"http://127.0.0.1:{self.port}/lat/{latency}/v1"


@contextlib.contextmanager
def endpoint() -> Iterator[Endpoint]:
    """A running endpoint; its process is gone afterwards."""
    # Isolated, since a script's own folder would come first on the path, and this one holds an http.py. It needs no packages.
    command = [sys.executable, "-I", "-S", os.path.abspath(__file__)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Endpoint(int(process.stdout.readline()), process.pid)
        finally:
            process.stdin.close()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


@contextlib.contextmanager
def apart(running: Endpoint) -> Iterator[None]:
    """Keep this process and the endpoint on a processor each, if there are two and the system lets itself be told.

    A process that is moved to where the other has just been finds nothing of its own in the caches, and which of the two sides that
    happens to is chance.
    """
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) == 1:
        yield
        return
    every = os.sched_getaffinity(0)
    *others, last = sorted(every)
    os.sched_setaffinity(running.pid, others)
    os.sched_setaffinity(0, {last})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def _response(status: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    return head.encode() + content


def _completion(said: str) -> bytes:
    choices = [{"index": 0, **_SAYS[said]}]
    body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": "fake"}
    return _response("200 OK", {**body, "choices": choices, "usage": _USED[said]})


_COMPLETIONS = {said: _completion(said) for said in _SAYS}
_LOST = _response("404 Not Found", {"error": {"message": "POST /lat/MILLISECONDS/v1/chat/completions is all there is"}})
_UNREAD = _response("400 Bad Request", {"error": {"message": "the body is no chat completion request"}})


class Connection(asyncio.Protocol):
    """One connection, which may be used again and again."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.data = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete by now."""
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            path, length = _head(bytes(self.data[:end]))
            if len(self.data) < end + 4 + length:
                return
            body = bytes(self.data[end + 4 : end + 4 + length])
            del self.data[: end + 4 + length]
            latency, answer = _answer(path, body)
            if latency:
                self.loop.call_later(latency, self.transport.write, answer)
            else:
                self.transport.write(answer)


def _head(head: bytes) -> tuple[str, int]:
    """The path and the length of the body."""
    first, *lines = head.decode("latin-1").split("\r\n")
    for line in lines:
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return first.split(" ")[1], int(value)
    return first.split(" ")[1], 0


def _answer(path: str, body: bytes) -> tuple[float, bytes]:
    """The seconds to wait, and what to send then."""
    match path.split("/"):
        case ["", "lat", milliseconds, "v1", "chat", "completions"] if milliseconds.isdecimal():
            try:
                last = json.loads(body)["messages"][-1]["role"]
            except (ValueError, LookupError, TypeError):
                return 0, _UNREAD
            return int(milliseconds) / 1000, _COMPLETIONS["answers" if last == "tool" else "asks"]
    return 0, _LOST


def many_files() -> None:
    """Let this process hold as many connections as the system allows it."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def serve() -> None:
    """Say the port, and answer until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(loop), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    many_files()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
