"""Frames: how two processes talk over a socket. A length, a letter that says what it is, and a body of JSON."""

from __future__ import annotations

import functools
import json
import struct
from typing import Any

# As they are when this is imported: an agent may put something else into the module.
_text = functools.partial(json.JSONEncoder.encode, json.JSONEncoder(separators=(",", ":")))
_HEAD = struct.Struct(">cI")

LONGEST = 2**32 - 1
"""Bytes of a body at the most."""


def packed(kind: bytes, body: Any = None) -> bytes:
    """The frame of one message; `body` is plain data."""
    text = b"" if body is None else _text(body).encode()
    if len(text) > LONGEST:
        raise ValueError(f"a message of {len(text):,} bytes is too long to be sent from one process to another")
    return _HEAD.pack(kind, len(text)) + text


class Frames:
    """What has come in so far.

    >>> frames = Frames()
    >>> sent = packed(b"J", {"number": 1}) + packed(b"P")
    >>> frames.fed(sent[:9]), frames.fed(sent[9:])
    ([], [(b'J', b'{"number":1}'), (b'P', b'')])
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def fed(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The frames that are complete now that `data` has come."""
        self._buffer += data
        found = []
        at = 0
        while len(self._buffer) - at >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._buffer, at)
            end = at + _HEAD.size + length
            if len(self._buffer) < end:
                break
            found.append((kind, bytes(self._buffer[at + _HEAD.size : end])))
            at = end
        del self._buffer[:at]
        return found
