"""The stream that a report is written to, in a form that never breaks the run."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, TextIO

from ..masking import masked
from ..wording import exception


class Outlet:
    """A text stream that never raises.

    What the stream can't encode is written as an escape. Once its reader has gone (`brute eval | head`), or its disk is full,
    `closed` is true and nothing more is written: the run goes on. `unwritten` says why, unless it is the reader who had enough;
    so does standard error, once.

    >>> import io
    >>> raw = io.BytesIO()
    >>> Outlet(io.TextIOWrapper(raw, encoding="ascii")).write("caf\\u00e9")
    4
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.closed = False
        self.unwritten: str | None = None

    def write(self, text: str) -> int:
        """Write the text and flush it, so that a CI log shows an attempt when it ends."""
        if self.closed:
            return len(text)
        if self._stream is None:
            self._close("standard output is closed")
            return len(text)
        try:
            self._stream.write(self.ready(text))
            if hasattr(self._stream, "flush"):
                self._stream.flush()
        except BrokenPipeError:
            self.closed = True
        except (
            Exception
        ) as error:  # a disk that is full, a stream that was closed, or one of the user's own that takes no text
            self._close(exception(error))
        return len(text)

    def _close(self, why: str) -> None:
        self.closed, self.unwritten = True, why
        complain(why)

    def ready(self, text: str) -> str:
        """The text as it will be written: secrets masked, and what the stream can't encode as escapes."""
        return self._encodable(masked(text))

    def width(self) -> int | None:
        """How many cells wide the terminal is now; None for what is no terminal, and where it doesn't say."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or None if self.isatty() else None  # type: ignore[union-attr]
        except (AttributeError, OSError, ValueError):
            return None

    def flush(self) -> None:
        """Nothing to do: each write is flushed."""

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        try:
            return self._stream is not None and self._stream.isatty()
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


def complain(why: str) -> None:
    """Say on standard error that a report could not be written, and why."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"Error: the report could not be written: {masked(why)}\n")
