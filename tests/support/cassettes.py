"""A loopback server that answers real SDKs with what real providers once answered, or with what goes wrong.

`Loopback([...])` serves its replies in order and keeps the requests that came. A reply is an `Exchange` of a cassette
(`../shared/cases/cassettes`, absent from a bare clone: tests then skip) or a `Fault`. After the last reply it answers
599, which no provider uses, so that one call too many cannot pass unseen.

`Model` does not stream, so a streamed exchange is served folded: the events of an OpenAI chat stream put together
into the one object that they are deltas of, and of an OpenAI Responses stream the `response.completed` event, which
holds the whole response. Nothing is added; the token counts are those of the recorded stream.
"""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import pytest

CASSETTES = Path(__file__).parents[2] / ".." / "shared" / "cases" / "cassettes"


@dataclasses.dataclass(frozen=True)
class Exchange:
    """One request that was recorded, and the answer to it, folded where it was a stream."""

    path: str
    request: dict[str, Any]
    status: int
    body: str
    content_type: str = "application/json"

    @property
    def answer(self) -> dict[str, Any]:
        """The answer as JSON."""
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclasses.dataclass(frozen=True)
class Fault:
    """One answer that goes wrong.

    `kind`: `status` answers `status` with `body`; `drop` closes the connection without a word; `cut` closes it in the
    middle of the body; `hang` says nothing until the server stops.
    """

    kind: Literal["status", "drop", "cut", "hang"] = "status"
    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    content_type: str = "application/json"


@dataclasses.dataclass(frozen=True)
class Received:
    """One request that came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


Reply = Exchange | Fault


def cassette(name: str) -> list[Exchange]:
    """The exchanges with a model that a cassette file holds, in order; the test skips where there is none."""
    path = CASSETTES / name
    if not path.exists():
        pytest.skip(f"no recorded answers at {CASSETTES} (a clone without ../shared/cases)")
    # A tracing service was recorded along with one of the agents.
    return [_exchange(raw) for raw in json.loads(path.read_text()) if "/traces/" not in raw["path"]]


def names() -> list[str]:
    """The cassette files there are."""
    return sorted(str(path.relative_to(CASSETTES)) for path in CASSETTES.glob("*/*.json"))


def _exchange(raw: Mapping[str, Any]) -> Exchange:
    body = raw["body"]
    if "event-stream" in raw["content_type"]:
        body = json.dumps(folded(body))
    return Exchange(path=raw["path"], request=raw["request"], status=raw["status"], body=body)


def folded(stream: str) -> dict[str, Any]:
    """The one object that the events of a stream make."""
    events = [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: {")]
    for event in events:
        if event.get("type") == "response.completed":
            whole: dict[str, Any] = event["response"]
            return whole
    return _chat(events)


def _chat(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: dict[int, dict[str, Any]] = {}
    finish, usage = None, None
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            finish = choice.get("finish_reason") or finish
            _add(choice["delta"], message, calls)
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    first = chunks[0]
    whole = {name: first[name] for name in ("id", "created", "model", "service_tier", "system_fingerprint")}
    choices = [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}]
    return {**whole, "object": "chat.completion", "choices": choices, "usage": usage}


def _add(delta: Mapping[str, Any], message: dict[str, Any], calls: dict[int, dict[str, Any]]) -> None:
    if delta.get("content"):
        message["content"] = (message["content"] or "") + delta["content"]
    for part in delta.get("tool_calls") or ():
        call = calls.setdefault(
            part["index"], {"id": part.get("id"), "type": "function", "function": {"name": "", "arguments": ""}}
        )
        for name in ("name", "arguments"):
            call["function"][name] += part["function"].get(name) or ""


class Loopback:
    """A server on this machine that plays replies in order; `requests` are those that came.

    `closes`: each connection is closed after its reply, for clients that leave theirs open.
    """

    def __init__(self, replies: Iterable[Reply], *, closes: bool = False) -> None:
        self.closes = closes
        self.requests: list[Received] = []
        self._replies = list(replies)
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._door())
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The address of the server, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def left(self) -> int:
        """How many replies have not been asked for."""
        return len(self._replies)

    def next(self, received: Received) -> Reply:
        """The reply to this request."""
        with self._lock:
            self.requests.append(received)
            return self._replies.pop(0) if self._replies else Fault(status=599, body='{"error": "no reply is left"}')

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _door(self) -> type[BaseHTTPRequestHandler]:
        loopback = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 5  # a connection left open by a client must not hold up the end

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                received = Received(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body))
                reply = loopback.next(received)
                if isinstance(reply, Fault) and reply.kind != "status":
                    self._fail(reply)
                else:
                    self._answer(reply)

            def _fail(self, fault: Fault) -> None:
                if fault.kind == "hang":
                    loopback._over.wait(30)
                if fault.kind == "cut":
                    self._head(Fault(headers=fault.headers), 1000)
                    self.wfile.write(b'{"id": "half an ans')
                self.close_connection = True

            def _answer(self, reply: Reply) -> None:
                body = reply.body.encode()
                self._head(reply, len(body))
                self.wfile.write(body)

            def _head(self, reply: Reply, length: int) -> None:
                self.send_response(reply.status)
                self.send_header("content-type", reply.content_type)
                self.send_header("content-length", str(length))
                if loopback.closes:
                    self.send_header("connection", "close")
                for name, value in getattr(reply, "headers", {}).items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Door


def serve(*replies: Reply, closes: bool = False) -> Loopback:
    """A server with these replies, to be used in a `with`."""
    return Loopback(replies, closes=closes)


def turns(exchanges: list[Exchange], ends: Any) -> Iterator[list[Exchange]]:
    """The exchanges of each turn: up to and with the first answer that `ends` it."""
    turn: list[Exchange] = []
    for exchange in exchanges:
        turn.append(exchange)
        if ends(exchange):
            yield turn
            turn = []
    if turn:
        yield turn
