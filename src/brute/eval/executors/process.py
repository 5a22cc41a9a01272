"""Attempts in processes of their own, which may come to grief without anybody else noticing."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio

from ...errors import UsageError
from ...messages import Usage
from .. import grading, masking, remarks, stopwording, wording
from ..attempt import Attempt, Job
from ..jsonable import transcript_from_json
from ..retries import known
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
    """Attempts in a pool of warm workers, `width` at the most; one that does not survive its attempt is replaced.

    `used` is told what each model call used, when it comes in.
    """

    def __init__(
        self, suite: Suite, width: int, tax: Tax, used: Callable[[Usage | None], object] = lambda usage: None
    ) -> None:
        self.suite = suite
        self.width = width
        self.tax = tax
        self.built = False
        self.spoilt = False
        self._shared = isinstance(suite.world, World)
        self._used = used
        self._pool = self._made_pool()
        self._opening = anyio.Lock()
        self._idle: list[Worker] = []

    def _made_pool(self) -> Pool:
        return Pool(nursery.python(PROGRAM, "nursery"), self._used)

    async def open(self) -> None:
        """Start the nursery, which loads the suite."""
        await self._opened(self._pool)

    async def _opened(self, pool: Pool) -> None:
        await pool.open(sending.order(self.suite), max(LOADED, self.suite.deadline))

    async def attempt(self, job: Job) -> Attempt:
        """The attempt, made by a worker; what became of that where it was not survived."""
        worker = await self._worker()
        kind, body = await self._sent(worker, job)
        if kind == nursery.ENDED and worker.orphaned and not self._shared:
            return await self._again(job, lost(job, worker, self.suite.deadline))
        return self._answer(job, worker, kind, body)

    async def _again(self, job: Job, first: Attempt) -> Attempt:
        """The attempt, made under a nursery of its own: where that ends too, it was this one that ended it, and no other beside it."""
        pool = self._made_pool()
        try:
            await self._anew(pool)
            worker = pool.start()
            kind, body = await self._sent(worker, job)
            made = self._answer(job, worker, kind, body)
        finally:
            await pool.close()
        made.transcript.notes.insert(0, remarks.tried(stopwording.NURSERY_ENDED))
        return dataclasses.replace(made, earlier=known([first]))

    async def _sent(self, worker: Worker, job: Job) -> tuple[bytes, bytes]:
        """The frame that the attempt ends in."""
        order = {"case": job.case.name, "number": job.number, "built": self.built, "spoilt": self.spoilt}
        try:
            return await worker.attempt(order, self.suite.deadline, job.case.budget.seconds)
        except BaseException:
            self._let_go(worker, "interrupted")
            raise

    async def _worker(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if not worker.gone:
                return worker
        with contextlib.suppress(ConnectionError):
            return self._pool.start()
        # The nursery was killed, by an agent or by a system that had run out of memory.
        async with self._opening:
            if self._pool.lost:
                await self._pool.close()
                self._pool = self._made_pool()
                await self._anew(self._pool)
        return self._pool.start()

    async def _anew(self, pool: Pool) -> None:
        try:
            await self._opened(pool)
        except UsageError as error:
            # It was no bad input the first time, and what has been made until now stands.
            raise RuntimeError(str(error)) from error

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
            gone = lost(job, one, self.suite.deadline)
            if self.suite.record:
                gone.transcript.notes.append(remarks.not_recorded_in_a_lost_process())
            return gone
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
    return Failure(
        "turn.output", stopwording.flooded(remote.OUTPUT // 2**20), expected=remote.OUTPUT, actual=one.written
    )


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
    if one.orphaned and stage is None:
        return Failure("turn.crashed", stopwording.ended_the_nursery(where))
    detail = masking.end(one.tail.decode("utf-8", "replace"), TAIL).strip()
    if one.why == "output":
        return _flooded(one)
    if not one.grown and one.why is None:
        return Failure(
            "error.harness", stopwording.process_ended_in("the attempt did not begin", one.status), detail=detail
        )
    if stage is not None:
        broke = f"the check {wording.quote(job.case.name)} broke" if stage is CHECKING else stage.broke
        slow = one.why == "deadline"
        sentence = stopwording.too_slow(broke, deadline) if slow else stopwording.process_ended_in(broke, one.status)
        return Failure(stage.kind, sentence, actual=one.status, detail=detail)
    if one.why == "deadline":
        return Failure("turn.deadline", stopwording.deadline(deadline, where), expected=deadline, detail=detail)
    return Failure("turn.crashed", stopwording.process_ended(one.status, where), actual=one.status, detail=detail)
