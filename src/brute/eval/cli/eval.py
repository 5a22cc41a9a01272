"""`brute eval`: run eval files and report on their cases."""

from __future__ import annotations

import functools
import math
import os
from typing import Any

import click

from ...errors import UsageError
from .. import places
from ..caps import Caps, Meter
from ..casecheck import MOST_RUNS
from ..report import UNGRADED
from .choosing import none_wanted, wanted
from .gathering import agent_from_here, gathered
from .group import Ending
from .keeping import Wanted, given, gone_on, sharding
from .refusal import NothingSelected, Refusal, sentence


class Seconds(click.FloatRange):
    """A time in seconds: not endless, and not `nan`, which no comparison would refuse."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        seconds = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(f"{seconds} is no number of seconds; it must be finite and above 0", param, ctx)
        return seconds


@click.command("eval", short_help="Run eval files and report on their cases.")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option(
    "-k", "texts", multiple=True, metavar="TEXT", help="Only cases whose name holds TEXT; several: any of them."
)
@click.option(
    "--agent", metavar="TARGET", help="Evaluate this agent instead: agent.py, agent.py:name or package.module:name."
)
@click.option(
    "--runs", type=click.IntRange(1, MOST_RUNS), metavar="N", help="Make N attempts of every case; each must pass."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Make at most N attempts at a time.")
@click.option(
    "--deadline", type=Seconds(min=0, min_open=True), metavar="SECONDS", help="Stop an attempt after so long."
)
@click.option("--isolate", is_flag=True, help="Make every attempt in a process that may crash or hang alone.")
@click.option(
    "--max-retries",
    type=click.IntRange(min=0),
    metavar="N",
    help="Make an attempt again at most N times when its infrastructure failed.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0, min_open=True),
    metavar="DOLLARS",
    help="Stop the run when all attempts together have cost so much.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="Stop the run when so many tokens were spent."
)
@click.option(
    "--max-seconds", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop the run after so long."
)
@click.option("-x", "--fail-fast", is_flag=True, help="Stop at the first failed case.")
@click.option("--log", "log", metavar="PATH", help="Write the run to this log; `none` for none.  [.brute/runs.db]")
@click.option(
    "--resume",
    metavar="[RUN]",
    is_flag=False,
    flag_value="",
    help="Go on with a run (the last unfinished one): make only what is missing or has changed.",
)
@click.option("--shard", metavar="K/N", help="Only the cases of shard K of N.")
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    texts: tuple[str, ...],
    agent: str | None,
    runs: int | None,
    jobs: int | None,
    deadline: float | None,
    isolate: bool,
    max_retries: int | None,
    max_cost: float | None,
    max_tokens: int | None,
    max_seconds: float | None,
    fail_fast: bool,
    log: str | None,
    resume: str | None,
    shard: str | None,
) -> None:
    """Run eval files and report on their cases.

    PATH is an eval file, or a folder in which files called eval_*.py or *_eval.py are found. A file offers a Suite,
    or CASES with AGENT.

    \b
    Exit status: 0 every case passed; 1 a case failed; 3 none failed, but some
    could not be graded; 2 usage; 5 nothing selected; 130 interrupted.
    """
    if not paths and resume is None:
        raise click.MissingParameter(
            ctx=context, param=next(each for each in context.command.params if each.name == "paths")
        )
    if resume is not None and os.path.exists(resume):
        # `--resume eval_x.py` means the file, and the last run.
        paths, resume = (resume, *paths), ""
    if not paths and resume is not None:
        # The run's own command line says what it is to be gone on with.
        said = given(gone_on(log or places.LOG, resume), "brute eval PATH... --resume")
        paths, texts, agent, runs, shard = (said[name] for name in ("paths", "texts", "agent", "runs", "shard"))
    agent = agent_from_here(agent)
    suites = gathered(paths, agent)
    chosen = functools.partial(wanted, texts)
    names = [case.name for suite in suites for case in suite.cases]
    # One meter for all suites: what one of them spent, the next can't.
    meter = Meter(Caps(cost=max_cost, tokens=max_tokens, seconds=max_seconds))
    made = [
        suite.configured(
            agent=agent,
            runs=runs,
            jobs=jobs,
            deadline=deadline,
            only=chosen,
            fail_fast=fail_fast,
            executor="process" if isolate else None,
            meter=meter,
            retries=max_retries,
        )
        for suite in suites
    ]
    ending = context.find_object(Ending) or Ending()
    asked = Wanted(log, resume, shard, command=["brute", *ending.words])
    if not any(suite.cases for suite in made):
        raise NothingSelected([none_wanted(texts, names)])
    made = [suite for suite in sharding(made, asked) if suite.cases]
    if not made:
        raise NothingSelected([f"shard {shard} has no case: there are fewer cases than shards"])
    # asyncio comes with it, which neither the help nor a refusal needs.
    from .running import fetched_ahead, run

    if not fetched_ahead():
        context.exit(UNGRADED)
    try:
        status, abrupt = run(made, asked)
    except UsageError as error:
        raise Refusal([sentence(error)]) from error
    ending.abrupt = abrupt
    context.exit(status)
