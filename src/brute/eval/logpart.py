"""What one suite writes of a run: its attempts, those that end at the same time in one transaction."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .attempt import Attempt, Job
from .caps import Spent
from .case import Case
from .jsonable import plain
from .keying import Keys
from .logcases import case_row
from .logrows import Row, attempt_row, packed, sealed, transcript_row
from .logschema import LogError
from .masking import masked
from .stored import Stored
from .transcript import Transcript

if TYPE_CHECKING:
    from .runlog import Recording

MANY = 1000
"""A part of more attempts than this keeps no transcript in memory: they are read from the log when somebody looks at one."""


class Part:
    """What one suite has in a run: where its attempts go, one transaction for those that end at the same time."""

    def __init__(
        self, recording: Recording, suite: str, plan: Sequence[Job], keys: Keys, place: int, stale: Mapping[int, int]
    ) -> None:
        self.recording = recording
        self.suite = suite
        self.keys = keys
        self.lean = len(plan) > MANY
        self.place = place
        self.stale = stale
        self._cases: dict[int, tuple[Case, int]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._settled: collections.deque[asyncio.Future[None]] = collections.deque()
        self._coming = False

    def note(self, spent: Spent) -> None:
        """Note what the suite has spent in all, also on what was not finished."""
        row = (json.dumps(dataclasses.astuple(spent)), self.recording.number, masked(str(plain(self.suite))))
        query = "UPDATE part SET spent = ? WHERE run = ? AND suite = ?"
        self.recording.write(lambda: lambda connection: connection.execute(query, row), lambda error: None)

    async def wrote(self, index: int, attempt: Attempt) -> Attempt:
        """The attempt, once it is on the disk (or can't be); `index` is its place in the plan.

        Of a big part, the attempt that is answered has a transcript that is read from the log when it is looked at.
        """
        if self.recording.error is not None:
            return attempt
        self._loop = asyncio.get_running_loop()
        entry = _Entry(self, index, attempt)
        await entry.written
        # In the next pass of the loop: the attempt is told first.
        if not self.recording.learned:
            self._loop.call_soon(self.recording.learn)
        if self.recording.error is not None:
            self.recording.tell()
        return attempt if entry.id is None or not self.lean else entry.slim()

    def cased(self, connection: sqlite3.Connection, case: Case, row: Row) -> int:
        """The number of the case in the log, which is written there the first time."""
        known = self._cases.get(id(case))
        if known is None:
            connection.execute(_CASED, row)
            number = connection.execute("SELECT number FROM cased WHERE digest = ?", row[-1:]).fetchone()[0]
            # The case is kept with its number, so that no other can come to have its id.
            known = self._cases[id(case)] = (case, int(number))
        return known[1]

    def known(self, case: Case) -> bool:
        """Whether the case was written before."""
        return id(case) in self._cases

    def settle(self, future: asyncio.Future[None]) -> None:
        """Wake whoever waits for the future, from the writer's thread: the loop is woken once for all that were written together."""
        self._settled.append(future)
        if not self._coming and self._loop is not None:
            self._coming = True
            try:
                self._loop.call_soon_threadsafe(self._wake)
            except RuntimeError:  # the loop is closed: whoever waited has gone
                self._coming = False

    def _wake(self) -> None:
        self._coming = False
        while self._settled:
            future = self._settled.popleft()
            if not future.done():
                future.set_result(None)


class _Entry:
    """One attempt on its way into the log."""

    def __init__(self, part: Part, index: int, attempt: Attempt) -> None:
        self.part = part
        self.attempt = attempt
        self.index = index
        self.id: int | None = None
        self.spent: tuple[int | None, float | None] = None, None
        self.written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        part.recording.write(self.make, self.done)

    def done(self, error: LogError | None) -> None:
        """Wake whoever waits; without an id where it was not written."""
        self.id = None if error is not None else self.id
        self.part.settle(self.written)

    def slim(self) -> Attempt:
        """The attempt without its transcript in memory."""
        assert self.id is not None
        of = self.attempt
        stored = Stored(self.part.recording.source, self.id, *self.spent)
        return Attempt(of.case, of.number, of.status, of.verdict, stored, of.suite, of.left_behind, of.earlier)

    def make(self) -> Callable[[sqlite3.Connection], None]:
        """Make the rows, and answer what puts them into the database."""
        part, attempt = self.part, self.attempt
        case: Row = ()
        if not part.known(attempt.case):
            keys = part.keys
            case = case_row(part.suite, attempt.case, keys.case(attempt.case), keys.inputs(attempt.case))
        key = part.keys.attempt(self.index)
        row, (body, hidden) = attempt_row(attempt, part.place + self.index, key), _body(attempt.transcript)
        self.spent = row[3], row[4]

        def put(connection: sqlite3.Connection) -> None:
            self.id = part.recording.next(connection)
            if self.index in part.stale:
                connection.execute("UPDATE attempt SET stale = 1 WHERE id = ?", (part.stale[self.index],))
            connection.execute(ATTEMPT, sealed(self.id, part.cased(connection, attempt.case, case), row))
            connection.execute("INSERT INTO transcript VALUES (?, ?, ?, ?)", transcript_row(self.id, body, hidden))

        return put


_CASED = "INSERT INTO cased (suite, name, content, about, digest) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
ATTEMPT = (
    "INSERT INTO attempt (id, cased, number, status, key, tokens, cost, left_behind, verdict, place, earlier, sum) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def _body(transcript: Transcript) -> tuple[bytes, bool]:
    try:
        return packed(transcript)
    except Exception as error:
        # A verdict is worth more than the record of what it is about.
        return packed(Transcript(notes=[f"the transcript can't be written: {type(error).__name__}: {error}"]))
