"""What a run that is gone on with holds beside what is made of it now: it counts for how the run ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from .attempt import Job
from .jsonable import plain
from .logschema import SERIALS
from .masking import masked
from .report import exit_status

End = tuple[str | None, int | None, Mapping[str, int]]
"""How a run ended, with which exit status, and its attempts by status."""

_MADE = (
    "SELECT a.id, c.name, a.number FROM attempt a JOIN cased c ON c.number = a.cased "
    "WHERE a.id BETWEEN ? AND ? AND a.stale = 0 AND c.suite = ?"
)
# Of two rows for one attempt, the later one counts.
_COUNTS = (
    "SELECT status, count(*) FROM (SELECT status, max(id) FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0 "
    "GROUP BY cased, number) GROUP BY status"
)


def span(number: int) -> tuple[int, int]:
    """The ids that the attempts of a run may have."""
    return number * SERIALS, (number + 1) * SERIALS - 1


class Earlier:
    """The run as it was before; `narrowed` says that only a part of it is made now, so that the rest of it stays."""

    def __init__(self, narrowed: bool = False) -> None:
        self.narrowed = narrowed

    def planned(self, connection: sqlite3.Connection, part: tuple[Any, ...], plan: Sequence[Job]) -> int:
        """How many attempts the part (the number of its run, its suite) has; what the plan has no more counts no more."""
        number, suite = part
        wanted = {(masked(str(plain(job.case.name))), job.number) for job in plan}
        beside = [
            id
            for id, name, count in connection.execute(_MADE, (*span(number), suite)).fetchall()
            if (name, count) not in wanted
        ]
        if not self.narrowed:
            connection.executemany("UPDATE attempt SET stale = 1 WHERE id = ?", [(id,) for id in beside])
            return len(plan)
        row = connection.execute("SELECT planned FROM part WHERE run = ? AND suite = ?", part).fetchone()
        return max(len(beside) + len(plan), row[0] if row else 0)

    def end(self, connection: sqlite3.Connection, number: int, came: End) -> End:
        """How the run ends as a whole, where what is made now came to `came`: it has no end while attempts are missing."""
        how, status, _ = came
        counts: dict[str, int] = dict(connection.execute(_COUNTS, span(number)).fetchall())
        planned = connection.execute("SELECT sum(planned) FROM part WHERE run = ?", (number,)).fetchone()[0] or 0
        missing = planned - sum(counts.values())
        if missing > 0:
            counts["cancelled"] = counts.get("cancelled", 0) + missing
            if how == "finished":
                return None, None, counts
        return how, status if how == "interrupted" else exit_status(counts), counts
