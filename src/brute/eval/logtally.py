"""What a run came to, counted by the database: no attempt is read but the first that went wrong of each case."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterable
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

    `damaged` says that this is only what could be read of it.
    """

    cases: dict[str, int]
    attempts: int
    tokens: tuple[int, int]
    cost: tuple[float, int]
    wrong: tuple[Wrong, ...]
    damaged: bool = False


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

    def add(self, tried: Usage | None, judge: Spent | None, told: bool, priced: bool) -> None:
        """Add what was used beside the turn of one attempt, of which its tokens were `told`, and its cost."""
        used, judge = tried or Usage(), judge or Spent()
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
    count = sum(group.count for group in graded)
    return Tally(
        _by_status(worst.values()),
        sum(of.values()),
        (int(sum(group.tokens for group in graded)), count - sum(group.told for group in graded)),
        (sum(group.cost for group in graded), count - sum(group.priced for group in graded)),
        tuple(wrong),
        bool(reading.notes),
    )


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
