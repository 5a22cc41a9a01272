"""A loopback endpoint in the manner of OpenAI's chat, behind which a few rules stand in for a model that is a good news assistant.

It answers each request by what stands in it, streamed where that is asked for, so that many turns may be asked at once.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37}


OBSERVED, TASK = "Observation:\n", "New task:\n"
"""What smolagents begins the texts with by which it tells of a tool's result, and of what the user said."""


def reply(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The assistant's next message."""
    messages = [_as_tool(message) for message in messages]
    last, texts = messages[-1], [_text(message) for message in messages]
    said = next(
        text for message, text in zip(reversed(messages), reversed(texts), strict=True) if message["role"] == "user"
    )
    if last["role"] == "tool" and "no results" not in texts[-1]:
        return {"role": "assistant", "content": texts[-1]}
    if "minutes" in said:
        return {"role": "assistant", "content": "There are 60 minutes in an hour."}
    asked = sum(message["role"] == "tool" for message in messages)
    call = {"name": "search", "arguments": json.dumps({"query": f"{said} {'again' * asked}".strip()})}
    calls = [{"id": f"call_{asked}", "type": "function", "function": call}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]\n(.*?)(?=\n*\[\[ ## |\n\nRespond with|\Z)", re.S)


def in_fields(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The same message for one who asks for marked fields of text and not for calls, as DSPy's ReAct does."""
    given = FIELD.findall(_text(messages[-1]))
    told = [
        {"role": "tool", "content": text.strip()}
        for name, text in given
        if name.startswith("observation_") and text.strip() != "Completed."
    ]
    made = reply([{"role": "user", "content": dict(given)["question"].strip()}, *told])
    said = {"reasoning": "", "answer": made["content"]}
    if "`next_tool_name`" in _text(messages[0]):
        call = made["tool_calls"][0]["function"] if made.get("tool_calls") else {"name": "finish", "arguments": "{}"}
        said = {"next_thought": "", "next_tool_name": call["name"], "next_tool_args": call["arguments"]}
    text = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in {**said, "completed": ""}.items())
    return {"role": "assistant", "content": text}


def _as_tool(message: dict[str, Any]) -> dict[str, Any]:
    """A result as a tool's, also where it is told in a user's words."""
    text = _text(message)
    if message["role"] != "user" or not text.startswith((OBSERVED, TASK)):
        return message
    role = "tool" if text.startswith(OBSERVED) else "user"
    return {"role": role, "content": text.removeprefix(OBSERVED).removeprefix(TASK)}


def obliged(message: dict[str, Any], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The message of a model that has to call a tool: its text goes to the one that takes answers, where there is one."""
    if message.get("tool_calls") or "final_answer" not in [tool["function"]["name"] for tool in tools]:
        return message
    call = {"name": "final_answer", "arguments": json.dumps({"answer": message["content"]})}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "final", "type": "function", "function": call}]}


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def whole(message: dict[str, Any], model: str) -> dict[str, Any]:
    """The answer in one piece."""
    choice = {"index": 0, "message": message, "finish_reason": _reason(message), "logprobs": None}
    return {
        "id": "news",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
        "usage": USAGE,
    }


def pieces(message: dict[str, Any], model: str) -> str:
    """The answer as a stream."""
    calls = [{"index": place, **call} for place, call in enumerate(message.get("tool_calls", []))]
    delta = {**message, **({"tool_calls": calls} if calls else {})}
    first = {"index": 0, "delta": delta, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": _reason(message)}
    base = {"id": "news", "object": "chat.completion.chunk", "created": 1, "model": model}
    chunks = [{**base, "choices": [first]}, {**base, "choices": [last]}, {**base, "choices": [], "usage": USAGE}]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


class Door(BaseHTTPRequestHandler):
    """The endpoint."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat."""
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        in_text = "[[ ## " in _text(asked["messages"][0])
        message, model = (in_fields if in_text else reply)(asked["messages"]), asked["model"]
        if asked.get("tool_choice") == "required":
            message = obliged(message, asked["tools"])
        kind, body = "application/json", json.dumps(whole(message, model))
        if asked.get("stream"):
            kind, body = "text/event-stream", pieces(message, model)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body.encode())))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Newsroom:
    """The server, to be used in a `with`."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Newsroom:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
