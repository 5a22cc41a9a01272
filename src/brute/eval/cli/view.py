"""`brute view`: show the runs of a log in a browser, live."""

from __future__ import annotations

import ipaddress
import threading
import webbrowser
from typing import NamedTuple

import click

from ...errors import UsageError
from ..masking import masked
from ..report import INTERRUPTED
from ..reporters.inert import inert
from ..signals import terminable
from .logs import chosen, log_option, opened
from .refusal import Refusal, sentence


@click.command("view", short_help="Show the runs of a log in a browser, live.")
@click.argument("run", required=False)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="Listen at this port.  [a free one]")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Listen at this address.")
@click.option("--expose", is_flag=True, help="With --host: let other machines read the log.")
@log_option
@click.pass_context
def command(
    context: click.Context, run: str | None, opens: bool, port: int | None, host: str, expose: bool, path: str
) -> None:
    """Show the runs of a log in a browser, or RUN alone, while they go on; Ctrl-C ends it.

    RUN is an id that `brute runs` lists, the beginning or the end of one, or `last`. The address that is written has a token in it:
    whoever has the address can read the log, and nobody can change it.
    """
    with opened(path) as reading:
        shown = f"run/{chosen(reading, run).number}" if run is not None else ""
        for note in reading.notes:
            click.echo(f"Warning: {inert(masked(note), 1000)}", err=True)
    with terminable():
        _serve(path, shown, Listening(host, port, expose), opens)
    context.exit(INTERRUPTED)


class Listening(NamedTuple):
    """Where the server is to listen, and whether other machines may reach it there."""

    host: str
    port: int | None
    expose: bool


def _serve(path: str, shown: str, at: Listening, opens: bool) -> None:
    """Serve what is `shown` of the log at `path` until Ctrl-C."""
    from ..view import serving
    from ..view.app import application
    from ..view.gate import Gate

    try:
        serving.check_extra()
        made = serving.bound(*at)
    except UsageError as error:
        raise Refusal([sentence(error)]) from error
    token = serving.new_token()
    gate = Gate(application(path), token, at.expose)
    if not ipaddress.ip_address(made.getsockname()[0]).is_loopback:
        click.echo(f"Warning: {_EXPOSED}", err=True)

    def ready() -> None:
        click.echo(f"{inert(path, 300)} is shown at this address until you press Ctrl-C", err=True)
        click.echo(serving.address(made, f"/{token}/{shown}"))
        if opens:
            invitation = serving.address(made, gate.invitation(f"/{token}/{shown}"))
            threading.Thread(target=_open, args=(invitation,), daemon=True).start()

    with made:
        serving.serve(gate, made, ready)


_EXPOSED = (
    "other machines can reach this server, by this machine's name or number; whoever has the address can read all runs, and whoever "
    "is between you and them can read along, for nothing is encrypted"
)


def _open(address: str) -> None:
    if not webbrowser.open(address):
        click.echo("Warning: no browser could be opened; open the address yourself", err=True)
