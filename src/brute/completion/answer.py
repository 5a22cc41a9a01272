"""What came back over the wire, as it was: the libraries above hand on only what they made of it."""

from __future__ import annotations

import contextvars
import json
from typing import Any

from ..errors import ModelError


class TooLong(ModelError):
    """An answer that was left before its end: what our own end of the wire refuses."""


class Answer:
    """What came back over the wire for one request: the status, and the body as it was."""

    __slots__ = ("_data", "body", "status")

    def __init__(self, status: int, body: bytes) -> None:
        self.status = status
        self.body = body
        self._data: Any = _UNREAD

    @property
    def data(self) -> Any:
        """The body read as JSON, or None where it is none."""
        if self._data is _UNREAD:
            try:
                self._data = json.loads(self.body)
            except (ValueError, RecursionError):
                self._data = None
        return self._data


_UNREAD = object()
answers: contextvars.ContextVar[list[Answer] | None] = contextvars.ContextVar("brute.answers", default=None)
"""Where the call under way wants its answers put: the libraries above hand on only what they made of them."""
