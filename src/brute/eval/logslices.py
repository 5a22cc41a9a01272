"""A run of a log read slice by slice: some of its attempts, what can be said of some of its transcripts."""

from __future__ import annotations

import dataclasses
import math
import sqlite3
import time
from typing import Any

from .logreading import ATTEMPTS, ATTEMPTS_BACK, Reading, Run, Written
from .logrows import Damaged
from .logschema import LogError, unread


@dataclasses.dataclass(frozen=True, slots=True)
class Slice:
    """Some of what a run has: those `found`, the id of the `last` that was looked at, and whether there are `more` behind it."""

    found: list[Any]
    last: int
    more: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Gist:
    """What a list says of a transcript: how long the turn took, the tools that were called, and the reply."""

    id: int
    seconds: float | None
    tools: list[str]
    reply: str


def attempts(reading: Reading, run: Run, after: int, most: int) -> Slice:
    """At most so many attempts (`Written`) behind the one with the id `after`, in the order in which they ended."""
    found: list[Written] = []
    last, looked = after, 0
    for row in reading.scanned(f"{ATTEMPTS} LIMIT {most:d}", _behind(run, after), ATTEMPTS_BACK):
        last, looked = row[0], looked + 1
        try:
            found.append(reading.of_row(row))
        except Damaged:
            reading.note("a row is damaged, and its attempt is left out")
    return Slice(found, last, looked == most)


def gists(reading: Reading, run: Run, after: int, most: int, patience: float) -> Slice:
    """What can be said of some transcripts behind the one with the id `after`: as many as can be read in so many seconds."""
    query = "SELECT id FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0 ORDER BY id LIMIT ?"
    try:
        ids = [row[0] for row in reading.connection.execute(query, (*_behind(run, after), most))]
    except sqlite3.Error as error:
        reading.note(str(unread(reading.path, error)))
        return Slice([], after, False)
    found, until = [], time.monotonic() + patience
    for id in ids:
        found.append(_gist(reading, id))
        if time.monotonic() > until:
            break
    return Slice(found, found[-1].id if found else after, bool(found) and (len(found) < len(ids) or len(ids) == most))


def _behind(run: Run, after: int) -> tuple[int, int]:
    first, last = run.span
    return max(first, after + 1), last


def _gist(reading: Reading, id: int) -> Gist:
    try:
        seen = reading.transcript(id)
        took = seen.seconds
        return Gist(id, took if finite(took) else None, list(seen.counts), seen.reply)
    except LogError as error:
        reading.note(str(error))
        return Gist(id, None, [], "")


def before(reading: Reading, run: Run) -> int | None:
    """The number of the run that one compares this one with first: the last before it of the same command line, else the last before it."""
    query = "SELECT number FROM run WHERE number < ? ORDER BY command = ? DESC, number DESC LIMIT 1"
    try:
        found = reading.connection.execute(query, (run.number, run.command)).fetchone()
    except sqlite3.Error as error:
        reading.note(str(unread(reading.path, error)))
        return None
    return int(found[0]) if found else None


def counts(reading: Reading, id: int) -> bool:
    """Whether there is an attempt with this id that was not made again since."""
    try:
        return bool(reading.connection.execute("SELECT 1 FROM attempt WHERE id = ? AND stale = 0", (id,)).fetchone())
    except sqlite3.Error:
        return True  # whoever reads it says what is wrong with it


def finite(number: Any) -> bool:
    """Whether this is a number that one can calculate with; a log may hold any."""
    return isinstance(number, (int, float)) and not isinstance(number, bool) and math.isfinite(number)


def replaced(reading: Reading, run: Run) -> int:
    """How many attempts of the run count no more, since they were made again: whoever has read it before begins anew when that changes."""
    query = "SELECT count(*) FROM attempt WHERE id BETWEEN ? AND ? AND stale = 1"
    try:
        return int(reading.connection.execute(query, run.span).fetchone()[0])
    except sqlite3.Error as error:
        reading.note(str(unread(reading.path, error)))
        return 0
