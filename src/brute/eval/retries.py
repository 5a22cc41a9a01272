"""The attempts that are made again because infrastructure failed, never because the agent did."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from ..completion.retrying import Retrying
from ..errors import ModelError
from ..messages import Usage
from . import remarks
from .attempt import Attempt

FIRST = 2.0
"""Seconds before the first retry. A `Model` has by then tried three times within some two seconds: what is still there takes longer."""

CEILING = 30.0
"""Seconds before a retry at the most, unless the provider asks for more."""


class Retries:
    """The retries of a run's attempts: at most `limit` for each, after a model call that failed for a reason which may pass.

    `count` is how many were made, `attempts` for how many attempts. A retry has the number of the attempt that it stands for, a fresh agent and
    a fresh world; what was tried before, and why, is in the notes of its transcript.
    """

    def __init__(self, limit: int, **options: Any) -> None:
        self.retrying = Retrying(**{"limit": limit, "first": FIRST, "ceiling": CEILING, **options})
        self.count = 0
        self.attempts = 0

    async def made(self, make: Callable[..., Awaitable[Attempt]], *args: Any) -> Attempt:
        """What `make(*args)` answers, made again where its infrastructure failed."""
        first = await make(*args)
        if first.status != "error" or self.retrying.limit == 0 or _trouble(first) is None:
            return first
        tried = [first]
        notes: list[str] = []

        async def once() -> None:
            # The first of them is made already.
            attempt = tried[-1] if len(tried) == len(notes) + 1 else await make(*args)
            if attempt is not tried[-1]:
                tried.append(attempt)
            if (trouble := _trouble(attempt)) is not None:
                raise ModelError(attempt.verdict.sentences[0], transient=True, retry_after=trouble["retry_after"])

        try:
            await self.retrying.run(once, lambda sentence: notes.append(remarks.tried(sentence)))
        except ModelError as error:
            if len(notes) < self.retrying.limit:  # it gave up for another reason than that the retries are spent
                notes.append(remarks.given_up(str(error)))
        return self._last(tried, notes)

    def _last(self, tried: list[Attempt], notes: list[str]) -> Attempt:
        *before, last = tried
        last.transcript.notes[:0] = notes
        if not before:
            return last
        self.count += len(before)
        self.attempts += 1
        return dataclasses.replace(last, earlier=known(before))

    def note(self) -> str | None:
        """The remark for the report, where attempts were made again."""
        return remarks.made_again(self.attempts, self.count) if self.count else None


def _trouble(attempt: Attempt) -> dict[str, Any] | None:
    """What may pass of what an attempt ended in; None where it was graded, or is in no state to be made again."""
    error = attempt.transcript.error
    if attempt.status != "error" or attempt.left_behind or error is None or error.kind != "error.model":
        return None
    return error.actual if isinstance(error.actual, dict) and error.actual.get("transient") else None


def known(attempts: Iterable[Attempt]) -> Usage:
    """What the attempts are known to have used: a floor, for the call that failed reported nothing."""
    used = [
        request.usage for attempt in attempts for request in attempt.transcript.requests if request.usage is not None
    ]
    costs = [usage.cost for usage in used if usage.cost is not None]
    return Usage(
        input=sum(usage.input or 0 for usage in used),
        output=sum(usage.output or 0 for usage in used),
        cost=sum(costs) if costs else None,
    )
