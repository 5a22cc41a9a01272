"""What a judge said of a turn: one judgement for each rubric, made of the votes that were asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ..messages import Usage
from .masking import masked
from .spent import Spent


@dataclasses.dataclass(slots=True, kw_only=True)
class Vote:
    """One answer of the judge: whether the rubric is met and why, or None and what was answered where that can't be read.

    `usage` is what asking used (None: not reported), `model` which model answered, `retries` are the tries that failed before.
    """

    met: bool | None = None
    reason: str = ""
    usage: Usage | None = None
    model: str | None = None
    retries: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True, kw_only=True)
class Judgement:
    """What the judge said of one rubric. More than half of the `of` votes decide; `error` says why it could not be asked to the end.

    >>> yes, no, odd = Vote(met=True, reason="it does"), Vote(met=False, reason="it does not"), Vote(reason="hm")
    >>> [Judgement(rubric="is kind", votes=votes, of=3).met for votes in ([yes, yes], [no, yes, no], [yes, no, odd])]
    [True, False, None]
    """

    rubric: str
    votes: list[Vote] = dataclasses.field(default_factory=list)
    of: int = 1
    error: str | None = None

    @property
    def met(self) -> bool | None:
        """Whether the rubric is met; None where neither side has more than half of the votes, or not all could be asked."""
        if self.error is not None:
            return None
        return next((side for side in (True, False) if 2 * self.count(side) > self.of), None)

    @property
    def decided(self) -> bool:
        """Whether no further vote could change what it comes to."""
        left = self.of - len(self.votes)
        open = any(2 * (self.count(side) + left) > self.of for side in (True, False))
        return self.error is not None or self.met is not None or left <= 0 or not open

    def count(self, side: bool | None) -> int:
        """How many votes say so."""
        return sum(vote.met is side for vote in self.votes)

    def told(self, side: bool | None) -> str:
        """The reason of the first vote that says so."""
        return next((vote.reason for vote in self.votes if vote.met is side), "")

    def is_of(self, rubric: str) -> bool:
        """Whether this is about that rubric, also where it was read from a log, in which secrets are masked."""
        return rubric == self.rubric or masked(rubric) == self.rubric


def spent(judgements: Iterable[Judgement]) -> Spent:
    """What all votes used together, and a call that failed, of which nothing is known."""
    found = Spent()
    for each in judgements:
        for vote in each.votes:
            found = found.plus(vote.usage)
        found = found if each.error is None else found.plus(None)
    return found
