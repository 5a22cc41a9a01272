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
from .logreading import Reading, Run
from .logrows import sealed
from .logschema import SERIALS, LogError, unread, unwritten, writable
from .report import EMPTY, FAILED, INTERRUPTED, PASSED, UNGRADED
from .sharding import parsed


@dataclasses.dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge: the ids of the runs in the new log, and remarks on what could not be read or is missing."""

    runs: tuple[str, ...]
    notes: tuple[str, ...]


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
    connection = writable(out)
    notes: list[str] = []
    try:
        connection.execute("BEGIN IMMEDIATE")
        groups = _groups(readings)
        for number, group in enumerate(groups, 1):
            notes += _Merge(connection, number, group).go()
        connection.execute("COMMIT")
    finally:
        connection.close()
    notes += [f"{reading.path}: {note}" for reading in readings for note in reading.notes]
    return Merged(tuple(group[0][1].id for group in groups), tuple(notes))


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
    return (first.whole, first.commit_id) == (run.whole, run.commit_id) and all(
        run.shard != other.shard for _, other in group
    )


class _Merge:
    """One run on its way into the new log."""

    def __init__(self, connection: sqlite3.Connection, number: int, group: Group) -> None:
        self.connection = connection
        self.number = number
        self.group = sorted(group, key=lambda each: parsed(each[1].shard)[0] if each[1].shard else 0)
        self.serial = number * SERIALS
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    def go(self) -> list[str]:
        """Write it; answers remarks."""
        place = 0
        for reading, run in self.group:
            cases: dict[int, int] = {}
            for written in reading.written(run):
                if written.cased not in cases:
                    cases[written.cased] = self._case(reading, written.cased)
                self._attempt(reading, written.id, cases[written.cased], place)
                self.counts[written.attempt.status] += 1
            place += run.planned
            self._parts(reading, run)
        self._run()
        return self.notes

    def _case(self, reading: Reading, cased: int) -> int:
        row = _one(reading, "SELECT suite, name, content, about, digest FROM cased WHERE number = ?", cased)
        if row is None:
            raise LogError(f"the run log {reading.path} can't be merged: a case is damaged")
        self.connection.execute(
            "INSERT INTO cased (suite, name, content, about, digest) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row
        )
        return int(self.connection.execute("SELECT number FROM cased WHERE digest = ?", row[-1:]).fetchone()[0])

    def _attempt(self, reading: Reading, id: int, cased: int, place: int) -> None:
        row = _one(
            reading,
            "SELECT number, status, key, tokens, cost, left_behind, verdict, place FROM attempt WHERE id = ?",
            id,
        )
        body = _one(reading, "SELECT body FROM transcript WHERE id = ?", id)
        assert row is not None
        self.serial += 1
        self.connection.execute(
            "INSERT INTO attempt (id, cased, number, status, key, tokens, cost, left_behind, verdict, place, sum) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self.serial, *sealed(cased, (*row[:-1], row[-1] + place))),
        )
        if body is None:
            self.notes.append(f"{reading.path}: a transcript can't be read")
        else:
            self.connection.execute("INSERT INTO transcript VALUES (?, ?)", (self.serial, *body))

    def _parts(self, reading: Reading, run: Run) -> None:
        for suite, position, planned, agent, world, source in reading.connection.execute(
            "SELECT suite, position, planned, agent, world, source FROM part WHERE run = ?", (run.number,)
        ):
            self.connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET planned = planned + excluded.planned",
                (self.number, suite, position, planned, agent, world, source),
            )

    def _run(self) -> None:
        runs = [run for _, run in self.group]
        first = runs[0]
        missing = _missing(runs)
        if missing:
            self.notes.append(f"run {first.id}: shard {', '.join(missing)} is missing")
        shard = None if not missing else ", ".join(run.shard or "" for run in runs)
        whole = None if len(runs) > 1 and not missing else first.whole
        hows = {run.how for run in runs}
        how = (
            None
            if None in hows or missing
            else "interrupted"
            if "interrupted" in hows
            else "stopped"
            if "stopped" in hows
            else "finished"
        )
        ended = None if how is None else _latest(run.ended for run in runs)
        status = None if how is None else INTERRUPTED if how == "interrupted" else _status(self.counts)
        notes = json.dumps(list(dict.fromkeys(note for run in runs for note in run.notes)))
        self.connection.execute(
            "INSERT INTO run (number, id, command, shard, whole, versions, commit_id, dirty, host, process, started, ended, how, "
            "exit_status, seconds, counts, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(self.number, first.id, first.command, shard, whole, json.dumps(first.versions), first.commit_id),
                *(
                    any(run.dirty for run in runs) if first.commit_id else None,
                    first.host,
                    first.process,
                    min(run.started for run in runs),
                ),
                *(ended, how, status, max((run.seconds or 0.0) for run in runs), json.dumps(self.counts), notes),
            ),
        )


def _missing(runs: Sequence[Run]) -> list[str]:
    """The shards that there should be and that are in no log."""
    shards = [parsed(run.shard) for run in runs if run.shard]
    if not shards:
        return []
    of = shards[0][1]
    return [f"{number}/{of}" for number in range(1, of + 1) if (number, of) not in shards]


def _latest(moments: Iterable[float | None]) -> float | None:
    return max((moment for moment in moments if moment is not None), default=None)


def _status(counts: Counter[str]) -> int:
    statuses = set(counts)
    return EMPTY if not statuses else FAILED if "failed" in statuses else PASSED if statuses == {"passed"} else UNGRADED


def _one(reading: Reading, query: str, number: int) -> tuple[Any, ...] | None:
    try:
        row: tuple[Any, ...] | None = reading.connection.execute(query, (number,)).fetchone()
    except sqlite3.Error as error:
        reading.note(str(unread(reading.path, error)))
        return None
    return row
