"""Attempts in processes of their own, which may come to grief without anybody else noticing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from .. import grading, masking, wording
from ..attempt import Attempt, Job
from ..jsonable import transcript_from_json
from ..tls import Tax
from ..transcript import Transcript
from ..verdict import Failure, Verdict
from ..world import World
from . import nursery, remote, sending, worker
from .pool import Pool
from .remote import TAIL, Worker
from .trail import CHECKING, Seen, seen

if TYPE_CHECKING:
    from ..suite import Suite

PROGRAM = "brute.eval.isolated"

LOADED = 60.0
"""Seconds in which the suite's file is loaded, unless an attempt has more."""


class Process:
    """Attempts in a pool of warm workers, `width` at the most; one that does not survive its attempt is replaced."""

    def __init__(self, suite: Suite, width: int, tax: Tax) -> None:
        self.suite = suite
        self.width = width
        self.tax = tax
        self.built = False
        self.spoilt = False
        self._shared = isinstance(suite.world, World)
        self._pool = Pool(nursery.python(PROGRAM, "nursery"))
        self._idle: list[Worker] = []

    async def open(self) -> None:
        """Start the nursery, which loads the suite."""
        await self._pool.open(sending.order(self.suite), max(LOADED, self.suite.deadline))

    async def attempt(self, job: Job) -> Attempt:
        """The attempt, made by a worker; what became of that where it was not survived."""
        worker = self._worker()
        order = {"case": job.case.name, "number": job.number, "built": self.built, "spoilt": self.spoilt}
        try:
            kind, body = await worker.attempt(order, self.suite.deadline, job.case.budget.seconds)
        except BaseException:
            self._let_go(worker, "interrupted")
            raise
        return self._answer(job, worker, kind, body)

    def _worker(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if not worker.gone:
                return worker
        return self._pool.start()

    def _let_go(self, worker: Worker, why: str) -> None:
        """Kill the worker, whose process is no longer as a fresh one's."""
        worker.kill(why)
        self.spoilt = self.spoilt or self._shared

    def _answer(self, job: Job, one: Worker, kind: bytes, body: bytes) -> Attempt:
        """What the worker's last word comes to."""
        if kind == worker.DONE:
            return self._done(job, one, json.loads(body))
        if kind == nursery.ENDED or one.why is not None:
            self.spoilt = self.spoilt or self._shared
            return lost(job, one, self.suite.deadline)
        self._idle.append(one)
        if kind == worker.REFUSED:
            raise UsageError(json.loads(body))
        failure = Failure("error.harness", json.loads(body) if body else "the harness broke: the worker stopped")
        return Attempt(job.case, job.number, "error", Verdict((failure,)), Transcript(said=job.case.said))

    def _done(self, job: Job, one: Worker, told: dict[str, Any]) -> Attempt:
        self.built = self.built or told["built"]
        self.tax.contexts += told["tax"][0]
        self.tax.seconds += told["tax"][1]
        failures = [Failure(**each) for each in told["failures"]]
        if one.why == "output":
            failures.append(_flooded(one))
        if told["left"] or told["children"] or one.why is not None:
            self._let_go(one, "left behind")
        else:
            self._idle.append(one)
        verdict = Verdict(tuple(failures))
        transcript = transcript_from_json(told["transcript"])
        return Attempt(job.case, job.number, verdict.status, verdict, transcript)

    async def close(self) -> None:
        """End every worker."""
        await self._pool.close()


def _flooded(one: Worker) -> Failure:
    return Failure("turn.output", wording.flooded(remote.OUTPUT // 2**20), expected=remote.OUTPUT, actual=one.written)


def lost(job: Job, one: Worker, deadline: float) -> Attempt:
    """The attempt at which its worker was lost: graded by what was seen until then."""
    what = seen(job.case, one.grown)
    transcript = what.transcript
    if what.stage is None:
        transcript.seconds = (transcript.seconds or 0.0) + one.silent
    failure = _what_happened(job, one, what, deadline)
    budget = job.case.budget.seconds
    if one.why == "deadline" and what.stage is None and budget is not None and (transcript.seconds or 0) > budget:
        transcript.stopped = "budget.seconds"
    else:
        transcript.error = failure
    verdict = grading.grade(job.case, transcript)
    return Attempt(job.case, job.number, verdict.status, verdict, transcript)


def _what_happened(job: Job, one: Worker, what: Seen, deadline: float) -> Failure:
    stage, where = what.stage, what.where
    detail = masking.end(one.tail.decode("utf-8", "replace"), TAIL).strip()
    if one.why == "output":
        return _flooded(one)
    if not one.grown and one.why is None:
        return Failure(
            "error.harness", wording.process_ended_in("the attempt did not begin", one.status), detail=detail
        )
    if stage is not None:
        broke = f"the check {wording.quote(job.case.name)} broke" if stage is CHECKING else stage.broke
        slow = one.why == "deadline"
        sentence = wording.too_slow(broke, deadline) if slow else wording.process_ended_in(broke, one.status)
        return Failure(stage.kind, sentence, actual=one.status, detail=detail)
    if one.why == "deadline":
        return Failure("turn.deadline", wording.deadline(deadline, where), expected=deadline, detail=detail)
    return Failure("turn.crashed", wording.process_ended(one.status, where), actual=one.status, detail=detail)
