"""What is read from a run log: the runs, the verdicts of one, its transcripts one by one. Of a damaged log, what can be read is."""

from __future__ import annotations

import dataclasses
import json
import os
import sqlite3
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ..errors import UsageError, did_you_mean
from .attempt import Attempt
from .case import Case
from .logcases import case_digest, case_of
from .logrows import Damaged, earlier_of, intact, judged_of, verdict_of
from .logschema import SERIALS, LogError, readable, unread
from .logvalues import COLUMNS, run_of
from .logvalues import Run as Run
from .logvalues import Written as Written
from .report import Report
from .showing import plural
from .stored import Source, Stored, transcript
from .transcript import Transcript
from .verdict import Failure, Verdict

UNREAD = "the transcript can't be read"
"""The note of an attempt whose transcript is damaged or missing."""

LAST = "last"
"""What one calls the run that began last."""


class Reading:
    """A run log, open to be read. `notes` say what of it could not be read. Raises `LogError` where none of it can."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.source = Source(os.path.abspath(self.path))
        self.notes: list[str] = []
        self.connection = readable(self.path)
        self._cases: dict[int, tuple[str, Case]] = {}

    def __enter__(self) -> Reading:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it; transcripts that are looked at later open it again."""
        self.connection.close()

    def runs(self, only: int | None = None) -> list[Run]:
        """All runs, in the order in which they began, or only the one with this number."""
        found, span = [], (0, 2**62) if only is None else (only, only)
        for row in self.scanned(_RUNS, span, _RUNS_BACK):
            (planned,) = self._one("SELECT sum(planned) FROM part WHERE run = ?", (row[0],)) or (None,)
            try:
                run = run_of(row, planned, lambda number=row[0]: self.counts(number))  # type: ignore[misc]
            except Damaged:
                self.note("the row of a run is damaged, and the run is left out")
                continue
            if run.damaged:
                self.note(f"the row of run {run.id} is damaged")
            found.append(run)
        return found

    def run(self, name: str) -> Run:
        """The run with this id, or the only one whose id begins or ends with it; `last` is the one that began last."""
        runs = self.runs()
        if not runs and self.notes:
            raise LogError(self.notes[0])
        if not runs:
            raise UsageError(f"there is no run in {self.path}")
        if name == LAST:
            return max(runs, key=lambda run: (run.started, run.number))
        if not name.strip():
            raise UsageError(f"a run is named by its id, the beginning or the end of one, or {LAST}; got {name!r}")
        exact = [run for run in runs if run.id == name]
        near = exact or [run for run in runs if run.id.startswith(name) or run.id.endswith(name)]
        if len(near) == 1:
            return near[0]
        ids = [run.id for run in runs]
        if near:
            those = ", ".join(run.id for run in near[:5])
            raise UsageError(f"{len(near)} runs in {self.path} are called {name}...: {those}")
        raise UsageError(f"no run {name!r} in {self.path}{did_you_mean(name, ids)}; `brute runs` lists them")

    def counts(self, number: int) -> dict[str, int]:
        """The attempts of a run by status, as they stand now."""
        span = (number * SERIALS, (number + 1) * SERIALS - 1)
        query = "SELECT status, count(*) FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0 GROUP BY status"
        try:
            return dict(self.connection.execute(query, span).fetchall())
        except sqlite3.Error as error:
            self.note(str(unread(self.path, error)))
            return {}

    def written(self, run: Run) -> list[Written]:
        """The attempts of a run that count, in the order of the plan; their transcripts are read when they are looked at."""
        latest: dict[tuple[int, int], Written] = {}
        for row in self.scanned(ATTEMPTS, run.span, ATTEMPTS_BACK):
            try:
                latest[row[1], row[2]] = self.of_row(row)
            except Damaged:
                self.note("a row is damaged, and its attempt is left out")
        self.compare(run, len(latest))
        return sorted(latest.values(), key=lambda each: each.place)

    def compare(self, run: Run, found: int) -> None:
        """Note it where fewer attempts were found than the run was ended with: a damaged page may hide what was on it."""
        told = sum(count for status, count in run.counts.items() if status != "cancelled") if run.how else 0
        if found < told:
            self.note(f"{plural(told - found, 'attempt')} of run {run.id} can't be read")

    def attempt(self, id: int) -> Attempt:
        """One attempt, by its id; one that can't be read is an error that says so."""
        row = self._one(ATTEMPTS, (id, id))
        try:
            if row is not None:
                return self.of_row(row).attempt
        except Damaged:
            pass
        self.note("a row is damaged, and its attempt is left out")
        failure = Failure("error.harness", "what came of it can't be read")
        return Attempt(Case("an attempt that can't be read", said=None), 1, "error", Verdict((failure,)), Transcript())

    def of_row(self, row: tuple[Any, ...]) -> Written:
        """The attempt that stands in a row of `ATTEMPTS`; raises `Damaged`."""
        id, cased, number, status, key, tokens, cost, left_behind, verdict, place, earlier = row[:11]
        intact(row)
        suite, case = self._cases.get(cased) or self._case(cased)
        seen = Stored(self.source, id, tokens, cost)
        attempt = Attempt(
            case,
            number,
            status,
            verdict_of(verdict),
            seen,
            suite,
            bool(left_behind),
            earlier_of(earlier),
            judged_of(earlier),
        )
        return Written(attempt, id, cased, key, place)

    def _case(self, cased: int) -> tuple[str, Case]:
        row = self._one("SELECT suite, name, content, about, digest FROM cased WHERE number = ?", (cased,))
        try:
            if row is None or case_digest(row[:4]) != row[4]:
                raise Damaged("the case is damaged")
            found = (str(row[0]), case_of(row[1], row[3]))
        except (Damaged, ValueError):
            self.note(f"the name of case {cased} can't be read")
            found = ("", Case(f"case {cased}, whose name can't be read", said=None))
        self._cases[cased] = found
        return found

    def part(self, run: Run, suite: str) -> tuple[bytes | None, bytes | None, dict[str, Any]]:
        """What the agent and the world of a suite were, as far as they had keys, and what else their attempts depend on."""
        query = "SELECT agent, world, settings FROM part WHERE run = ? AND suite = ?"
        agent, world, settings = self._one(query, (run.number, suite)) or (None, None, None)
        try:
            return agent, world, dict(json.loads(settings or "{}"))
        except (TypeError, ValueError):
            return agent, world, {}

    def case(self, cased: int) -> tuple[bytes | None, dict[str, str]]:
        """What a case was, by its number in the log, and what its inputs were, as far as they had keys."""
        content, kept = self._one("SELECT content, about FROM cased WHERE number = ?", (cased,)) or (None, "{}")
        try:
            return content, dict(json.loads(kept).get("inputs", {}))
        except (TypeError, ValueError, AttributeError):
            return content, {}

    def report(self, run: Run) -> Report:
        """The report of a run, as far as it was written."""
        attempts = tuple(each.attempt for each in self.written(run))
        stopped = "stopped before its end" if run.how == "stopped" else None
        notes = (*run.notes, *self.notes)
        return Report(
            attempts=attempts,
            seconds=run.seconds or 0.0,
            interrupted=run.how == "interrupted",
            stopped=stopped,
            notes=notes,
        )

    def transcript(self, id: int) -> Transcript:
        """One transcript; raises `LogError` where it can't be read."""
        return transcript(self.connection, self.path, id)

    def masked(self, id: int) -> bool:
        """Whether secrets are masked in a transcript, so that it is not quite what was seen."""
        return bool((self._one("SELECT masked FROM transcript WHERE id = ?", (id,)) or (0,))[0])

    def stream(self, run: Run) -> Iterator[Written]:
        """The attempts of a run with their transcripts, one in memory at a time; one that can't be read says so in its notes."""
        for each in self.written(run):
            try:
                seen = self.transcript(each.id)
            except LogError as error:
                self.note(str(error))
                blind = ["calls", "messages", "usage", "iterations"]
                seen = Transcript(said=each.attempt.case.said, blind=blind, notes=[UNREAD, str(error)])
            yield each._replace(attempt=dataclasses.replace(each.attempt, transcript=seen))

    def scanned(self, query: str, span: tuple[int, int], back: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a span of ids; around a damaged place, those before it and those behind it."""
        last = span[0] - 1
        try:
            for row in self.connection.execute(query, span):
                yield row
                last = row[0]
            return
        except sqlite3.Error as error:
            self.note(str(unread(self.path, error)))
        behind = []
        try:
            for row in self.connection.execute(back, (last + 1, span[1])):
                behind.append(row)
        except sqlite3.Error:
            pass
        yield from reversed(behind)

    def _one(self, query: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        try:
            found: tuple[Any, ...] | None = self.connection.execute(query, values).fetchone()
        except sqlite3.Error as error:
            self.note(str(unread(self.path, error)))
            return None
        return found

    def note(self, sentence: str) -> None:
        """Note, once, what could not be read."""
        if sentence not in self.notes:
            self.notes.append(sentence)


_RUNS = f"SELECT {', '.join(COLUMNS)} FROM run WHERE number BETWEEN ? AND ? ORDER BY number"
_RUNS_BACK = _RUNS + " DESC"
ATTEMPTS = (
    "SELECT id, cased, number, status, key, tokens, cost, left_behind, verdict, place, earlier, sum FROM attempt "
    "WHERE id BETWEEN ? AND ? AND stale = 0 ORDER BY id"
)
ATTEMPTS_BACK = ATTEMPTS + " DESC"
