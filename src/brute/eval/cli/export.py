"""`brute export`: a run as lines of JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from ..jsonable import plain
from ..logreading import Reading, Run, Written
from ..reporters.outlet import Outlet
from .logs import check, chosen, log_option, opened, tell

FORMAT = 1
"""The number of the lines' form; it grows when a field changes its meaning. New fields may come without."""


@click.command("export", short_help="Write a run as lines of JSON.")
@click.argument("run")
@click.option(
    "--jsonl", is_flag=True, required=True, help="Write one line of JSON for the run, then one for each attempt."
)
@log_option
def command(run: str, jsonl: bool, path: str) -> None:
    """Write RUN to standard output, attempt by attempt, with verdicts and transcripts.

    RUN is an id that `brute runs` lists, the beginning or the end of one, or `last`.
    """
    outlet = Outlet(sys.stdout)
    with opened(path) as reading:
        found = chosen(reading, run)
        for line in exported(reading, found):
            outlet.write(json.dumps(line, ensure_ascii=True, allow_nan=False) + "\n")
            if outlet.closed:
                break
        check(outlet)
        tell(reading.notes)


def exported(reading: Reading, run: Run) -> Any:
    """The lines, as data."""
    fields = (
        "id",
        "command",
        "shard",
        "versions",
        "commit_id",
        "dirty",
        "started",
        "ended",
        "how",
        "exit_status",
        "planned",
        "counts",
    )
    yield {"kind": "run", "format": FORMAT, **{name: getattr(run, name) for name in fields}, "notes": list(run.notes)}
    for written in reading.stream(run):
        yield _attempt(written)


def _attempt(written: Written) -> dict[str, Any]:
    attempt = written.attempt
    return {
        "kind": "attempt",
        "suite": plain(attempt.suite),
        "case": plain(attempt.case.name),
        "number": attempt.number,
        "status": attempt.status,
        "failures": [plain(failure) for failure in attempt.verdict.failures],
        "left_behind": attempt.left_behind,
        "earlier": plain(attempt.earlier),
        "judged": plain(attempt.judged),
        "key": written.key.hex() if written.key is not None else None,
        "transcript": attempt.transcript.to_json(),
    }
