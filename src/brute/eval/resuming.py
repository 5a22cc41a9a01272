"""What of an earlier run still stands, so that it need not be made again."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from ..errors import UsageError
from . import provenance
from .attempt import Attempt, Job
from .jsonable import plain
from .keying import Keys
from .logreading import Reading, Run, Written
from .masking import masked
from .wording import both, plural, quote

DONE = ("passed", "failed")
"""The statuses of an attempt that is done: one that could not be graded, or was cancelled, is made again."""


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What of a plan is done already: by index, and the ids in the log of what is made again; `notes` say what and why."""

    attempts: dict[int, Attempt]
    stale: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


def unfinished(reading: Reading, name: str | None = None) -> Run:
    """The run to go on with: the named one, or the last that did not end by itself and that nobody is writing to.

    Raises `UsageError` where there is none.
    """
    if name is not None:
        return reading.run(name)
    runs = [run for run in reading.runs() if run.how != "finished" and not _going_on(run)]
    if not runs:
        raise UsageError(f"no run in {reading.path} is unfinished; `brute runs` lists them")
    return max(runs, key=lambda run: (run.started, run.number))


def _going_on(run: Run) -> bool:
    return run.how is None and run.host == provenance.host() and provenance.alive(run.process)


class Resumption:
    """A run that is gone on with, as it stands in the log."""

    def __init__(self, reading: Reading, run: Run) -> None:
        self.reading = reading
        self.run = run

    @functools.cached_property
    def written(self) -> list[Written]:
        """Its attempts."""
        return self.reading.written(self.run)


def done(earlier: Resumption, suite: str, plan: Sequence[Job], keys: Keys) -> Done:
    """What of the suite's plan is done in the run, by content: the case, the agent, the world and the number have to be the same.

    The attempts get the cases of today, so that their report is the report of a run that was never interrupted.
    """
    name = _written(suite)
    known = {
        (each.attempt.case.name, each.attempt.number): each for each in earlier.written if each.attempt.suite == name
    }
    made: dict[int, Attempt] = {}
    changed, again = [], []
    names = {job.case.name: job.case.name for job in plan}
    if _written("\n".join(names)) != "\n".join(names):
        names = {each: _written(each) for each in names}
    for index, job in enumerate(plan):
        found = known.get((names[job.case.name], job.number))
        if found is None:
            continue
        if found.key is None or found.key != keys.attempt(index):
            changed.append(found)
        elif found.attempt.status not in DONE:
            again.append(found)
        else:
            made[index] = dataclasses.replace(found.attempt, case=job.case, suite=suite)
    notes = [*_changed(earlier, name, keys, changed), *_again(again), *keys.unkeyed]
    return Done(made, tuple(each.id for each in (*changed, *again)), tuple(notes))


def _written(name: str) -> str:
    """A name as it stands in a log."""
    return masked(str(plain(name)))


def _changed(earlier: Resumption, suite: str, keys: Keys, changed: Sequence[Written]) -> list[str]:
    """What is made again because it is no more what it was."""
    if not changed:
        return []
    agent, world = earlier.reading.part(earlier.run, suite)
    what = [
        word
        for word, was, now in (("the agent", agent, keys.agent), ("the world", world, keys.world))
        if was is None or was != now
    ]
    names = list(dict.fromkeys(quote(each.attempt.case.name) for each in changed))
    whose = " and ".join(what) or ("the case, a setting of the suite, Python or brute itself")
    return [f"{plural(len(changed), 'attempt')} made again, since {whose} changed: {both(names)}"]


def _again(again: Sequence[Written]) -> list[str]:
    return [f"{plural(len(again), 'attempt')} made again that could not be graded before"] if again else []
