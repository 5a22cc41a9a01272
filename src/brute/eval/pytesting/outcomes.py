"""How a case that did not pass ends a test: one exception for the agent's fault, another for what could not be graded."""

from __future__ import annotations

from _pytest.outcomes import Exit

from ..report import CaseResult
from .showing import summary, told


class NotPassed(Exception):
    """A case that did not pass, with all of its attempts."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__("\n".join([summary(result), *told(result)]))
        self.result = result


class CaseFailed(NotPassed, AssertionError):
    """A case that failed: the agent misbehaved."""


class CaseUngraded(NotPassed):
    """A case that could not be graded. It is no `AssertionError`, so that a test which expects a failure does not pass by it."""


class ProcessLeft(Exit):
    """The end of the session, where code of an agent's wanted this process to end; the exit status is that of an interruption, whatever it chose."""


def judge(result: CaseResult) -> None:
    """Raise what a test ends with, unless the case passed."""
    __tracebackhide__ = True
    if result.status == "failed":
        raise CaseFailed(result)
    if result.status != "passed":
        raise CaseUngraded(result)
