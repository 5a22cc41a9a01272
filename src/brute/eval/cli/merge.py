"""`brute merge`: several logs as one."""

from __future__ import annotations

import click

from ...errors import UsageError
from ..logreading import Reading
from ..logschema import LogError
from ..masking import masked
from ..merging import merged
from ..reporters.inert import inert
from .logs import tell, unreadable, write
from .refusal import Refusal, sentence
from .runs import lines


@click.command("merge", short_help="Write the runs of several logs into one.")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("-o", "--out", required=True, metavar="PATH", help="The log to make.")
def command(logs: tuple[str, ...], out: str) -> None:
    """Write the runs of several logs into one new log.

    The shards of one selection (`brute eval --shard 2/5`) become one run. A run that several logs hold is written once.

    \b
    Exit status: 0 everything was written; 2 usage; 3 something of a log could not
    be read, and its run is left unfinished.
    """
    try:
        came = merged(logs, out)
        with Reading(out) as reading:
            write(line for run in reading.runs() for line in lines(run))
    except UsageError as error:
        raise Refusal([sentence(error)]) from error
    except LogError as error:
        raise unreadable(error) from error
    for note in came.notes:
        click.echo(f"Warning: {inert(masked(note), 1000)}", err=True)
    tell(came.damaged)
