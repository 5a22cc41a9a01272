"""`brute eval`: run eval files and report on their cases."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ...errors import UsageError
from .. import places
from ..caps import Caps, Meter
from ..casecheck import MOST_RUNS
from ..ending import guarded
from ..report import UNGRADED
from ..signals import terminable
from .choosing import none_wanted, wanted
from .gathering import agent_from_here, gathered
from .group import Ending
from .keeping import Wanted, again, gone_on, place, sharding
from .loads import allowed
from .refusal import NothingSelected, Refusal, sentence, working_folder
from .reporting import Files, held, report_options
from .taping import keyless, refuse_shared, taped

if TYPE_CHECKING:
    from ..case import Case
    from ..suite import Suite


class Finite(click.FloatRange):
    """A number of `what`: not endless, and not `nan`, which no comparison would refuse."""

    def __init__(self, what: str) -> None:
        super().__init__(min=0, min_open=True)
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{number} is no number of {self.what}; it must be finite and above 0", param, ctx)
        return number


def _model(context: click.Context, param: click.Parameter, name: str | None) -> str | None:
    """The name of a model, as it could be asked."""
    if name is not None:
        from ...completion.providers import parted

        try:
            parted(name)
        except UsageError as error:
            raise click.BadParameter(str(error), context, param) from error
    return name


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
@click.option("--deadline", type=Finite("seconds"), metavar="SECONDS", help="Stop an attempt after so long.")
@click.option("--isolate", is_flag=True, help="Make every attempt in a process that may crash or hang alone.")
@click.option(
    "--memory",
    type=click.IntRange(min=1),
    metavar="MEGABYTES",
    help="With --isolate: let an attempt have so much memory beyond a fresh worker's.",
)
@click.option(
    "--max-retries",
    type=click.IntRange(min=0),
    metavar="N",
    help="Make an attempt again at most N times when its infrastructure failed.",
)
@click.option(
    "--max-cost",
    type=Finite("dollars"),
    metavar="DOLLARS",
    help="Stop the run when all attempts together have cost so much.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="Stop the run when so many tokens were spent."
)
@click.option("--max-seconds", type=Finite("seconds"), metavar="SECONDS", help="Stop the run after so long.")
@click.option(
    "--judge",
    callback=_model,
    metavar="PROVIDER:MODEL",
    help="Ask this model about the rubrics of cases that have some.",
)
@click.option("--votes", type=click.IntRange(min=1), metavar="N", help="Ask the judge N times; more than half decide.")
@click.option("-x", "--fail-fast", is_flag=True, help="Stop at the first failed case.")
@click.option("--log", "log", metavar="PATH", help="Write the run to this log; `none` for none.  [.brute/runs.db]")
@click.option(
    "--resume",
    metavar="[RUN]",
    is_flag=False,
    flag_value="",
    help="Go on with a run (the last unfinished one): make only what is missing or has changed.",
)
@click.option(
    "--record",
    metavar="[SIDE]",
    is_flag=False,
    flag_value="both",
    help="Keep what models and tools answer in cassettes beside the eval file; SIDE: model or tools alone.",
)
@click.option(
    "--replay",
    metavar="[SIDE]",
    is_flag=False,
    flag_value="both",
    help="Answer from the cassettes; SIDE: freeze the model or the tools alone.",
)
@click.option("--shard", metavar="K/N", help="Only the cases of shard K of N.")
@report_options
@click.pass_context
def command(
    context: click.Context,
    /,
    paths: tuple[str, ...],
    texts: tuple[str, ...],
    log: str | None,
    resume: str | None,
    shard: str | None,
    **settings: Any,
) -> None:
    """Run eval files and report on their cases.

    PATH is an eval file, or a folder in which files called eval_*.py or *_eval.py are found. A file offers a Suite,
    or CASES with AGENT. It may also be a file of cases (.yaml, .json, .jsonl), called cases or *_cases in a folder.

    \b
    Exit status: 0 every case passed; 1 a case failed; 3 none failed, but some
    could not be graded; 2 usage; 5 nothing selected; 130 interrupted.
    """
    files = Files.of(settings)
    files.refuse(places.LOG if log is None else log)
    files.clear()
    paths = taped(paths, settings)
    if not paths and resume is None:
        raise click.MissingParameter(
            ctx=context, param=next(each for each in context.command.params if each.name == "paths")
        )
    if resume is not None and os.path.exists(resume):
        # `--resume eval_x.py` means the file, and the last run.
        paths, resume = (resume, *paths), ""
    words = {"paths": paths, "texts": texts, "shard": shard, **settings}
    now = {name for name in words if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    narrowed = False
    if resume is not None and not paths:
        # The run's own command line says what it is to be gone on with.
        words, resume, narrowed = again(gone_on(log or places.LOG, resume), words, now)
    if words["memory"] is not None and not words["isolate"]:
        raise click.UsageError(
            "--memory needs --isolate: without it all attempts share the memory of one process", context
        )
    here = working_folder()
    with guarded(), terminable(), keyless(words["replay"]):
        suites = _gathered(words)
        files, log = held(here, files, log, suites)
        if resume is not None and paths:
            words, resume, narrowed = again(gone_on(place(suites, log), resume), words, now | {"paths"})
        _evaluate(context, suites, words, Wanted(log, resume, words["shard"], narrowed=narrowed), files)


def _gathered(words: dict[str, Any]) -> list[Suite]:
    """What the files offer."""
    words["agent"] = agent_from_here(words["agent"])
    return gathered(words["paths"], words["agent"], allowed(words["deadline"]), isolated=words["isolate"])


def _evaluate(
    context: click.Context, suites: Sequence[Suite], words: Mapping[str, Any], asked: Wanted, files: Files
) -> None:
    """Run what was selected of the suites, and end with its exit status."""
    texts = words["texts"]
    names = [case.name for suite in suites for case in suite.cases]
    made = _configured(suites, functools.partial(wanted, texts), words)
    refuse_shared(made)
    ending = context.find_object(Ending) or Ending()
    asked.command = ["brute", *ending.words]
    if not any(suite.cases for suite in made):
        raise NothingSelected([none_wanted(texts, names)])
    made = [suite for suite in sharding(made, asked) if suite.cases]
    _judges(made)
    if not made:
        raise NothingSelected([f"shard {asked.shard} has no case: there are fewer cases than shards"])
    # asyncio comes with it, which neither the help nor a refusal needs.
    from .running import fetched_ahead, run

    if any("model" not in suite.replay for suite in made) and not fetched_ahead():
        context.exit(UNGRADED)
    try:
        status, abrupt = run(made, asked, files)
    except UsageError as error:
        raise Refusal([sentence(error)]) from error
    ending.abrupt = abrupt
    context.exit(status)


def _judges(suites: Sequence[Suite]) -> None:
    """Refuse a case that asks for a judge that there is not, before anything of any suite is spent."""
    if not any(case.judge for suite in suites for case in suite.cases):
        return
    from ..judging import wanted as judge

    try:
        for suite in suites:
            judge(suite.cases, suite.judge, suite.votes)
    except UsageError as error:
        raise Refusal([sentence(error)]) from error


def _configured(suites: Sequence[Suite], chosen: Callable[[Case], bool], settings: Mapping[str, Any]) -> list[Suite]:
    """The suites with the chosen cases, as the command line's settings have them."""
    # One meter for all suites: what one of them spent, the next can't.
    caps = Caps(cost=settings["max_cost"], tokens=settings["max_tokens"], seconds=settings["max_seconds"])
    meter = Meter(caps)
    plainly = {name: settings[name] for name in ("agent", "runs", "jobs", "deadline", "fail_fast", "judge", "votes")}
    return [
        suite.configured(
            only=chosen,
            executor="process" if settings["isolate"] else None,
            memory=settings["memory"],
            meter=meter,
            retries=settings["max_retries"],
            record=settings["record"],
            replay=settings["replay"],
            **plainly,
        )
        for suite in suites
    ]
