"""What a run came to, counted by the database: no attempt is read but the first that went wrong of each case."""

from __future__ import annotations

import dataclasses
import functools
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from ..messages import Usage
from .attempt import Attempt
from .logreading import Reading, Run
from .logrows import earlier_of, judged_of
from .logschema import unread
from .spent import Spent
from .verdict import STATUSES

_WORST = ("failed", "error", "cancelled")


@dataclasses.dataclass(frozen=True, slots=True)
class Wrong:
    """A case that did not pass: the first of its attempts with the case's status, how many there are of those, and of all."""

    attempt: Attempt
    count: int
    of: int


@dataclasses.dataclass(frozen=True, slots=True)
class Tally:
    """What a run came to: cases by status, its attempts, what they spent (and how many did not say), and the cases that did not pass.

    `pass_k` is (k, passed, of): of the cases with several runs, how many passed all of them, k being the most; `judged` is what of the
    spending was a judge's. `damaged` says that this is only what could be read of it.
    """

    cases: dict[str, int]
    attempts: int
    tokens: tuple[int, int]
    cost: tuple[float, int]
    wrong: tuple[Wrong, ...]
    damaged: bool = False
    pass_k: tuple[int, int, int] | None = None
    judged: Spent = dataclasses.field(default_factory=Spent)


@dataclasses.dataclass(slots=True)
class _Group:
    """The attempts of one case with one status."""

    cased: int
    status: str
    count: int
    first: int
    tokens: int
    told: int
    cost: float
    priced: int
    earlier: int = 0
    reasons: int = 0
    judged: Spent = dataclasses.field(default_factory=Spent)

    def add(self, tried: Usage | None, judge: Spent | None, told: bool, priced: bool) -> None:
        """Add what was used beside the turn of one attempt, of which its tokens were `told`, and its cost."""
        used, judge = tried or Usage(), judge or Spent()
        self.judged = self.judged.and_also(judge)
        self.tokens += (used.total or 0) + judge.tokens
        self.cost += (used.cost or 0.0) + judge.cost
        self.told -= told and (tried is not None or judge.uncounted > 0)
        self.priced -= priced and (tried is not None or judge.unpriced > 0)

    @property
    def sound(self) -> bool:
        """Whether this could have been written: what passed has no reason why not, and everything else has one."""
        return self.status in STATUSES and self.reasons == (0 if self.status == "passed" else self.count)


_QUERY = (
    "SELECT cased, status, count(*), min(id), total(tokens), count(tokens), total(cost), count(cost), count(earlier), count(verdict) "
    "FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0 GROUP BY cased, status"
)
_EARLIER = "SELECT cased, status, earlier, tokens, cost FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0 AND earlier IS NOT NULL"

_SEVERAL = (
    "SELECT number, json_extract(about, '$.runs') FROM cased "
    "WHERE number IN (SELECT cased FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0)"
)


def tally(reading: Reading, run: Run) -> Tally:
    """What the run came to; of a damaged log, what can be counted is, attempt by attempt."""
    try:
        groups = [_Group(*row) for row in reading.connection.execute(_QUERY, run.span)]
        if any(group.earlier for group in groups):
            _add_earlier(groups, reading.connection.execute(_EARLIER, run.span))
    except (sqlite3.Error, ValueError, TypeError) as error:
        if isinstance(error, sqlite3.Error):
            reading.note(str(unread(reading.path, error)))
        groups = _counted(reading, run)
    if not all(group.sound for group in groups):
        groups = _counted(reading, run)
    reading.compare(run, sum(group.count for group in groups))
    worst: dict[int, _Group] = {}
    of: dict[int, int] = {}
    for group in groups:
        of[group.cased] = of.get(group.cased, 0) + group.count
        if group.cased not in worst or _rank(group.status) < _rank(worst[group.cased].status):
            worst[group.cased] = group
    found = [group for group in worst.values() if group.status != "passed"]
    wrong = [
        Wrong(reading.attempt(group.first), group.count, of[group.cased])
        for group in sorted(found, key=lambda each: each.first)
    ]
    graded = [group for group in groups if group.status != "cancelled"]
    # What was not finished has spent nobody knows how much.
    count = sum(of.values())
    return Tally(
        _by_status(worst.values()),
        sum(of.values()),
        (int(sum(group.tokens for group in graded)), count - sum(group.told for group in graded)),
        (sum(group.cost for group in graded), count - sum(group.priced for group in graded)),
        tuple(wrong),
        bool(reading.notes),
        _pass_k(reading, run, {group.cased: of[group.cased] for group in worst.values() if group.status == "passed"}),
        functools.reduce(Spent.and_also, (group.judged for group in graded), Spent()),
    )


def _pass_k(reading: Reading, run: Run, passed: Mapping[int, int]) -> tuple[int, int, int] | None:
    """(k, passed, of) for the cases with several runs; `passed` are the attempts of the cases that have only passed so far."""
    try:
        several = [(cased, runs) for cased, runs in reading.connection.execute(_SEVERAL, run.span) if runs > 1]
    except (sqlite3.Error, TypeError):
        return None  # as far as it can be read, the log says nothing of it
    if not several:
        return None
    return max(runs for _, runs in several), sum(passed.get(cased, 0) >= runs for cased, runs in several), len(several)


def _add_earlier(groups: Iterable[_Group], rows: Iterable[tuple[Any, ...]]) -> None:
    """Add what earlier tries and a judge used; of an attempt that was tried before, not all is known."""
    known = {(group.cased, group.status): group for group in groups}
    for cased, status, earlier, tokens, cost in rows:
        known[cased, status].add(earlier_of(earlier), judged_of(earlier), tokens is not None, cost is not None)


def _by_status(groups: Iterable[_Group]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for group in groups:
        counts[group.status] = counts.get(group.status, 0) + 1
    return counts


def _rank(status: str) -> int:
    return _WORST.index(status) if status in _WORST else len(_WORST)


def _counted(reading: Reading, run: Run) -> list[_Group]:
    """The same by reading every attempt that can be read."""
    groups: dict[tuple[int, str], _Group] = {}
    for each in reading.written(run):
        status, seen = each.attempt.status, each.attempt.transcript
        group = groups.setdefault((each.cased, status), _Group(each.cased, status, 0, each.id, 0, 0, 0.0, 0))
        told, priced = seen.tokens is not None, seen.cost is not None
        group.count += 1
        group.reasons += status != "passed"
        group.tokens, group.told = group.tokens + (seen.tokens or 0), group.told + told
        group.cost, group.priced = group.cost + (seen.cost or 0.0), group.priced + priced
        group.add(each.attempt.earlier, each.attempt.judged, told, priced)
    return list(groups.values())
