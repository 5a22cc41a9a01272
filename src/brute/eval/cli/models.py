"""`brute models`: the embedded models, listed and fetched."""

from __future__ import annotations

import click

from ...completion import embedded
from ...errors import BruteError, UsageError
from ..reporters.inert import phrase
from .refusal import Refusal, Undone


@click.group("models", short_help="List the embedded models, or fetch one.", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the embedded models, or fetch one.

    An embedded model runs in this process, as Local("NAME"). It is fetched on first use, or by `brute models fetch NAME`.
    """
    if context.invoked_subcommand is None:
        for model in embedded.KNOWN.values():
            where = str(model.where) if model.where is not None else "not fetched"
            click.echo(f"{model.name}  {model.about}, {model.size / 1e6:.0f} MB, {model.licence}  {where}")


@command.command("fetch")
@click.argument("name")
def fetch(name: str) -> None:
    """Fetch the embedded model NAME, unless it is here, and say where it lies."""
    try:
        click.echo(str(embedded.fetch(name)))
    except UsageError as error:
        raise Refusal([phrase(str(error), 1000)]) from error
    except BruteError as error:
        raise Undone([phrase(str(error), 1000)]) from error
