"""A report in a file: written when the run is over, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Sequence

from ..attempt import Attempt, Job
from ..report import Report
from ..wording import exception
from .inert import inert
from .outlet import complain
from .placing import Places

Write = Callable[[Report, Places], Iterable[str]]
"""What makes a report a text, piece by piece."""


class Filed:
    """A reporter that writes one file when the run is over.

    What lay at the path before is taken away when the run begins, so that a report of another run is never taken for this one's. The
    new one appears there when it is whole. `unwritten` says why it could not be written.
    """

    def __init__(self, path: str, write: Write, places: Places) -> None:
        # An agent may change the working folder. Where a link stands, it is what that leads to that is written anew.
        self.path = os.path.abspath(path) if _is_special(path) else os.path.realpath(path)
        self.unwritten: str | None = None
        self._shown = path
        self._write = write
        self._places = places
        self._begun = False

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Take away what an earlier run left at the path."""
        if not self._begun:
            self._begun = True
            take_away(self.path)

    def began(self, job: Job) -> None:
        """Nothing: the file is about the whole run."""

    def attempted(self, attempt: Attempt) -> None:
        """Nothing: the file is about the whole run."""

    def finished(self, report: Report) -> None:
        """Write the file."""
        try:
            self._put(self._write(report, self._places))
        except Exception as error:
            # Not the name of the half that was to take its place.
            told = error.strerror if isinstance(error, OSError) and error.strerror else exception(error)
            self.unwritten = inert(f"{self._shown}: {told}", 1000)
            complain(self.unwritten)

    def _put(self, pieces: Iterable[str]) -> None:
        if _is_special(self.path):
            with open(self.path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.writelines(pieces)
            return
        folder, name = os.path.split(self.path)
        os.makedirs(folder, exist_ok=True)
        # Beside it, since only within a file system can one file take the place of another in one step.
        half = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(4)}")
        try:
            with open(half, "x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.writelines(pieces)
            os.replace(half, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(half)
            raise


def take_away(path: str) -> None:
    """Take away the file at the path, or that a link there leads to; a device or a pipe stays, and so does a link."""
    if not _is_special(path):
        with contextlib.suppress(OSError):
            os.remove(os.path.realpath(path))


def _is_special(path: str) -> bool:
    """Whether a device or a pipe stands there (/dev/stdout, /dev/null), which is written to and never replaced."""
    return os.path.exists(path) and not os.path.isfile(path)
