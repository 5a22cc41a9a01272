"""Which log a command writes to, which run it goes on with, and which shard of the cases it takes."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ...errors import UsageError
from .. import places
from ..sharding import parsed, sharded, whole
from ..suite import Suite
from .refusal import Refusal, sentence

if TYPE_CHECKING:
    from ..logreading import Run

NO_LOG = "none"
"""What one writes for `--log` where there is to be none."""


@dataclasses.dataclass(slots=True)
class Wanted:
    """What a command line (`command`) asks of the log: its path (None: the suites' own), a run to go on with ("": the last one), a shard.

    `narrowed` says that only a part of that run is to be gone on with.
    """

    path: str | None = None
    resume: str | None = None
    shard: str | None = None
    whole: bytes | None = None
    command: Sequence[str] | None = None
    narrowed: bool = False


def place(suites: Sequence[Suite], path: str | None) -> str | None:
    """The log that the suites write to as one run, None for none: the command line's, or the first that a suite names."""
    if path is not None:
        return None if path == NO_LOG else path
    named = [suite.log for suite in suites if suite.log is not None]
    return next((log for log in named if log != places.LOG), named[0] if named else None)


def sharding(suites: Sequence[Suite], wanted: Wanted) -> list[Suite]:
    """The suites with the cases of the shard alone; `wanted` is told what it is a shard of."""
    if wanted.shard is None:
        return list(suites)
    number, of = shard_of(wanted.shard)
    cases = [(suite.name, case.name) for suite in suites for case in suite.cases]
    wanted.whole = whole(((suite.name, case.name, case.runs) for suite in suites for case in suite.cases), of)
    kept = sharded(cases, number, of)
    return [suite.configured(only=lambda case, name=suite.name: (name, case.name) in kept) for suite in suites]  # type: ignore[misc]


def shard_of(text: str) -> tuple[int, int]:
    """The shard and how many there are; a sentence where that can't be meant."""
    try:
        return parsed(text)
    except UsageError as error:
        raise Refusal([sentence(error)]) from error


def given(run: Run, instead: str) -> dict[str, Any]:
    """What the run's command line said to `brute eval`; `instead` says what to write where that can't be read."""
    from .eval import command as evaluate

    try:
        words = shlex.split(run.command)
        if words[1:2] == ["eval"]:
            return evaluate.make_context("eval", words[2:]).params
    except (ValueError, click.ClickException):
        pass
    raise Refusal([f"the run was not made by a `brute eval` that can be read again; name the eval files: {instead}"])


_SELECTING = ("paths", "texts", "shard", "runs")
"""What of a command line decides which attempts there are."""


def again(run: Run, words: dict[str, Any], now: set[str]) -> tuple[dict[str, Any], str, bool]:
    """What a command line that goes on with the run asks for, the run's id, and whether that is only a part of it.

    `words` are the settings given with it, those in `now` expressly. Without a path, everything else is as the run's own command line has it.
    """
    if "paths" not in now:
        said = given(run, "brute eval PATH... --resume")
        # Of several shards, what is missing is made: they become the run of all.
        said["shard"] = None if _merged(run) else said["shard"]
        words = {name: words[name] if name in now else said[name] for name in words}
    if words["shard"] is not None and run.shard is not None and words["shard"] != run.shard:
        raise Refusal(
            [
                f"run {run.id} is that of shard {run.shard}; another shard is a run of its own, and `brute merge` joins them"
            ]
        )
    if run.shard is not None and not _merged(run) and words["shard"] is None:
        words["shard"] = run.shard
    return words, run.id, bool(now & set(_SELECTING)) and _differ(run, words)


def _merged(run: Run) -> bool:
    """Whether the run is one of several shards, of which some are missing."""
    return run.shard is not None and "," in run.shard


def _differ(run: Run, words: dict[str, Any]) -> bool:
    """Whether other attempts are selected than by the run's own command line, or nobody can tell."""
    try:
        said = given(run, "")
    except Refusal:
        return True
    if _merged(run):
        said["shard"] = None
    return any(said[name] != words[name] for name in _SELECTING)


def gone_on(path: str | None, resume: str) -> Run:
    """The run that `--resume` means."""
    from ..logschema import LogError
    from ..resuming import unfinished
    from .logs import opened, unreadable

    if path is None or path == NO_LOG:
        raise Refusal(["there is no log to resume a run from"])
    with opened(path) as reading:
        try:
            return unfinished(reading, resume or None)
        except LogError as error:
            raise unreadable(error) from error
        except UsageError as error:
            raise Refusal([sentence(error)]) from error
