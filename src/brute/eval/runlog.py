"""The log that a run writes while it goes on: what was reported is on the disk."""

from __future__ import annotations

import collections
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import UsageError
from . import owning, provenance
from .attempt import Job
from .jsonable import plain
from .keying import Keys
from .logearlier import Earlier, End
from .logpart import Part
from .logschema import BUSY, SERIALS, LogError, unwritten, writable
from .logwriter import Make, Writer
from .masking import masked, masked_json
from .places import LOG
from .report import Report
from .stored import Source


def warn(sentence: str) -> None:
    """Say on standard error that something is wrong with the log."""
    try:
        print(f"Warning: {masked(sentence)}", file=sys.stderr, flush=True)  # noqa: T201
    except (OSError, ValueError):
        pass


class RunLog:
    """A file of runs. `begin` and `resume` never raise: a run whose log can't be written goes on without, and says so once."""

    def __init__(
        self, path: str | os.PathLike[str] = LOG, *, busy: float = BUSY, warn: Callable[[str], None] = warn
    ) -> None:
        self.path = os.path.abspath(path)
        self.shown = os.fspath(path)
        self.busy = busy
        self.warn = warn

    def begin(
        self, command: Sequence[str] | None = None, *, shard: str | None = None, whole: bytes | None = None
    ) -> Recording:
        """A new run of this command line (that of the process); of a shard, `whole` tells what it is a shard of."""
        made = provenance.of(command)

        row = (made.id, masked(made.command), shard, whole, json.dumps(made.versions), made.host, os.getpid())

        def put(connection: sqlite3.Connection) -> tuple[int, str]:
            cursor = connection.execute(_BEGUN, (*row, time.time(), owning.born(os.getpid()), time.time()))
            return int(cursor.lastrowid or 0), made.id

        return self._recording(put, made.id)

    def resume(self, number: int, id: str, *, shard: str | None = None, narrowed: bool = False) -> Recording:
        """The run of this number, to be gone on with; of `shard` alone, or, `narrowed`, of a part of it.

        Raises `UsageError` where another process is writing to it.
        """

        def put(connection: sqlite3.Connection) -> tuple[int, str]:
            owning.claim(connection, number, id)
            if not narrowed:
                query = "UPDATE run SET shard = ?, whole = CASE WHEN ? THEN whole END WHERE number = ?"
                connection.execute(query, (shard, shard is not None, number))
            return number, id

        return self._recording(put, id, Earlier(narrowed))

    def _recording(
        self, put: Callable[[sqlite3.Connection], tuple[int, str]], id: str, earlier: Earlier | None = None
    ) -> Recording:
        try:
            connection = writable(self.shown, self.busy)
        except LogError as error:
            return Recording(self, 0, id, None, error)
        try:
            connection.execute("BEGIN IMMEDIATE")
            number, id = put(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            connection.close()
            return Recording(self, 0, id, None, unwritten(self.shown, error))
        except UsageError:
            connection.close()
            raise
        writer = Writer(connection, self.shown, lambda connection: owning.beaten(connection, number), owning.BEAT)
        return Recording(self, number, id, writer, None, earlier)


_BEGUN = (
    "INSERT INTO run (id, command, shard, whole, versions, host, process, started, born, beat) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class Recording:
    """One run on its way into the log: its parts (one a suite), and its end.

    `error` says why nothing is written any more; the run goes on, and its report has the sentence as a note.
    """

    def __init__(
        self,
        log: RunLog,
        number: int,
        id: str,
        writer: Writer | None,
        error: LogError | None,
        earlier: Earlier | None = None,
    ) -> None:
        self.log = log
        self.number = number
        self.id = id
        self.source = Source(log.path)
        self._writer = writer
        self._earlier = earlier
        self._error = error
        self._told = False
        self._planned = 0
        self._last = 0
        self._batches = -1
        self._parts = 0
        self._facts: provenance.Facts | None = None
        self.tell()

    @property
    def error(self) -> LogError | None:
        """Why nothing is written any more, or None."""
        return self._error or (self._writer.error if self._writer is not None else None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the report is to say about the log."""
        return (str(self.error),) if self.error is not None else ()

    @property
    def learned(self) -> bool:
        """Whether git was asked, or there is nothing to write it to."""
        return self._facts is not None or self._writer is None

    def learn(self) -> None:
        """Ask git about the working folder, once: after the first attempt, since starting a process takes a while."""
        if not self.learned:
            self._facts = provenance.Facts(self._know)

    def tell(self) -> None:
        """Say once on standard error that the log can't be written."""
        if self.error is not None and not self._told:
            self._told = True
            self.log.warn(str(self.error))

    def part(self, suite: str, plan: Sequence[Job], keys: Keys, *, stale: Mapping[int, int] | None = None) -> Part:
        """The part that a suite has in the run; the attempts with the ids in `stale`, by their place, count until a new one is written."""
        place, self._planned, position = self._planned, self._planned + len(plan), self._parts
        self._parts += 1
        earlier = self._earlier

        def make() -> Callable[[sqlite3.Connection], None]:
            named = (self.number, masked(plain(suite)), position, len(plan))
            row = (*named, keys.agent, keys.world, masked(plain(keys.source)), json.dumps(keys.rest))

            def put(connection: sqlite3.Connection) -> None:
                planned = row[3] if earlier is None else earlier.planned(connection, row[:2], plan)
                whole = (*row[:3], planned, *row[4:])
                connection.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", whole)

            return put

        self.write(make, lambda error: None)
        return Part(self, suite, plan, keys, place, stale or {})

    def end(self, report: Report, how: str | None = None) -> None:
        """Note how the run ended (by the report, unless `how` says it), and wait until everything is on the disk."""
        if self._writer is None:
            return
        how = how or ("interrupted" if report.interrupted else "stopped" if report.stopped else "finished")
        counts = collections.Counter(attempt.status for attempt in report.attempts)
        row = (report.seconds, masked_json(json.dumps(plain(report.notes))))
        came: End = (how, report.exit_status, {str(status): count for status, count in counts.items()})
        earlier = self._earlier

        def put(connection: sqlite3.Connection) -> None:
            how, status, counts = came if earlier is None else earlier.end(connection, self.number, came)
            ended = None if how is None else time.time()
            connection.execute(
                "UPDATE run SET seconds = ?, notes = ?, ended = ?, how = ?, exit_status = ?, counts = ? WHERE number = ?",
                (*row, ended, how, status, json.dumps(counts), self.number),
            )

        self.close(put)

    def forget(self) -> None:
        """Take the run out of the log again: nothing of it was ever made."""

        def put(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM part WHERE run = ?", (self.number,))
            connection.execute("DELETE FROM run WHERE number = ?", (self.number,))

        self.close(put)

    def close(self, last: Callable[[sqlite3.Connection], Any] | None = None) -> None:
        """Wait until everything is on the disk; a run that is closed without its end counts as unfinished."""
        if self._writer is None:
            return
        if self._facts is not None:
            self._facts.wait()
        if last is not None:
            self._write(last)
        self._write(lambda connection: owning.let_go(connection, self.number))
        self._writer.close()
        self._error, self._writer = self.error, None
        self.tell()

    def next(self, connection: sqlite3.Connection) -> int:
        """The id of the next attempt, within a transaction."""
        batches = self._writer.batches if self._writer is not None else 0
        if batches != self._batches:
            # One process may go on with a run that another still writes to.
            query = "SELECT id FROM attempt WHERE id < ? ORDER BY id DESC LIMIT 1"
            last = connection.execute(query, ((self.number + 1) * SERIALS,)).fetchone()
            self._last, self._batches = max(last[0] if last else 0, self.number * SERIALS), batches
        self._last += 1
        return self._last

    def _know(self, commit: str, dirty: bool) -> None:
        self._write(
            lambda connection: connection.execute(
                "UPDATE run SET commit_id = ?, dirty = ? WHERE number = ?", (commit, int(dirty), self.number)
            )
        )

    def _write(self, put: Callable[[sqlite3.Connection], Any]) -> None:
        self.write(lambda: put, lambda error: None)

    def write(self, make: Make, done: Callable[[LogError | None], None]) -> None:
        """Have it written, unless nothing is any more."""
        if self._writer is None:
            done(self.error)
        else:
            self._writer.write(make, done)
