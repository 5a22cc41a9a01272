"""One execution of one case, and the order for one."""

from __future__ import annotations

import dataclasses

from ..given import eased
from ..messages import Usage
from .case import Case
from .spent import Spent
from .transcript import Transcript
from .verdict import Status, Verdict


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """The order for one attempt: which case, and the number of the attempt, from 1."""

    case: Case
    number: int = 1


@eased
@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of one case, on a fresh agent in a fresh world, with its verdict and its transcript.

    `number` counts from 1 to the case's `runs`; `suite` names the suite where a report holds several; `left_behind` says that a
    thread or a task of the agent could not be stopped and was left running; `earlier` is what is known to have been used by tries of this
    attempt before it, whose infrastructure failed; `judged` is what a judge used, which is none of the agent's.
    """

    case: Case
    number: int
    status: Status
    verdict: Verdict
    transcript: Transcript
    suite: str = ""
    left_behind: bool = False
    earlier: Usage | None = None
    judged: Spent | None = None

    @property
    def passed(self) -> bool:
        """Whether the attempt passed."""
        return self.status == "passed"
