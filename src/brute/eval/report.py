"""What a run came to: every attempt, in the order of the plan, and the exit status."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ..messages import Usage
from .attempt import Attempt
from .case import Case
from .spent import Spent
from .verdict import Status

PASSED, FAILED, USAGE, UNGRADED, EMPTY, INTERRUPTED = 0, 1, 2, 3, 5, 130
"""The exit statuses of the command line."""


def exit_status(statuses: Iterable[str]) -> int:
    """The exit status of a run that came to these statuses of attempts."""
    found = set(statuses)
    return EMPTY if not found else FAILED if "failed" in found else PASSED if found == {"passed"} else UNGRADED


@dataclasses.dataclass(frozen=True, slots=True)
class CaseResult:
    """All attempts of one case; it passes only where every one of them does."""

    case: Case
    suite: str
    attempts: tuple[Attempt, ...]

    @property
    def status(self) -> Status:
        """The worst of the attempts: failed before error before cancelled before passed."""
        statuses = {attempt.status for attempt in self.attempts}
        return next((s for s in ("failed", "error", "cancelled") if s in statuses), "passed")


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """What a run came to.

    `attempts` stand in the order of the plan; `seconds` is the wall time of the run; `interrupted` says that it was stopped
    from outside, `stopped` that it stopped itself (at the first failed case); `notes` are remarks on the run as a whole.
    """

    attempts: tuple[Attempt, ...] = ()
    _: dataclasses.KW_ONLY
    seconds: float = 0.0
    interrupted: bool = False
    stopped: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def cases(self) -> list[CaseResult]:
        """The attempts by case, in the order of the plan."""
        groups: dict[tuple[str, str], list[Attempt]] = {}
        for attempt in self.attempts:
            groups.setdefault((attempt.suite, attempt.case.name), []).append(attempt)
        return [CaseResult(made[0].case, suite, tuple(made)) for (suite, _), made in groups.items()]

    def count(self, status: Status) -> int:
        """How many cases came to `status`."""
        return sum(result.status == status for result in self.cases)

    @property
    def exit_status(self) -> int:
        """130 interrupted; 5 nothing ran; 1 a case failed; 3 none failed but some could not be graded; 0 all passed."""
        if self.interrupted:
            return INTERRUPTED
        return exit_status(attempt.status for attempt in self.attempts)

    @property
    def passed(self) -> bool:
        """Whether every case passed, and there was at least one."""
        return self.exit_status == PASSED

    @property
    def pass_k(self) -> tuple[int, float] | None:
        """(k, share of the cases with several runs whose attempts all passed), k being the most runs; None where none has several."""
        several = [result for result in self.cases if result.case.runs > 1]
        if not several:
            return None
        share = sum(result.status == "passed" for result in several) / len(several)
        return max(result.case.runs for result in several), share

    @property
    def tokens(self) -> tuple[int, int]:
        """The tokens that were reported, a judge's too, and the number of attempts that did not report all of theirs."""
        ended = [attempt for attempt in self.attempts if attempt.status != "cancelled"]
        earlier = sum(attempt.earlier.total or 0 for attempt in ended if attempt.earlier is not None)
        known = [(each.transcript.tokens, each.earlier, _judged(each).uncounted) for each in ended]
        return self.judged.tokens + earlier + sum(each[0] or 0 for each in known), sum(
            _unknown(*each) for each in known
        )

    @property
    def cost(self) -> tuple[float, int]:
        """The US dollars that are known, a judge's too, and the number of attempts whose cost is not."""
        ended = [attempt for attempt in self.attempts if attempt.status != "cancelled"]
        earlier = sum(attempt.earlier.cost or 0.0 for attempt in ended if attempt.earlier is not None)
        known = [(each.transcript.cost, each.earlier, _judged(each).unpriced) for each in ended]
        return self.judged.cost + earlier + sum(each[0] or 0.0 for each in known), sum(
            _unknown(*each) for each in known
        )

    @property
    def judged(self) -> Spent:
        """What of the tokens and the cost a judge used, and not the agents."""
        found = Spent()
        for attempt in self.attempts:
            if attempt.judged is not None and attempt.status != "cancelled":
                found = found.and_also(attempt.judged)
        return found


def _judged(attempt: Attempt) -> Spent:
    return attempt.judged or Spent()


def _unknown(spent: float | None, earlier: Usage | None, silent: int) -> bool:
    """Whether not all is known that an attempt spent: of an earlier try, whose model call failed, it never is."""
    return spent is None or earlier is not None or silent > 0


def joined(reports: Iterable[Report]) -> Report:
    """One report on several runs, one after the other."""
    reports = list(reports)
    return Report(
        attempts=tuple(attempt for report in reports for attempt in report.attempts),
        seconds=sum(report.seconds for report in reports),
        interrupted=any(report.interrupted for report in reports),
        stopped=next((report.stopped for report in reports if report.stopped), None),
        notes=tuple(dict.fromkeys(note for report in reports for note in report.notes)),
    )
