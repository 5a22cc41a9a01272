"""`brute show`: what a run came to, or one attempt of it as a person reads it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import click

from ..logreading import Reading, Run
from ..logschema import LogError
from ..logtally import tally
from ..reporters.conversation import FULL, Room, conversation
from ..reporters.inert import inert
from ..reporters.lines import Line
from ..reporters.tallied import tallied
from .logs import attempt_of, chosen, log_option, opened, tell, unreadable, write
from .runs import lines as run_lines
from .runs import state_of


@click.command("show", short_help="Show what a run came to, or one attempt as a person reads it.")
@click.argument("run")
@click.argument("case", required=False)
@click.argument("number", required=False, type=click.IntRange(min=1))
@click.option("--full", is_flag=True, help="Show every text in full.")
@log_option
def command(run: str, case: str | None, number: int | None, full: bool, path: str) -> None:
    """Show what RUN came to, or an attempt at CASE as a person reads it.

    RUN is an id that `brute runs` lists, the beginning or the end of one, or `last`. CASE is the name of a case, or a part of it.
    Without NUMBER, the first attempt that did not pass is shown, else the first.
    """
    with opened(path) as reading:
        found = chosen(reading, run)
        if case is None:
            write(_run(reading, found))
        else:
            write(_attempt(reading, found, case, number, FULL if full else Room()))
        tell(reading.notes)


def _run(reading: Reading, run: Run) -> Iterator[Line]:
    yield from run_lines(run)
    yield ()
    for note in run.notes:
        yield ((f"note: {inert(note, 1000)}", ""),)
    yield from tallied(tally(reading, run), state_of(run))


def _attempt(reading: Reading, run: Run, case: str, number: int | None, room: Room) -> Iterator[Line]:
    written = attempt_of(reading, run, case, number)
    try:
        seen = reading.transcript(written.id)
    except LogError as error:
        raise unreadable(error) from error
    yield from conversation(dataclasses.replace(written.attempt, transcript=seen), room)
