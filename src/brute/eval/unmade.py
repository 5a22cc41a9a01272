"""Attempts that never were, or that the harness broke at: no passes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from . import remarks, wording
from .attempt import Attempt, Job
from .transcript import Transcript
from .verdict import Failure, Verdict


def cancelled(job: Job, why: str, suite: str) -> Attempt:
    """The attempt that was not made, or not finished."""
    verdict = Verdict(failures=(Failure("cancelled", remarks.not_finished(why)),))
    return Attempt(job.case, job.number, "cancelled", verdict, Transcript(said=job.case.said), suite)


def broken(job: Job, error: BaseException) -> Attempt:
    """The attempt at which the harness itself broke: an error of ours, which costs no other attempt its result."""
    verdict = Verdict(failures=(Failure("error.harness", f"the harness broke: {wording.exception(error)}"),))
    return Attempt(job.case, job.number, "error", verdict, Transcript(said=job.case.said))


def named(attempt: Attempt, suite: str) -> Attempt:
    """The attempt, with the name of its suite."""
    return dataclasses.replace(attempt, suite=suite)


def filled(made: Mapping[int, Attempt], plan: Sequence[Job], why: str, suite: str) -> tuple[Attempt, ...]:
    """All attempts of the plan: those that were made, by their places in it, and for each of the others one that was cancelled."""
    places = range(len(plan))
    if len(made) == len(plan):  # as nearly always, and it is asked for several times
        return tuple(map(made.__getitem__, places))
    return tuple(made.get(at) or cancelled(plan[at], why, suite) for at in places)
