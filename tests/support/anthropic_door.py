"""A loopback endpoint in the manner of Anthropic's messages, streamed where that is asked for: for the real Claude CLI, which the wheel brings.

One server answers for all: the key of a request says whose it is.
"""

from __future__ import annotations

import functools
import itertools
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[dict[str, Any]], "dict[str, Any] | int"]
ANSWERS: dict[str, Answer] = {}
"""What answers the requests with this key: a whole message of Anthropic's, or a status."""

_numbers = itertools.count(1)


def key(answer: Answer) -> str:
    """A key whose requests are answered by this."""
    made = f"key-{next(_numbers)}"
    ANSWERS[made] = answer
    return made


def message(content: list[dict[str, Any]], model: str, **usage: int) -> dict[str, Any]:
    """A whole message."""
    used = {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    asks = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{next(_numbers)}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if asks else "end_turn",
        "stop_sequence": None,
        "usage": {**used, **usage},
    }


def events(whole: dict[str, Any]) -> str:
    """A message as the events of a stream."""
    usage = {**whole["usage"], "output_tokens": 1}
    told = [_event("message_start", message={**whole, "content": [], "stop_reason": None, "usage": usage})]
    for index, block in enumerate(whole["content"]):
        text = block["type"] == "text"
        empty = {"type": "text", "text": ""} if text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        told.append(_event("content_block_start", index=index, content_block=empty))
        told.append(_event("content_block_delta", index=index, delta=delta))
        told.append(_event("content_block_stop", index=index))
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    told += [_event("message_delta", delta=stop, usage=whole["usage"]), _event("message_stop")]
    return "".join(told)


def _event(kind: str, **more: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"


class Door(BaseHTTPRequestHandler):
    """The endpoint."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request."""
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if "count_tokens" in self.path:
            self._send(200, "application/json", json.dumps({"input_tokens": 10}))
            return
        answer = ANSWERS[self.headers["x-api-key"]](asked)
        if isinstance(answer, int):
            error = {"type": "error", "error": {"type": "api_error", "message": "the connection was refused"}}
            self._send(answer, "application/json", json.dumps(error))
        elif asked.get("stream"):
            self._send(200, "text/event-stream", events(answer))
        else:
            self._send(200, "application/json", json.dumps(answer))

    def do_HEAD(self) -> None:
        """There is somebody."""
        self._send(200, "text/plain", "")

    def _send(self, status: int, kind: str, body: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@functools.cache
def url() -> str:
    """The address of the server, which lasts as long as the process."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
