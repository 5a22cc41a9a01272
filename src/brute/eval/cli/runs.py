"""`brute runs`: list the runs of a log."""

from __future__ import annotations

import time
from collections.abc import Iterator

import click

from ..logreading import Run
from ..owning import owned
from ..reporters.inert import inert
from ..reporters.lines import Line, seconds
from ..verdict import STATUSES
from ..wording import plural
from .logs import log_option, opened, tell, write

_STYLES = {"finished": "", "interrupted": "magenta", "running": "cyan"}


@click.command("runs", short_help="List the runs of a log.")
@click.option(
    "-n", "most", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="List the last N runs."
)
@log_option
def command(most: int, path: str) -> None:
    """List the runs of a log, the last one first.

    Each has its id, when it began, how it ended, what came of its attempts, the commit (with a + where files had been changed), and
    the command line.
    """
    with opened(path) as reading:
        runs = sorted(reading.runs(), key=lambda run: (run.started, run.number), reverse=True)
        write(line for run in runs[:most] for line in lines(run))
        if len(runs) > most:
            write([((f"and {plural(len(runs) - most, 'earlier run')}", "dim"),)])
        if not runs and not reading.notes:
            write([(("no runs yet", "dim"),)])
        tell(reading.notes)


def lines(run: Run) -> Iterator[Line]:
    """What is said of a run."""
    took = f"{seconds(run.seconds)} s" if run.seconds is not None else ""
    state = state_of(run)
    commit = f"{run.commit_id[:8]}{'+' if run.dirty else ''}" if run.commit_id else ""
    shard = f"shard {inert(run.shard, 20)}" if run.shard else ""
    yield (
        (inert(run.id, 40), "bold"),
        (f"  {when(run.started)}  ", ""),
        (state, _STYLES.get(state.split(",")[0], "yellow")),
        (f"  {', '.join(filter(None, [made(run), took, shard, commit]))}", ""),
    )
    yield ((f"    {inert(run.command, 200)}", "dim"),)


def made(run: Run) -> str:
    """What came of the attempts."""
    count = sum(run.counts.values())
    known = [(run.counts[status], status) for status in STATUSES if run.counts.get(status)]
    told = ", ".join(f"{n:,} {'errors' if status == 'error' and n > 1 else status}" for n, status in known)
    of = f" of {run.planned:,}" if count != run.planned else ""
    return f"{count:,}{of} {'attempt' if run.planned == 1 else 'attempts'}{': ' if told else ''}{told}"


def state_of(run: Run) -> str:
    """How the run ended; where nobody wrote that down, whether it still goes on."""
    if run.damaged:
        return "damaged"
    if run.how is not None:
        return inert(run.how, 40)
    return "running" if owned(run.how, run.host, run.process, run.born, run.beat) else "unfinished"


def when(moment: float) -> str:
    """A moment as the clock on the wall has it."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
