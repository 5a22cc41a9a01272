"""How far the attempts have come, on a terminal where pytest has nothing to say before they are made."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ..attempt import Attempt
from ..report import Report
from ..reporters.lines import seconds
from ..suite import Suite
from ..wording import plural

PERIOD = 0.2
"""Seconds between two times that the line is drawn."""


class Progress:
    """A line on pytest's terminal that tells how many attempts have ended; elsewhere, and with `-q`, nothing.

    While an item is set up pytest captures all output, which is let go for the moment that a line takes.
    """

    def __init__(
        self, config: pytest.Config, suites: Sequence[Suite], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.terminal: Any = config.pluginmanager.getplugin("terminalreporter")
        self.capture: Any = config.pluginmanager.getplugin("capturemanager")
        self.clock = clock
        self.total = sum(case.runs for suite in suites for case in suite.cases)
        self.ended: Counter[str] = Counter()
        self.drawn: float | None = None
        self.shown = self.terminal is not None and self.terminal.isatty and self.terminal.verbosity >= 0

    def attempted(self, attempt: Attempt) -> None:
        """Count one."""
        self.ended[attempt.status] += 1
        if self.drawn is None or self.clock() - self.drawn >= PERIOD:
            self._draw(f"evals: {self.ended.total():,} of {plural(self.total, 'attempt')}{self._counts()}")
            self.drawn = self.clock()

    def end(self, report: Report | None) -> None:
        """Leave the line as it is at the end; pytest goes on below it."""
        if report is not None:
            self._draw(f"evals: {plural(self.ended.total(), 'attempt')}{self._counts()} in {seconds(report.seconds)} s")
            if self.shown:
                self.terminal.currentfspath = None

    def _counts(self) -> str:
        counts = ", ".join(f"{self.ended[status]:,} {status}" for status in ("failed", "error") if self.ended[status])
        return f" ({counts})" if counts else ""

    def _draw(self, line: str) -> None:
        if not self.shown:
            return
        if self.capture is None:
            self._write(line)
            return
        with self.capture.global_and_fixture_disabled():
            self._write(line)

    def _write(self, line: str) -> None:
        if self.drawn is None:
            self.terminal.ensure_newline()
        self.terminal.rewrite(line, erase=True)
        self.terminal.flush()
