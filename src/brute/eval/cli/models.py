"""`brute models`: the embedded models, listed and fetched."""

from __future__ import annotations

import click

from ...completion import embedded
from ...errors import BruteError
from ..reporters.inert import phrase
from .refusal import Refusal


@click.group("models", short_help="List the embedded models, or fetch one.", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the embedded models, or fetch one.

    An embedded model runs in this process, by Local("NAME"). It is fetched on first use; `brute models fetch NAME` fetches it
    before.
    """
    if context.invoked_subcommand is None:
        for model in embedded.models():
            kept = f"fetched, {model.path}" if model.path is not None else "not fetched"
            click.echo(f"{model.name}  {model.size / 1e6:.0f} MB  {model.license}  {kept}")


@command.command("fetch")
@click.argument("name")
def fetch(name: str) -> None:
    """Fetch the embedded model NAME, and write where it is kept."""
    try:
        click.echo(str(embedded.fetch(name)))
    except BruteError as error:
        raise Refusal([phrase(str(error), 1000)]) from error
