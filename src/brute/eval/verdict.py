"""The failures of one attempt."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

Status = Literal["passed", "failed", "error", "cancelled"]
STATUSES: tuple[Status, ...] = ("passed", "failed", "error", "cancelled")

KINDS: dict[str, str] = {
    "turn.raised": "the turn raised an exception of the agent's own",
    "turn.deadline": "the turn was stopped at the deadline",
    "turn.crashed": "the turn ended or crashed the process that it ran in",
    "turn.memory": "the turn asked for more memory than the suite allows",
    "turn.output": "the turn wrote more to its output than there is room for",
    "turn.left": "the turn left processes running",
    "call.missing": "a wanted tool was never called, or not often enough",
    "call.arguments": "a wanted tool was called, but never with matching arguments",
    "call.unwanted": "more calls than are wanted, or a call besides where no other is",
    "call.forbidden": "a forbidden tool was called",
    "order": "the listed tools were called in another order",
    "mentions": "a word is not in the reply",
    "reply.missing": "the turn said nothing",
    "reply.unwanted": "the turn answered when it should have stayed silent",
    "absent": "the reply does not say that there is nothing",
    "budget.iterations": "more iterations than the budget allows",
    "budget.tool_calls": "more tool calls than the budget allows",
    "budget.tokens": "more tokens than the budget allows",
    "budget.seconds": "more seconds than the budget allows",
    "judge": "the judge found that a rubric is not met",
    "check": "the case's own check",
    "error.build": "the agent could not be built",
    "error.world": "the world broke",
    "error.stub": "a stub named no tool, could not be installed, or raised by mistake",
    "error.unstubbed": "a tool without a stub was called where that is refused",
    "error.tool": "the case forbids a name that is no tool, and a near name is one",
    "error.replay": "what is replayed was not recorded, or the recording can't be read or written",
    "error.model": "the model call failed",
    "error.hook": "a subscriber raised",
    "error.judge": "the judge could not be asked, its answer can't be read, or its votes decide nothing",
    "error.check": "the check crashed",
    "error.blind": "the adapter or the model did not report what the case asks about",
    "error.harness": "the harness itself broke",
    "cancelled": "the attempt was not finished: the run was interrupted or stopped",
}
"""Every kind of failure and of error there is; they are API and are never renamed."""


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is wrong with an attempt: a kind for machines, a sentence for people, and both sides of it.

    `detail` holds what is too long for the sentence, such as the last frames of the user's code.
    """

    kind: str
    message: str
    expected: Any = None
    actual: Any = None
    detail: str = ""

    def __str__(self) -> str:
        return self.message

    @property
    def is_error(self) -> bool:
        """Whether this says that the attempt could not be graded, rather than that the agent misbehaved."""
        return self.kind == "cancelled" or self.kind.startswith("error.")


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """The failures of one attempt, a root cause first, then in the order of the table of expectations; passed when there are none.

    Those whose kind begins with `error.` say why the attempt could not be graded. Where something that no later step could
    mend was seen before the error, both are there, and the attempt is failed.

    >>> Verdict().passed, Verdict((Failure("order", "wanted a, b in that order; got b, a"),)).status
    (True, 'failed')
    """

    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong and everything could be seen."""
        return not self.failures

    @property
    def errors(self) -> tuple[Failure, ...]:
        """Those of the failures that say why the attempt could not be graded."""
        return tuple(failure for failure in self.failures if failure.is_error)

    @property
    def status(self) -> Status:
        """`failed` where the agent misbehaved, `cancelled` or `error` where it could not be graded, else `passed`."""
        if not self.failures:
            return "passed"
        if any(not failure.is_error for failure in self.failures):
            return "failed"
        return "cancelled" if any(failure.kind == "cancelled" for failure in self.failures) else "error"

    @property
    def sentences(self) -> list[str]:
        """What is wrong, in words."""
        return [failure.message for failure in self.failures]
