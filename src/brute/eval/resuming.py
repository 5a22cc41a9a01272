"""What of an earlier run still stands, so that it need not be made again."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import sqlite3
from collections.abc import Sequence

from ..errors import UsageError
from .attempt import Attempt, Job
from .caps import Spent
from .jsonable import plain
from .judgement import spent
from .keying import Keys
from .logreading import Reading, Run, Written
from .logrows import Damaged, earlier_of, unpacked
from .logschema import unread
from .masking import masked
from .owning import owned
from .wording import both, plural, quote

DONE = ("passed", "failed")
"""The statuses of an attempt that is done: one that could not be graded, or was cancelled, is made again."""


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """What of a plan is done already, by index; `stale` are the ids in the log of what is made again, by index too; `notes` say what and why."""

    attempts: dict[int, Attempt]
    stale: dict[int, int] = dataclasses.field(default_factory=dict)
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
    return owned(run.how, run.host, run.process, run.born, run.beat)


class Resumption:
    """A run that is gone on with, as it stands in the log."""

    def __init__(self, reading: Reading, run: Run) -> None:
        self.reading = reading
        self.run = run

    def spent(self, exactly: bool) -> dict[str, Spent]:
        """What each of its suites is known to have spent, by its name: all that was ever made of it, also what counts no more.

        `exactly`: by the transcripts too, and not only as the suites noted it when they ended; one that was killed noted nothing.
        """
        known = dict(self.noted)
        for suite, made in self._made.items() if exactly else ():
            known[suite] = made.most(known.get(suite, Spent()))
        return known

    @functools.cached_property
    def noted(self) -> dict[str, Spent]:
        """What its suites had spent when they ended; to be asked for before they begin anew."""
        query = "SELECT suite, spent FROM part WHERE run = ?"
        found = {}
        for suite, noted in self.reading.connection.execute(query, (self.run.number,)):
            with contextlib.suppress(TypeError, ValueError):
                found[suite] = Spent(*json.loads(noted or "[]"))
        return found

    @functools.cached_property
    def _made(self) -> dict[str, Spent]:
        return _made(self.reading, self.run)

    @functools.cached_property
    def written(self) -> list[Written]:
        """Its attempts."""
        return self.reading.written(self.run)


def _made(reading: Reading, run: Run) -> dict[str, Spent]:
    query = (
        "SELECT c.suite, t.body, a.earlier FROM attempt a JOIN cased c ON c.number = a.cased "
        "JOIN transcript t ON t.id = a.id WHERE a.id BETWEEN ? AND ?"
    )
    found: dict[str, Spent] = {}
    try:
        for suite, body, earlier in reading.connection.execute(query, run.span):
            so_far = found.get(suite, Spent())
            with contextlib.suppress(Damaged, ValueError, TypeError):
                so_far = so_far.plus(earlier_of(earlier)) if earlier is not None else so_far
                transcript = unpacked(body)
                for request in transcript.requests:
                    so_far = so_far.plus(request.usage)
                so_far = so_far.and_also(spent(transcript.judgements))
            found[suite] = so_far
    except sqlite3.Error as error:
        reading.note(str(unread(reading.path, error)))
    return found


def done(earlier: Resumption, suite: str, plan: Sequence[Job], keys: Keys) -> Done:
    """What of the suite's plan is done in the run, by content: the case, the agent, the world and the number have to be the same.

    The attempts get the cases of today, so that their report is the report of a run that was never interrupted.
    """
    name = named(suite)
    known = {
        (each.attempt.case.name, each.attempt.number): each for each in earlier.written if each.attempt.suite == name
    }
    made: dict[int, Attempt] = {}
    changed: list[Pair] = []
    again: list[Pair] = []
    names = {job.case.name: job.case.name for job in plan}
    if named("\n".join(names)) != "\n".join(names):
        names = {each: named(each) for each in names}
    for index, job in enumerate(plan):
        found = known.get((names[job.case.name], job.number))
        if found is None:
            continue
        if found.key is None or found.key != keys.attempt(index):
            changed.append((found, index))
        elif found.attempt.status not in DONE:
            again.append((found, index))
        else:
            made[index] = dataclasses.replace(found.attempt, case=job.case, suite=suite)
    notes = [*_changed(earlier, name, plan, keys, changed), *_again(again), *keys.unkeyed]
    return Done(made, {index: found.id for found, index in (*changed, *again)}, tuple(notes))


Pair = tuple[Written, int]
"""An attempt of the log, and its place in today's plan."""


def named(name: str) -> str:
    """A name as it stands in a log."""
    return masked(str(plain(name)))


def _changed(earlier: Resumption, suite: str, plan: Sequence[Job], keys: Keys, changed: Sequence[Pair]) -> list[str]:
    """What is made again because it is no more what it was, and which of the things that it depends on is another."""
    if not changed:
        return []
    agent, world, rest = earlier.reading.part(earlier.run, suite)
    what = [
        word
        for word, was, now in (("the agent", agent, keys.agent), ("the world", world, keys.world))
        if was is None or was != now
    ]
    other = [name for name in rest if name in keys.rest and rest[name] != keys.rest[name]]
    what += [word for name, word in _REST.items() if name in other]
    groups: dict[str, list[str]] = {}
    for found, index in changed:
        case = plan[index].case
        content, _ = earlier.reading.case(found.cased)
        own = ["the judge"] if case.judge and "judge" in other else []
        own += ["the case"] if content is None or content != keys.case(case) else []
        # Older logs don't tell all that an attempt depended on.
        taped = "its recording" if keys.deck is not None and keys.deck.replay else ""
        whose = " and ".join([*what, *own]) or taped or "a setting of the suite, Python or brute itself"
        groups.setdefault(whose, []).append(quote(found.attempt.case.name))
    return [
        f"{plural(len(names), 'attempt')} made again, since {whose} changed: {both(dict.fromkeys(names))}"
        for whose, names in groups.items()
    ]


_REST = {"settings": "a setting of the suite", "python": "Python's version", "grading": "brute's grading"}
"""What an attempt depends on beside its agent, its world and its case, as a sentence has it."""


def _again(again: Sequence[Pair]) -> list[str]:
    return [f"{plural(len(again), 'attempt')} made again that could not be graded before"] if again else []
