"""Stored transcripts under today's expectations: grading again without running again."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence

from . import judgewording, stopwording, wording
from .attempt import Attempt
from .case import Case
from .checking import checked
from .fingerprint import Prints
from .grading import grade, overrun
from .jsonable import plain
from .keying import inputs_of
from .logreading import UNREAD, Reading, Run, Written
from .masking import masked
from .report import Report
from .showing import both, plural, quote
from .transcript import Transcript
from .verdict import Failure, Verdict


async def regrade(
    reading: Reading,
    run: Run,
    cases: Sequence[tuple[str, Case]],
    *,
    worlds: Mapping[str, bytes | None] | None = None,
    deadline: float = 600,
) -> Report:
    """The report that the run would have under the expectations of these cases, each with the name of its suite.

    A case is known again by its name. An attempt that could not be graded for a reason outside the expectations keeps that reason, and
    one that the run never made is cancelled. One whose case is given something else today (by the suite's world in `worlds`, too) is an
    error: its transcript is that of another situation. So is one that came to something else than it did while it ran, where secrets
    in its transcript are masked. A check is called with the stored transcript, within `deadline` seconds; no judge is asked, and a rubric that
    it said nothing of is an error.
    """
    known = _Known(cases)
    since = _Since(reading, run, worlds or {})
    hidden = judged = 0
    made: dict[tuple[str, str, int], Attempt] = {}
    strange: dict[str, None] = {}
    for written in reading.stream(run):
        found = known.of(written)
        if found is None:
            strange.setdefault(quote(written.attempt.case.name))
        elif written.attempt.number <= found[1].runs:
            attempt = dataclasses.replace(written.attempt, suite=found[0], case=found[1])
            changed = since.changed(written, *found)
            again = _other(attempt, changed) if changed else await _again(attempt, deadline)
            if (masks := reading.masked(written.id)) and not changed and again.status != written.attempt.status:
                again = _blind(again, wording.masked_since())
            hidden += masks
            judged += bool(found[1].judge and again.transcript.judgements)
            made[attempt.suite, attempt.case.name, attempt.number] = again
    attempts = [
        made.get((suite, case.name, number)) or _unmade(suite, case, number)
        for suite, case in cases
        for number in range(1, case.runs + 1)
    ]
    notes = (
        [f"{plural(len(strange), 'case')} of the run not graded, since no file offers them: {both(strange)}"]
        if strange
        else []
    )
    if since.names:
        notes.append(
            f"{plural(len(since.names), 'case')} given something else today than in the run: {both(since.names)}"
        )
    if judged:
        notes.append(judgewording.reused(judged))
    if hidden:
        notes.append(
            f"secrets are masked in {plural(hidden, 'transcript')}: what is expected of them can't be seen there"
        )
    return Report(attempts=tuple(attempts), seconds=run.seconds or 0.0, notes=(*run.notes, *notes, *reading.notes))


class _Since:
    """What has changed since the run in what its cases are given."""

    def __init__(self, reading: Reading, run: Run, worlds: Mapping[str, bytes | None]) -> None:
        self.names: dict[str, None] = {}
        self._reading = reading
        self._run = run
        self._worlds = worlds
        self._prints = Prints()
        self._known: dict[tuple[int, str], list[str]] = {}

    def changed(self, written: Written, suite: str, case: Case) -> list[str]:
        """The inputs of the case that are others today, as far as that can be told."""
        key = written.cased, suite
        if key not in self._known:
            self._known[key] = self._changed(written, suite, case)
        if self._known[key]:
            self.names.setdefault(quote(case.name))
        return self._known[key]

    def _changed(self, written: Written, suite: str, case: Case) -> list[str]:
        _, was = self._reading.case(written.cased)
        if not was:  # a log of the first schema
            said = None if case.said is None else masked(str(plain(case.said)))
            return ["said"] if written.attempt.case.said != said else []
        now = inputs_of(case, self._prints)
        _, before, _ = self._reading.part(self._run, written.attempt.suite)
        today = self._worlds.get(suite)
        world = ["the world"] if None not in (before, today) and before != today else []
        return [name for name in was if name in now and was[name] != now[name]] + world


def _other(attempt: Attempt, changed: Sequence[str]) -> Attempt:
    """An attempt whose transcript is that of another situation than the case's of today."""
    return attempt if attempt.status in ("cancelled", "error") else _blind(attempt, wording.given_otherwise(changed))


def _blind(attempt: Attempt, sentence: str) -> Attempt:
    return dataclasses.replace(attempt, verdict=Verdict((Failure("error.blind", sentence),)), status="error")


class _Known:
    """The cases of today, as an attempt of the log finds its own among them."""

    def __init__(self, cases: Sequence[tuple[str, Case]]) -> None:
        self._exact = {(_named(suite), _named(case.name)): (suite, case) for suite, case in cases}
        names = Counter(name for _, name in self._exact)
        self._alone = {name: found for (_, name), found in self._exact.items() if names[name] == 1}

    def of(self, written: Written) -> tuple[str, Case] | None:
        """The suite and the case; of a suite by another name too, where no other has a case of that name."""
        attempt = written.attempt
        return self._exact.get((attempt.suite, attempt.case.name)) or self._alone.get(attempt.case.name)


def _named(name: str) -> str:
    """A name as it stands in a log."""
    return masked(str(plain(name)))


def _unmade(suite: str, case: Case, number: int) -> Attempt:
    failure = Failure("cancelled", "not finished: the run has no attempt of this number")
    return Attempt(case, number, "cancelled", Verdict((failure,)), Transcript(said=case.said), suite)


async def _again(attempt: Attempt, deadline: float) -> Attempt:
    """The attempt under its case's expectations, graded as it was at the end of its turn."""
    transcript, case = attempt.transcript, attempt.case
    if attempt.status == "cancelled":
        return attempt
    lasting = _lasting(attempt.verdict.failures, transcript)
    transcript.failures = []
    try:
        failures = list(grade(case, transcript).failures)
    except Exception as error:
        failures = [Failure("error.harness", stopwording.broke("the harness broke in grading", error))]
    if lasting:
        failures = [*lasting, *(each for each in failures if each.kind == "call.forbidden")]
    elif case.check is not None and transcript.error is None and not overrun(transcript):
        failures += await checked(case, transcript, deadline)
    verdict = Verdict(tuple(failures))
    return dataclasses.replace(attempt, verdict=verdict, status=verdict.status)


def _lasting(failures: Sequence[Failure], transcript: Transcript) -> list[Failure]:
    """What no transcript tells of again: that there is none, or that the harness broke before there was one."""
    if UNREAD in transcript.notes:
        return [Failure("error.harness", "the transcript can't be read, so that there is nothing to grade")]
    empty = not (transcript.messages or transcript.calls or transcript.requests or transcript.error)
    return [each for each in failures if empty and each.is_error]
