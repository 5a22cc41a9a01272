"""Requests over HTTP and their answers as plain data, whichever library carries them."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KEPT = ("retry-after", "retry-after-ms", "x-should-retry")
"""The headers of an answer that are kept besides its type: those by which a client decides whether to try again."""

_LINES = ("event-stream", "ndjson", "jsonl", "json-seq", "jsonlines")
_SECRET = re.compile(r"(?i)key|token|secret|signature|^sig$|credential")
_NAMED = re.compile(
    r":(stream)?(generateContent|rawPredict|predict|generateAnswer|embedContent|batchEmbedContents|countTokens)$"
    r"|/model/[^/]+/(converse|invoke)(-stream|-with-response-stream)?$",
    re.IGNORECASE,
)
_TELEMETRY = re.compile(
    r"/v1/(traces|metrics|logs)$|/traces/ingest$|^(/api/v1)?/runs(/batch|/multipart|/[0-9a-f-]{36})?$"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """A request as it would go out."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def host(self) -> str:
        """Where it would go to."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def path(self) -> str:
        """The path of its address."""
        return urlsplit(self.url).path

    @property
    def data(self) -> Any:
        """The body read as JSON, or None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    def asked(self) -> dict[str, Any]:
        """What counts of the request: neither the host nor the headers do."""
        made: dict[str, Any] = {"method": self.method.upper(), "path": self.path}
        query = {n: v for n, v in parse_qsl(urlsplit(self.url).query) if not _SECRET.search(n)}
        if query:
            made["query"] = query
        if not self.body:
            return made
        data = self.data
        return {**made, "body": data} if data is not None else {**made, **self._text()}

    def _text(self) -> dict[str, Any]:
        boundary = re.search(r'boundary="?([^";]+)', self.headers.get("content-type", ""))
        # Made at random for each request.
        body = self.body.replace(boundary[1].encode(), b"boundary") if boundary else self.body
        try:
            return {"text": body.decode()}
        except UnicodeDecodeError:
            return {"sha256": hashlib.sha256(body).hexdigest(), "bytes": len(body)}

    @property
    def to_tool_server(self) -> bool:
        """Whether it goes to a server of tools, which speaks the Model Context Protocol."""
        if any(name.lower().startswith("mcp-") for name in self.headers):
            return True
        data = self.data
        first = data[0] if isinstance(data, list) and data else data
        return isinstance(first, dict) and first.get("jsonrpc") == "2.0"

    @property
    def to_model(self) -> bool:
        """Whether it looks like one to a model: it names one, and has something to say to it."""
        if _NAMED.search(self.path):
            return True
        data = self.data
        return isinstance(data, dict) and "model" in data and bool(data.keys() & {"messages", "input", "prompt"})

    @property
    def is_telemetry(self) -> bool:
        """Whether it only tells somebody what was done."""
        return bool(_TELEMETRY.search(self.path))


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its status, the headers that count, its body; and how it broke off, where it did (`raised`, as plain data)."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    raised: Mapping[str, Any] | None = None

    def told(self) -> dict[str, Any]:
        """The answer as a cassette has it: JSON as JSON, a stream line by line, a text as it is, anything else in base64."""
        lower = {name.lower(): value for name, value in self.headers.items()}
        kind = lower.get("content-type", "")
        made: dict[str, Any] = {"status": self.status}
        if kind:
            made["type"] = kind
        kept = {name: lower[name] for name in KEPT if name in lower}
        if kept:
            made["headers"] = kept
        return {**made, **self._body(kind)}

    def _body(self, kind: str) -> dict[str, Any]:
        try:
            text = self.body.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(self.body).decode()}
        if any(sign in kind for sign in _LINES):
            return {"lines": text.split("\n")}
        if "json" in kind:
            try:
                return {"json": json.loads(text, parse_constant=_refuse)}
            except (ValueError, RecursionError):
                pass
        return {"text": text} if text else {}

    @classmethod
    def heard(cls, told: Mapping[str, Any]) -> Answer:
        """The answer that `told` gave the data for. A wait that the provider asked for is over."""
        headers = {"content-type": told["type"]} if "type" in told else {}
        for name, value in told.get("headers", {}).items():
            if not name.startswith("retry-after"):
                headers[name] = value
        if told["status"] >= 400:
            headers["retry-after-ms"] = "1"
        return cls(told["status"], headers, _bytes(told))


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _bytes(told: Mapping[str, Any]) -> bytes:
    if "json" in told:
        return json.dumps(told["json"], ensure_ascii=False).encode("utf-8", "surrogatepass")
    if "lines" in told:
        return "\n".join(told["lines"]).encode("utf-8", "surrogatepass")
    if "base64" in told:
        return base64.b64decode(told["base64"])
    return str(told.get("text", "")).encode("utf-8", "surrogatepass")
