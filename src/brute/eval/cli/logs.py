"""What the verbs on runs have in common: the log that they read, and how lines are written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from ...errors import UsageError
from ..logreading import Reading, Run, Written
from ..logschema import LogError, NoLog
from ..masking import masked
from ..places import LOG
from ..reporters.inert import inert
from ..reporters.lines import Line, named
from ..reporters.outlet import Outlet
from ..reporters.terminal import width
from ..reporters.wrapping import fitted
from ..wording import both, plural, quote
from .refusal import Refusal, Undone, sentence

log_option: Callable[[Any], Any] = click.option(
    "--log", "path", default=LOG, show_default=True, metavar="PATH", help="The run log to read."
)


def opened(path: str) -> Reading:
    """The log at `path`; a sentence and an exit status where it can't be read."""
    try:
        return Reading(path)
    except LogError as error:
        raise unreadable(error) from error


def unreadable(error: LogError) -> Refusal:
    """The refusal for a log that can't be read: of a path at which there is none, the command line is to blame."""
    return (Refusal if isinstance(error, NoLog) else Undone)([inert(str(error), 1000)])


def chosen(reading: Reading, name: str) -> Run:
    """The run of this name."""
    try:
        return reading.run(name)
    except LogError as error:
        raise unreadable(error) from error
    except UsageError as error:
        raise Refusal([sentence(error)]) from error


def attempt_of(reading: Reading, run: Run, case: str, number: int | None) -> Written:
    """The attempt at a case, by its name or a part of it; without a number the first that did not pass, else the first."""
    written = reading.written(run)
    made = _by_name(written, case)
    if number is not None:
        made = [each for each in made if each.attempt.number == number]
        if not made:
            raise Refusal([f"case {quote(case)} has no attempt {number} in this run"])
    return next((each for each in made if not each.attempt.passed), made[0])


def _by_name(written: list[Written], case: str) -> list[Written]:
    def of(test: Callable[[str], bool]) -> list[Written]:
        return [
            each
            for each in written
            if test(each.attempt.case.name) or test(named(each.attempt.suite, each.attempt.case.name))
        ]

    found = of(lambda name: name == case) or of(lambda name: case.casefold() in name.casefold())
    names = list(dict.fromkeys(named(each.attempt.suite, each.attempt.case.name) for each in found))
    if len(names) > 1:
        raise Refusal(
            [f"{plural(len(names), 'case')} of this run have {quote(case)} in their names: {both(map(quote, names))}"]
        )
    if not found:
        from .choosing import none_wanted

        known = list(dict.fromkeys(each.attempt.case.name for each in written))
        raise Refusal([none_wanted([case], known) if known else "the run has no attempts"])
    return found


def warn(notes: Iterable[str]) -> bool:
    """Say on standard error what is to be known of what is written; whether there was anything."""
    told = list(notes)
    for note in told:
        click.echo(f"Warning: {inert(masked(note), 1000)}", err=True)
    return bool(told)


def tell(notes: Iterable[str]) -> None:
    """Say on standard error what of the log could not be read, and let the exit status say it too."""
    if warn(notes):
        raise Undone([])


def write(lines: Iterable[Line]) -> None:
    """Write the lines to standard output: with colours on a terminal that wants them. What could not be written is `Undone`."""
    outlet = Outlet(sys.stdout)
    coloured = outlet.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    for line in fitted(lines, width(outlet), outlet.ready):
        outlet.write("".join(_styled(text, style) if coloured else text for text, style in line).rstrip() + "\n")
        if outlet.closed:
            break
    check(outlet)


def check(outlet: Outlet) -> None:
    """Let the exit status say it where something could not be written; the sentence was written already."""
    if outlet.unwritten:
        raise Undone([])


def _styled(text: str, style: str) -> str:
    colour = next((word for word in style.split() if word not in ("bold", "dim")), None)
    return (
        click.style(text, fg=colour, bold="bold" in style or None, dim="dim" in style or None)
        if style and text
        else text
    )
