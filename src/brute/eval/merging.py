"""Several logs as one: every run of each, and the shards of one whole as one run."""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .logpart import ATTEMPT
from .logreading import Reading, Run
from .logrows import body_sum, sealed, transcript_row
from .logschema import SERIALS, LogError, unread, unwritten, writable
from .report import INTERRUPTED, exit_status
from .sharding import parsed
from .showing import plural


@dataclasses.dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge: the ids of the runs in the new log, remarks, and what of the old logs could not be read."""

    runs: tuple[str, ...]
    notes: tuple[str, ...]
    damaged: tuple[str, ...] = ()


def merged(paths: Sequence[str], out: str) -> Merged:
    """Write the runs of the logs at `paths` into a new log at `out`; raises `LogError`, and `UsageError` where there is one already."""
    if os.path.exists(out):
        raise UsageError(f"{out} is there already; a merge makes a new log")
    readings: list[Reading] = []
    try:
        for path in paths:
            readings.append(Reading(path))
        return _written(readings, out)
    except (sqlite3.Error, LogError) as error:
        for end in ("", "-wal", "-shm"):
            Path(f"{out}{end}").unlink(missing_ok=True)
        raise error if isinstance(error, LogError) else unwritten(out, error) from error
    finally:
        for reading in readings:
            reading.close()


def _written(readings: Sequence[Reading], out: str) -> Merged:
    groups = _groups(readings)
    damaged = [f"{reading.path}: {note}" for reading in readings for note in reading.notes]
    if not groups and damaged:
        raise LogError(f"there is nothing to merge: {damaged[0]}")
    connection = writable(out)
    merges = [_Merge(connection, number, group) for number, group in enumerate(groups, 1)]
    try:
        connection.execute("BEGIN IMMEDIATE")
        for merge in merges:
            merge.go()
        connection.execute("COMMIT")
    finally:
        connection.close()
    damaged = [note for merge in merges for note in merge.lost]
    damaged += [f"{reading.path}: {note}" for reading in readings for note in reading.notes]
    notes = [note for merge in merges for note in merge.notes]
    return Merged(tuple(group[0][1].id for group in groups), tuple(notes), tuple(damaged))


_ROW = "SELECT number, status, key, tokens, cost, left_behind, verdict, place, earlier FROM attempt WHERE id = ?"

Group = list[tuple[Reading, Run]]


def _groups(readings: Sequence[Reading]) -> list[Group]:
    """The runs, and the shards of one whole together; a second run of the same shard begins a new one."""
    groups: list[Group] = []
    seen: set[str] = set()
    for reading in readings:
        for run in reading.runs():
            if run.id in seen:
                continue
            seen.add(run.id)
            fitting = (group for group in groups if run.whole is not None and _fits(run, group))
            group = next(fitting, None)
            if group is None:
                groups.append([(reading, run)])
            else:
                group.append((reading, run))
    return sorted(groups, key=lambda group: min(run.started for _, run in group))


def _fits(run: Run, group: Group) -> bool:
    first = group[0][1]
    return (first.whole, first.commit_id) == (run.whole, run.commit_id) and not any(
        _shards(run) & _shards(other) for _, other in group
    )


def _shards(run: Run) -> set[tuple[int, int]]:
    """The shards that the run holds: several where it was merged before."""
    return {parsed(each) for each in (run.shard or "").split(", ") if each}


class _Merge:
    """One run on its way into the new log."""

    def __init__(self, connection: sqlite3.Connection, number: int, group: Group) -> None:
        self.connection = connection
        self.number = number
        self.group = sorted(group, key=lambda each: min(_shards(each[1]), default=(0, 0)))
        self.serial = number * SERIALS
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []
        self.lost: list[str] = []

    def go(self) -> None:
        """Write it."""
        place = 0
        for reading, run in self.group:
            cases: dict[int, int | None] = {}
            came = 0
            for written in reading.written(run):
                if written.cased not in cases:
                    cases[written.cased] = self._case(reading, written.cased)
                cased = cases[written.cased]
                if cased is not None and self._attempt(reading, written.id, cased, place):
                    self.counts[written.attempt.status] += 1
                    came += 1
            place += run.planned
            self._parts(reading, run)
            self._miss(reading, run, came)
        self._run()

    def _miss(self, reading: Reading, run: Run, came: int) -> None:
        """Note what the run had and what could not be read of it: the merged run must not look as if it were whole."""
        known = sum(count for status, count in run.counts.items() if status != "cancelled")
        lost = (run.planned if run.how == "finished" else known if run.how else 0) - came
        if lost > 0:
            self.lost.append(f"{plural(lost, 'attempt')} of run {run.id} could not be read from {reading.path}")
        elif run.damaged:
            self.lost.append(f"the row of run {run.id} in {reading.path} is damaged")

    def _case(self, reading: Reading, cased: int) -> int | None:
        row = _one(reading, "SELECT suite, name, content, about, digest FROM cased WHERE number = ?", cased)
        if row is None:
            reading.note("a case is damaged, and its attempts are left out")
            return None
        self.connection.execute(
            "INSERT INTO cased (suite, name, content, about, digest) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row
        )
        return int(self.connection.execute("SELECT number FROM cased WHERE digest = ?", row[-1:]).fetchone()[0])

    def _attempt(self, reading: Reading, id: int, cased: int, place: int) -> bool:
        row = _one(reading, _ROW, id)
        body, hidden, sum = _one(reading, "SELECT body, masked, sum FROM transcript WHERE id = ?", id) or (
            None,
            0,
            None,
        )
        if row is None:
            return False
        self.serial += 1
        self.connection.execute(ATTEMPT, sealed(self.serial, cased, (*row[:7], row[7] + place, row[8])))
        if body is None or sum not in (None, body_sum(id, body)):
            reading.note("a transcript can't be read")
        else:
            self.connection.execute(
                "INSERT INTO transcript VALUES (?, ?, ?, ?)", transcript_row(self.serial, body, hidden)
            )
        return True

    def _parts(self, reading: Reading, run: Run) -> None:
        query = "SELECT suite, position, planned, agent, world, source, settings, spent FROM part WHERE run = ?"
        try:
            rows = reading.connection.execute(query, (run.number,)).fetchall()
        except sqlite3.Error as error:
            reading.note(str(unread(reading.path, error)))
            rows = []
        for row in rows:
            self.connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET planned = planned + excluded.planned",
                (self.number, *row),
            )

    def _run(self) -> None:
        runs = [run for _, run in self.group]
        first = runs[0]
        missing = _missing(runs)
        if missing:
            self.notes.append(f"run {first.id}: shard {', '.join(missing)} is missing")
        shard = None if not missing else ", ".join(run.shard or "" for run in runs)
        whole = None if len(runs) > 1 and not missing else first.whole
        hows = {_how(run) for run in runs}
        how = (
            None
            if None in hows or missing or self.lost
            else "interrupted"
            if "interrupted" in hows
            else "stopped"
            if "stopped" in hows
            else "finished"
        )
        ended = None if how is None else _latest(run.ended for run in runs)
        status = None if how is None else INTERRUPTED if how == "interrupted" else exit_status(self.counts)
        notes = json.dumps(list(dict.fromkeys([*(note for run in runs for note in run.notes), *self.lost])))
        self.connection.execute(
            "INSERT INTO run (number, id, command, shard, whole, versions, commit_id, dirty, host, process, started, ended, how, "
            "exit_status, seconds, counts, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(self.number, first.id, first.command, shard, whole, json.dumps(first.versions), first.commit_id),
                *(
                    any(run.dirty for run in runs) if first.commit_id else None,
                    first.host,
                    0,  # nobody writes to it
                    min(run.started for run in runs),
                ),
                *(ended, how, status, max((run.seconds or 0.0) for run in runs), json.dumps(self.counts), notes),
            ),
        )


def _how(run: Run) -> str | None:
    """How a run ended; one that was merged before and lacks nothing but other shards has ended."""
    whole = len(_shards(run)) > 1 and sum(run.counts.values()) == run.planned
    return "finished" if run.how is None and whole and "cancelled" not in run.counts else run.how


def _missing(runs: Sequence[Run]) -> list[str]:
    """The shards that there should be and that are in no log."""
    shards = set().union(*map(_shards, runs))
    if not shards:
        return []
    of = max(of for _, of in shards)
    return [f"{number}/{of}" for number in range(1, of + 1) if (number, of) not in shards]


def _latest(moments: Iterable[float | None]) -> float | None:
    return max((moment for moment in moments if moment is not None), default=None)


def _one(reading: Reading, query: str, number: int) -> tuple[Any, ...] | None:
    try:
        row: tuple[Any, ...] | None = reading.connection.execute(query, (number,)).fetchone()
    except sqlite3.Error as error:
        reading.note(str(unread(reading.path, error)))
        return None
    return row
