"""`brute grade`: today's expectations on the transcripts of a run, without running anything."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import click

from ..case import Case
from ..ending import guarded
from ..logreading import Run
from ..report import UNGRADED
from ..reporters.terminal import terminal
from ..signals import terminable
from ..suite import Suite
from .choosing import wanted
from .gathering import gathered
from .keeping import given
from .logs import chosen, log_option, opened
from .refusal import NothingSelected
from .reporting import nearby


@click.command("grade", short_help="Grade the transcripts of a run again, without running anything.")
@click.argument("run")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@log_option
@click.pass_context
def command(context: click.Context, run: str, paths: tuple[str, ...], path: str) -> None:
    """Grade the transcripts of RUN by today's expectations, without running anything.

    PATH is an eval file or a folder, as of `brute eval`; without one, those of the run's own command line. Cases are known again by their
    names, and checks are called with the stored transcripts. A case that is given something else today (said, stubs, files,
    conversation, world) can't be graded by what it did then. The log stays as it is.

    \b
    Exit status: as of `brute eval`; an attempt that the run never made counts as
    not finished.
    """
    with opened(path) as reading:
        found = chosen(reading, run)
        with guarded(), terminable():
            suites, cases = _cases(found, paths)
        if not cases:
            raise NothingSelected(["no case to grade by"])
        # asyncio comes with it, which neither the help nor a refusal needs.
        import asyncio

        from ..keying import Keys
        from ..regrading import regrade

        worlds = {suite.name: Keys([], suite.builder, suite.world).world for suite in suites}
        report = asyncio.run(regrade(reading, found, cases, worlds=worlds))
        damaged = bool(reading.notes)
    reporter = terminal(places=nearby(suites))
    reporter.finished(report)
    # What could not be read can't be said to have passed.
    context.exit(report.exit_status or (UNGRADED if damaged or reporter.unwritten else 0))


def _cases(run: Run, paths: Sequence[str]) -> tuple[list[Suite], list[tuple[str, Case]]]:
    """The suites, and their cases, each under the name of its suite; without a path, what the run's own command line selects today."""
    if paths:
        offered = gathered(paths, None)
        return offered, _offered(offered)
    said = given(run, f"brute grade {run.id} PATH...")
    suites = gathered(said["paths"], said.get("agent"))
    only = functools.partial(wanted, said.get("texts") or ())
    cases = [(suite, case) for suite, case in _offered(suites) if only(case)]
    if run.shard:
        from ..sharding import parsed, sharded

        named = [(suite, case.name) for suite, case in cases]
        # Of a merged run of which shards are missing, those that are there.
        kept = set().union(*(sharded(named, *parsed(each)) for each in run.shard.split(", ")))
        cases = [(suite, case) for suite, case in cases if (suite, case.name) in kept]
    runs = said.get("runs")
    if runs is not None:
        cases = [(suite, dataclasses.replace(case, runs=runs)) for suite, case in cases]
    return suites, cases


def _offered(suites: Sequence[Suite]) -> list[tuple[str, Case]]:
    return [(suite.name, case) for suite in suites for case in suite.cases]
