"""A run and an attempt as they stand in a log."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from .attempt import Attempt
from .logrows import Damaged
from .logschema import SERIALS


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """One run as it stands in the log. `how` says how it ended, None where nobody wrote that down; `counts` are attempts by status."""

    number: int
    id: str
    command: str
    shard: str | None
    whole: bytes | None
    versions: dict[str, str]
    commit_id: str | None
    dirty: bool | None
    host: str
    process: int
    started: float
    ended: float | None
    how: str | None
    exit_status: int | None
    seconds: float | None
    notes: tuple[str, ...]
    born: str | None
    beat: float | None
    planned: int
    counts: dict[str, int]
    damaged: bool = False
    """Whether the run's own row is not what was written."""

    @property
    def span(self) -> tuple[int, int]:
        """The ids that its attempts may have."""
        return self.number * SERIALS, (self.number + 1) * SERIALS - 1


class Written(NamedTuple):
    """An attempt as it stands in the log, with its id, the number of its case there, its key, and its place in the plan."""

    attempt: Attempt
    id: int
    cased: int
    key: bytes | None
    place: int


COLUMNS = tuple(field.name for field in dataclasses.fields(Run) if field.name not in ("planned", "damaged"))
"""What of a run stands in its row."""

_KINDS: dict[str, tuple[type, ...]] = {
    "number": (int,), "id": (str,), "command": (str,), "host": (str,), "process": (int,), "started": (float, int),
    "shard": (str, type(None)), "whole": (bytes, type(None)), "commit_id": (str, type(None)), "dirty": (int, type(None)),
    "ended": (float, int, type(None)), "how": (str, type(None)), "exit_status": (int, type(None)),
    "seconds": (float, int, type(None)), "born": (str, type(None)), "beat": (float, int, type(None)),
}  # fmt: skip


def run_of(row: tuple[Any, ...], planned: int | None, counted: Callable[[], dict[str, int]]) -> Run:
    """The run of a row; `counted` tells the attempts by status where the row does not. Raises `Damaged` where it can't be told at all.

    A row that is damaged in part gives a run that is `damaged`, and which nobody may take for one that passed.
    """
    told: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    if any(not isinstance(told[name], kinds) for name, kinds in _KINDS.items()):
        raise Damaged("the row of a run is damaged")
    damaged = False
    for name, kind, instead in (("versions", dict, {}), ("notes", list, []), ("counts", dict, None)):
        try:
            told[name] = json.loads(told[name]) if told[name] is not None else instead
            damaged = damaged or not isinstance(told[name], (kind, type(instead)))
        except (TypeError, ValueError):
            damaged, told[name] = True, instead
    counts = told["counts"]
    if not isinstance(counts, dict) or not all(isinstance(count, int) for count in counts.values()):
        damaged, counts = damaged or counts is not None, counted()
    told |= {"counts": counts, "notes": tuple(map(str, told["notes"])), "planned": planned or sum(counts.values())}
    if told["exit_status"] == 0 and set(counts) - {"passed"}:
        damaged = True
    return Run(**told, damaged=damaged)
