"""The choice between the two reports for people: plain lines, or colours and a live line of progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from .live import Live
from .outlet import Outlet
from .plain import Plain


def terminal(stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> Plain | Live:
    """The reporter for `stream` (standard output): live on a terminal, plain elsewhere and where colours are not wanted.

    >>> import io
    >>> type(terminal(io.StringIO())).__name__
    'Plain'
    """
    outlet = Outlet(stream if stream is not None else sys.stdout)
    return Live(outlet) if outlet.isatty() and not _wants_plain(environ) else Plain(outlet)


def _wants_plain(environ: Mapping[str, str]) -> bool:
    """Whether the environment asks for plain lines: https://no-color.org, a terminal that can't move its cursor, a CI log."""
    return bool(environ.get("NO_COLOR") or environ.get("CI")) or environ.get("TERM", "") in ("dumb", "unknown")
