"""The report as plain lines: for a file, a pipe, a CI log, a terminal that wants no colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..attempt import Attempt, Job
from ..report import Report
from .lines import Line, text_of
from .outlet import Outlet
from .placing import NOWHERE, Places
from .telling import about, ended, opening
from .wrapping import Width, fitted


class Plain:
    """A reporter that writes lines without colours, each attempt's when it ends; whole lines, unless `width` says how wide one may be."""

    def __init__(self, outlet: Outlet, width: Width = lambda: None, places: Places = NOWHERE) -> None:
        self._outlet = outlet
        self._width = width
        self._places = places

    @property
    def unwritten(self) -> str | None:
        """Why the report could not be written, if so."""
        return self._outlet.unwritten

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Say how much is to come."""
        self._write([opening(plan, jobs, suite)])

    def began(self, job: Job) -> None:
        """Nothing: a log has no place for what is still going on."""

    def attempted(self, attempt: Attempt) -> None:
        """Tell how the attempt ended."""
        self._write(ended(attempt))

    def finished(self, report: Report) -> None:
        """Sum up."""
        self._write([(), *about(report, self._places)])

    def close(self) -> None:
        """Nothing: no line is ever half drawn."""

    def _write(self, lines: Iterable[Line]) -> None:
        made = fitted(lines, self._width(), self._outlet.ready)
        self._outlet.write("".join(f"{text_of(line)}\n" for line in made))
