"""Runs that are written to a log without a suite: attempts of any number, told apart by their cases."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from brute.eval import Attempt, Case, Failure, Job, Report, Transcript, Verdict
from brute.eval.keying import Keys
from brute.eval.runlog import Recording, RunLog
from tests.support.make import call, message, request

STATUSES = ("passed", "passed", "failed", "error")
KINDS = {"passed": (), "failed": ("mentions",), "error": ("error.model",), "cancelled": ("cancelled",)}


def attempt(number: int, **fields: Any) -> Attempt:
    """An attempt at the case of this number; by the number it passed, failed or could not be graded."""
    status = STATUSES[number % len(STATUSES)]
    failures = tuple(
        Failure(kind, f"{kind} in {number}", expected=[number], actual={"a": None}) for kind in KINDS[status]
    )
    seen = Transcript(
        said=f"say {number}",
        messages=[
            message("user", f"say {number}"),
            message("assistant", "", ("search", {"q": number})),
            message("assistant", f"reply {number}"),
        ],
        calls=[call("search", "stubbed", q=number)],
        requests=[request(tokens=number), request(tokens=1)],
        iterations=2,
        seconds=0.25,
    )
    case = Case(f"case {number}", said=f"say {number}", runs=1)
    made = {"transcript": seen, "status": status, **fields}
    return Attempt(case, 1, made.pop("status"), Verdict(failures), made.pop("transcript"), **made)


def attempts(count: int) -> list[Attempt]:
    """So many attempts."""
    return [attempt(number) for number in range(count)]


def plan(made: Sequence[Attempt]) -> list[Job]:
    """The plan that comes to these attempts."""
    return [Job(each.case, each.number) for each in made]


async def recorded(
    recording: Recording, made: Sequence[Attempt], suite: str = "", width: int = 8, **more: Any
) -> list[Attempt]:
    """Write the attempts, `width` at a time; what comes back of each."""
    part = recording.part(suite, plan(made), Keys(plan(made)), **more)
    back: dict[int, Attempt] = {}
    jobs = iter(enumerate(made))

    async def work() -> None:
        for index, each in jobs:
            back[index] = await part.wrote(index, each)

    async with asyncio.TaskGroup() as group:
        for _ in range(width):
            group.create_task(work())
    return [back[index] for index in sorted(back)]


def run_of(made: Sequence[Attempt], path: Path, suite: str = "", ended: bool = True, **more: Any) -> Recording:
    """A run of these attempts in the log at `path`."""
    recording = RunLog(path, **more).begin(["brute", "eval", "x.py"])
    asyncio.run(recorded(recording, made, suite))
    if ended:
        recording.end(Report(attempts=tuple(made), seconds=1.5, notes=("a note",)))
    else:
        recording.close()
    return recording


@contextlib.contextmanager
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """The log at `path` as a database, to be changed behind everybody's back."""
    connection = sqlite3.connect(path)
    try:
        with connection:
            yield connection
    finally:
        connection.close()
