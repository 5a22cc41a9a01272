"""The stream that a report is written to, in a form that never breaks the run."""

from __future__ import annotations

from typing import Any, TextIO


class Outlet:
    """A text stream that never raises.

    What the stream can't encode is written as an escape. Once its reader has gone (`brute eval | head`), or its disk is full,
    `closed` is true and nothing more is written: the run goes on, and its exit status still says how it went.

    >>> import io
    >>> raw = io.BytesIO()
    >>> Outlet(io.TextIOWrapper(raw, encoding="ascii")).write("caf\\u00e9")
    4
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.closed = False

    def write(self, text: str) -> int:
        """Write the text and flush it, so that a CI log shows an attempt when it ends."""
        if not self.closed:
            try:
                self._stream.write(self._encodable(text))
                self._stream.flush()
            except (OSError, ValueError):  # a ValueError: the stream was closed in this process
                self.closed = True
        return len(text)

    def flush(self) -> None:
        """Nothing to do: each write is flushed."""

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        try:
            return self._stream.isatty()
        except (AttributeError, OSError, ValueError):
            return False

    def __getattr__(self, name: str) -> Any:
        # rich asks for `encoding` and `fileno`.
        return getattr(self._stream, name)

    def _encodable(self, text: str) -> str:
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeError:
            return text.encode(encoding, "backslashreplace").decode(encoding)
        except LookupError:
            return text.encode("ascii", "backslashreplace").decode("ascii")
        return text
