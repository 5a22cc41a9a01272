"""The run of several suites, one after the other, under one report."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
import threading
from collections.abc import Sequence

import click

from ...errors import ModelError
from .. import leaving
from ..attempt import Attempt, Job
from ..children import adopting
from ..report import FAILED, UNGRADED, Report, joined
from ..reporters.several import Several
from ..signals import terminable
from ..suite import Suite
from ..wording import both, plural, visible
from .keeping import Wanted
from .reporting import Files, reporters
from .writing import logged

_CANCELLED = "the run was cancelled from within: an agent cancelled every task of the loop, the run's own too"


class Relay:
    """The reporter of one suite among several: it passes everything on but the end, which is told once, for all of them."""

    def __init__(self, reporter: Several) -> None:
        self._reporter = reporter
        if hasattr(reporter, "warned"):
            self.warned = reporter.warned

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Pass it on."""
        self._reporter.started(plan, jobs, suite)

    def began(self, job: Job) -> None:
        """Pass it on."""
        self._reporter.began(job)

    def attempted(self, attempt: Attempt) -> None:
        """Pass it on."""
        self._reporter.attempted(attempt)

    def finished(self, report: Report) -> None:
        """Nothing: other suites may follow."""


def fetched_ahead() -> bool:
    """Fetch the embedded models that agents were loaded with, before any clock runs or line is drawn; whether all are there."""
    embedded = sys.modules.get("brute.completion.embedded")
    try:
        if embedded is not None:
            embedded.fetch_all()
    except ModelError as error:
        click.echo(f"Error: {visible(str(error))}", err=True)
        return False
    return True


def run(suites: Sequence[Suite], wanted: Wanted | None = None, files: Files | None = None) -> tuple[int, bool]:
    """The exit status of all suites together, reported on standard output and in `files`; and whether something was left running.

    Ctrl-C or SIGTERM ends the run, and what was finished is reported. A `UsageError` is raised when what ran before has been reported.
    """
    with logged(suites, wanted or Wanted()) as log:
        reporter = Several(*reporters(files or Files(), suites))
        reports: list[Report] = []
        try:
            with terminable(), adopting():
                interrupted = _run_each(suites, reporter, reports)
        except BaseException:
            reporter.close()
            if any(report.attempts for report in reports):
                reporter.finished(log.ended(_together(suites, reports, False)))
            raise
        report = log.ended(_together(suites, reports, interrupted))
        reporter.finished(report)
    left = any(attempt.left_behind for attempt in report.attempts) or leaving.left_behind() > 0
    # Nothing could be read of how it went, so it did not go well.
    return report.exit_status or (UNGRADED if reporter.unwritten else 0), left or _holds_up_the_end()


def _holds_up_the_end() -> bool:
    """Whether a thread is alive that the interpreter would wait for: one of a library's own, with a tool that never ends in it."""
    return any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread())


def _run_each(suites: Sequence[Suite], reporter: Several, reports: list[Report]) -> bool:
    """Run the suites and put their reports into `reports`; whether the run was interrupted."""
    try:
        for suite in suites:
            suite.reporter = Relay(reporter)
            suite.run()
            assert suite.report is not None
            reports.append(suite.report)
            if suite.fail_fast and suite.report.exit_status == FAILED:
                return False
        return False
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        note = () if isinstance(error, KeyboardInterrupt) else (_CANCELLED,)
        cut = [suite.report for suite in suites[len(reports) :] if suite.report is not None]
        reports += [dataclasses.replace(report, notes=(*report.notes, *note)) for report in cut]
        return True


def _together(suites: Sequence[Suite], reports: Sequence[Report], interrupted: bool) -> Report:
    """One report on all suites, with a note on those that were not begun."""
    report = joined(reports)
    left = [suite.name for suite in suites if suite.report is None]
    notes = [f"{plural(len(left), 'suite')} not begun: {both(left)}"] if left and len(suites) > 1 else []
    meter = suites[0].meter
    notes += meter.notes() if meter is not None else []
    return dataclasses.replace(report, interrupted=report.interrupted or interrupted, notes=(*report.notes, *notes))
