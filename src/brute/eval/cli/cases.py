"""`brute cases`: recorded attempts made into cases, and the schema of files of cases."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Iterator, Sequence

import click

from ...errors import UsageError
from ..attempt import Attempt
from ..casefiles import ENDINGS
from ..logreading import Reading, Run, Written
from ..logschema import LogError
from ..reporters.inert import inert
from ..reporters.lines import named
from ..reporters.outlet import Outlet
from .logs import attempt_of, check, chosen, log_option, opened, tell, warn
from .refusal import Refusal, Undone, sentence

FORMS = {"yaml": ".yaml", "json": ".json", "jsonl": ".jsonl", "python": ".py"}
"""What cases are written as, and how such a file ends."""


@click.group("cases", short_help="Make cases of recorded attempts, or print the schema of their files.")
def command() -> None:
    """Make cases of recorded attempts, or print the JSON schema of files of cases."""


@command.command("schema")
def schema() -> None:
    """Print the JSON schema of files of cases, by which an editor completes and checks."""
    import json

    from ..casefiles.schema import schema as made

    click.echo(json.dumps(made(), indent=2))


@command.command("from")
@click.argument("run")
@click.argument("case", required=False)
@click.argument("number", required=False, type=click.IntRange(min=1))
@click.option("--as", "form", type=click.Choice(list(FORMS)), help="Write this.  [as PATH ends, else yaml]")
@click.option("-o", "--out", metavar="PATH", help="The file to make, instead of standard output.")
@log_option
def from_run(run: str, case: str | None, number: int | None, form: str | None, out: str | None, path: str) -> None:
    """Make a case of a recorded attempt, to be reviewed.

    Its stubs answer as the tools did, its expectations are what the attempt called and said. RUN is an id that `brute runs` lists, the
    beginning or the end of one, or `last`. CASE is the name of a case, or a part of it; without one, each case of the run becomes one. Without
    NUMBER, the first attempt that passed is taken, else the first.
    """
    ending = FORMS[form] if form is not None else _ending(out)
    if out is not None and os.path.exists(out):
        raise Refusal([f"{inert(out)} is there already, and is not written over"])
    with opened(path) as reading:
        found = chosen(reading, run)
        try:
            told, notes = _written(_attempts(reading, found, case, number), found, ending, alone=case is not None)
        except UsageError as error:
            raise Refusal([sentence(error)]) from error
        damaged = list(reading.notes)
    warn(notes)
    _put(told, out)
    tell(damaged)


def _put(told: str, out: str | None) -> None:
    """Write the text to a file that is not there yet, or to standard output."""
    if out is None:
        outlet = Outlet(sys.stdout)
        outlet.write(told)
        check(outlet)
        return
    try:
        with open(out, "x", encoding="utf-8", newline="\n") as file:
            file.write(told)
    except OSError as error:
        raise Undone([f"{inert(out)} can't be written: {error.strerror or error}"]) from error


def _ending(out: str | None) -> str:
    if out is None:
        return ".yaml"
    ending = os.path.splitext(out)[1]
    if ending not in (*ENDINGS, ".py"):
        raise Refusal(
            [f"{inert(out)} can't be told to be YAML, JSON or Python: it must end in {', '.join(ENDINGS)} or .py"]
        )
    return ".yaml" if ending == ".yml" else ending


def _attempts(reading: Reading, run: Run, case: str | None, number: int | None) -> list[Attempt]:
    """The attempts that cases are to be made of, with their transcripts."""
    if case is not None:
        named_so = attempt_of(reading, run, case, number)
        written = [named_so] if number is not None else [_best(_of_case(reading, run, named_so))]
    else:
        cases: dict[int, list[Written]] = {}
        for each in reading.written(run):
            cases.setdefault(each.cased, []).append(each)
        written = [_best(of) for of in cases.values()]
    if not written:
        raise Refusal(["the run has no attempts"])
    try:
        return [dataclasses.replace(each.attempt, transcript=reading.transcript(each.id)) for each in written]
    except LogError as error:
        raise Undone([inert(str(error), 1000)]) from error


def _of_case(reading: Reading, run: Run, like: Written) -> list[Written]:
    return [each for each in reading.written(run) if each.cased == like.cased]


def _best(written: Sequence[Written]) -> Written:
    return next((each for each in written if each.attempt.passed), written[0])


def _written(attempts: Sequence[Attempt], run: Run, ending: str, alone: bool) -> tuple[str, list[str]]:
    """The text of the file, and what is to be said on standard error."""
    from ..proposing import Proposal, propose

    made: list[tuple[Attempt, Proposal]] = []
    left: list[str] = []
    names = [attempt.case.name for attempt in attempts]
    for attempt in attempts:
        called = named(attempt.suite, attempt.case.name) if names.count(attempt.case.name) > 1 else attempt.case.name
        try:
            made.append((attempt, propose(attempt, called)))
        except UsageError as error:
            left.append(f'"{inert(called)}": {error}')
    if not made:
        raise UsageError(
            "; ".join(left[:5]) if alone or len(left) < 5 else f"{'; '.join(left[:5])}, and {len(left) - 5} more"
        )
    comments = list(_comments(made, run))
    cases = [proposal.case for _, proposal in made]
    if ending == ".py":
        from ..casefiles.source import source_of

        return source_of(cases, comments), left
    from ..casefiles.writing import text_of

    told = text_of(cases, ending)
    if ending == ".yaml":
        return "".join(f"# {line}\n" for line in comments) + told, left
    # JSON has no comments.
    return told, [*left, *comments]


def _comments(made: Sequence[tuple[Attempt, object]], run: Run) -> Iterator[str]:
    """What a reviewer should know, line by line; all of it inert."""
    yield f"Made from run {inert(run.id)} by brute cases, to be reviewed: what was seen is not yet what is right."
    yield "The log holds no files and no checks of a case, so that there are none here."
    for attempt, proposal in made:
        name = inert(attempt.case.name)
        yield f'"{name}": attempt {attempt.number}, {attempt.status}'
        for note in proposal.notes:  # type: ignore[attr-defined]
            yield f'"{name}": {inert(note, 1000)}'
