"""The choice between the two reports for people: plain lines, or colours and a live line of progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from .live import Live
from .outlet import Outlet
from .placing import NOWHERE, Places
from .plain import Plain


def terminal(
    stream: TextIO | None = None, environ: Mapping[str, str] = os.environ, places: Places = NOWHERE
) -> Plain | Live:
    """The reporter for `stream` (standard output): live on a terminal, plain elsewhere and where colours are not wanted.

    Lines are fitted to a terminal, and whole elsewhere and in a CI log, where somebody may search them and the viewer knows how wide it is.

    >>> import io
    >>> type(terminal(io.StringIO())).__name__
    'Plain'
    """
    outlet = Outlet(stream if stream is not None else sys.stdout)
    if outlet.isatty() and not _wants_plain(environ):
        return Live(outlet, places)
    return Plain(outlet, lambda: width(outlet, environ), places)


def width(outlet: Outlet, environ: Mapping[str, str] = os.environ) -> int | None:
    """How wide a line may be now; None where lines are left whole."""
    return None if _is_ci(environ) else outlet.width()


def _wants_plain(environ: Mapping[str, str]) -> bool:
    """Whether the environment asks for plain lines: https://no-color.org, a terminal that can't move its cursor, a CI log."""
    return bool(environ.get("NO_COLOR")) or _is_ci(environ) or environ.get("TERM", "") in ("dumb", "unknown")


def _is_ci(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("CI") or environ.get("GITHUB_ACTIONS"))
