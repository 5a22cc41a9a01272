"""The report on a terminal: each attempt's lines in colours, and under them a line that says how far the run has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..attempt import Attempt, Job
from ..report import Report
from .inert import inert
from .lines import Line
from .outlet import Outlet
from .placing import NOWHERE, Places
from .progress import Progress
from .telling import about, ended, opening
from .wrapping import fitted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live as Region
    from rich.text import Text


class Live:
    """A reporter for terminals. `rich` is imported when one is made, and draws `refreshes` times a second (0: only with each attempt).

    `console` and `clock` are for tests.
    """

    def __init__(
        self,
        outlet: Outlet,
        places: Places = NOWHERE,
        *,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
        refreshes: float = 5,
    ) -> None:
        from rich.console import Console

        self._outlet = outlet
        self._places = places
        self._console = console or Console(file=outlet, highlight=False, markup=False, emoji=False)  # type: ignore[arg-type]
        self._clock = clock
        self._refreshes = refreshes
        self._begun: float | None = None
        self._progress = Progress()
        self._region: Region | None = None

    @property
    def unwritten(self) -> str | None:
        """Why the report could not be written, if so."""
        return self._outlet.unwritten

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Say how much is to come, and begin to draw."""
        self._begun = self._begun or self._clock()
        self._progress.total += len(plan)
        self._print([opening(plan, jobs, suite)])
        self._draw()

    def began(self, job: Job) -> None:
        """Show that the attempt is under way."""
        self._progress.began(job)

    def attempted(self, attempt: Attempt) -> None:
        """Tell how the attempt ended, above the line of progress."""
        self._progress.attempted(attempt)
        self._print(ended(attempt))

    def warned(self, sentence: str) -> None:
        """Say what is wrong while it lasts, above the line of progress; called on another thread."""
        self._print([((f"warning: {inert(sentence, 1000)}", "bold yellow"),)])

    def finished(self, report: Report) -> None:
        """Take the line of progress away, and sum up."""
        self.close()
        self._print([(), *about(report, self._places)])

    def close(self) -> None:
        """Stop drawing; for a run that ends without a report."""
        if self._region is not None:
            self._region.stop()
            self._region = None

    def __rich__(self) -> Text:
        """The line of progress as it stands now, cut to the width of the terminal."""
        return _text(self._progress.line(self._clock() - (self._begun or 0.0)), no_wrap=True, overflow="ellipsis")

    def _draw(self) -> None:
        from rich.live import Live as Region

        if self._region is None and self._console.is_terminal:
            rate = self._refreshes
            self._region = Region(
                self, console=self._console, transient=True, auto_refresh=rate > 0, refresh_per_second=rate or 1
            )
            self._region.start()
            # A process that is killed must not leave a terminal without its cursor.
            self._console.show_cursor(True)

    def _print(self, lines: Iterable[Line]) -> None:
        made = [_text(line) for line in fitted(lines, self._console.width, self._outlet.ready)]
        self._console.print(*made, sep="\n", soft_wrap=True)


def _text(line: Line, **options: Any) -> Text:
    from rich.text import Text

    return Text.assemble(*line, **options)
