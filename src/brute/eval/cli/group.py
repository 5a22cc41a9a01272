"""The command `brute` and its verbs."""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

import click

from ... import __version__
from ...errors import did_you_mean

VERBS = {
    "eval": "Run eval files and report on their cases.",
    "models": "List the embedded models, or fetch one.",
    "runs": "List the runs of a log.",
    "show": "Show what a run came to, or one attempt as a person reads it.",
    "export": "Write a run as lines of JSON.",
    "grade": "Grade the transcripts of a run again, without running anything.",
    "cases": "Make cases of recorded attempts, or print the schema of their files.",
    "merge": "Write the runs of several logs into one.",
    "view": "Show the runs of a log in a browser, live.",
}
"""Every verb with its short help; the module of the same name holds it as `command`."""


class Verbs(click.Group):
    """The verbs, known by name and short help alone: the module of one is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb, imported."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"{__package__}.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that the arguments name; an unknown one is refused with the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}{did_you_mean(args[0], VERBS)}; commands are {', '.join(VERBS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="brute", message="%(prog)s %(version)s")
def brute() -> None:
    """Evaluate agents: run real turns of a whole agent, and grade what they did."""


@dataclasses.dataclass(slots=True)
class Ending:
    """How the process is to end: `abrupt` where something was left running that nothing can stop. `words` are what was typed."""

    abrupt: bool = False
    words: Sequence[str] = ()


def main(args: Sequence[str] | None = None) -> NoReturn:
    """The door for a shell: run a verb and end the process with its exit status."""
    ending = Ending(words=sys.argv[1:] if args is None else args)
    try:
        status = brute.main(args, prog_name="brute", standalone_mode=False, obj=ending) or 0
    except click.ClickException as refused:
        refused.show()
        status = refused.exit_code
    except click.Abort:  # Ctrl-C before anything ran
        click.echo("interrupted", err=True)
        status = 130
    except OSError as error:
        if error.errno not in _UNWRITTEN:
            raise
        _say(error)
        status = 3
    leave(status, ending.abrupt)


def leave(status: int, abrupt: bool) -> NoReturn:
    """End the process; abruptly, so that no thread or task that was left behind can hold it up."""
    atexit.register(_deaf)
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # it was closed by whoever started the process
            continue
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            # What is still buffered goes nowhere, or the interpreter would complain of it on its way out.
            _discard(stream)
            # Whoever read it may have gone, and has had enough; but what could not be written did not go well.
            if not status and getattr(error, "errno", None) in _UNWRITTEN:
                _say(error)
                status = 3
    if abrupt:
        os._exit(status)
    sys.exit(status)


def _deaf() -> None:
    """What was to be said is said: a signal that comes while the interpreter ends would only change the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(ValueError, OSError):  # not on the main thread
            signal.signal(number, signal.SIG_IGN)


_UNWRITTEN = {errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF}
"""How a system says that what was written went nowhere: a full disk, a broken one, a closed descriptor."""


def _say(error: BaseException) -> None:
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"Error: the output could not be written: {error}", err=True)


def _discard(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
