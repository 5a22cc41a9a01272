"""The log of a command: one run for all of its suites."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from ...errors import UsageError
from .. import places
from ..keeping import Log
from ..report import Report
from ..reporters.inert import inert
from ..resuming import Resumption, unfinished
from ..runlog import Recording, RunLog
from ..suite import Suite
from ..wording import plural
from .keeping import Wanted, place
from .logs import opened


class Logged:
    """The run of a command in its log; without a log, nothing."""

    def __init__(self, recording: Recording | None = None) -> None:
        self.recording = recording

    def ended(self, report: Report) -> Report:
        """The report, with what is to be said about the log, once the end of the run is on the disk."""
        if self.recording is None:
            return report
        self.recording.end(report)
        if report.interrupted and self.recording.error is None:
            shown = self.recording.log.shown
            where = f" --log {shlex.quote(shown)}" if shown != places.LOG else ""
            hint = f"to go on with what is missing: brute eval --resume {self.recording.id}{where}"
            report = dataclasses.replace(report, notes=(*report.notes, hint))
        new = tuple(note for note in self.recording.notes if note not in report.notes)
        return dataclasses.replace(report, notes=(*report.notes, *new))


@contextmanager
def logged(suites: Sequence[Suite], wanted: Wanted) -> Iterator[Logged]:
    """Let the suites write to one run of the log that the command line, or one of them, names."""
    path = place(suites, wanted.path)
    if path is None:
        if wanted.resume is not None:
            raise UsageError("there is no log to resume a run from")
        for suite in suites:
            suite.log = None
        yield Logged()
        return
    earlier = _earlier(path, wanted.resume)
    if earlier is None:
        recording = RunLog(path).begin(wanted.command, shard=wanted.shard, whole=wanted.whole)
    else:
        run = earlier.run
        # Taken over before it is read, so that nobody writes to it any more.
        recording = RunLog(path).resume(run.number, run.id, shard=wanted.shard, narrowed=wanted.narrowed)
        click.echo(_going_on(earlier), err=True)
        _count(earlier, suites)
    log = Log(recording, earlier, lambda sentence: click.echo(inert(sentence, 1000), err=True))
    for suite in suites:
        suite.log = log if wanted.path is not None or suite.log is not None else None
    try:
        yield Logged(recording)
    except UsageError:
        # Nothing ran: a slip in a file is no run.
        recording.forget() if earlier is None else recording.close()
        raise
    finally:
        recording.close()
        if earlier is not None:
            earlier.reading.close()


def _earlier(path: str, resume: str | None) -> Resumption | None:
    if resume is None:
        return None
    reading = opened(path)
    try:
        return Resumption(reading, unfinished(reading, resume or None))
    except UsageError:
        reading.close()
        raise


def _count(earlier: Resumption, suites: Sequence[Suite]) -> None:
    """A cap of the command is one of the whole run: what was spent before counts."""
    meter = suites[0].meter if suites else None
    if meter is not None and meter.counts:
        for each in earlier.spent(True).values():
            meter.had(each)


def _going_on(earlier: Resumption) -> str:
    done = sum(each.attempt.status in ("passed", "failed") for each in earlier.written)
    return f"going on with run {inert(earlier.run.id, 40)}: {plural(done, 'attempt')} done before"
