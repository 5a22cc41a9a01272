"""What several cases came to together, and how numbers of a report are written in files."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence

from ..report import CaseResult, Report
from ..verdict import STATUSES


@dataclasses.dataclass(frozen=True, slots=True)
class Sums:
    """What several cases came to: how many to each status, their attempts, and what those spent, as a `Report` has it."""

    cases: int
    count: Counter[str]
    attempts: int
    seconds: float
    tokens: tuple[int, int]
    cost: tuple[float, int]
    pass_k: tuple[int, float] | None

    @classmethod
    def of(cls, results: Sequence[CaseResult]) -> Sums:
        """The sums of these cases; what an attempt that was not finished spent is not known."""
        attempts = tuple(attempt for result in results for attempt in result.attempts)
        report, count = Report(attempts), Counter[str](dict.fromkeys(STATUSES, 0))
        count.update(result.status for result in results)
        unseen = sum(attempt.status == "cancelled" for attempt in attempts)
        (tokens, silent), (cost, unpriced) = report.tokens, report.cost
        return cls(
            cases=len(results),
            count=count,
            attempts=len(attempts),
            seconds=sum(known_seconds(attempt.transcript.seconds) for attempt in attempts),
            tokens=(tokens, silent + unseen),
            cost=(cost, unpriced + unseen),
            pass_k=report.pass_k,
        )


def known_seconds(seconds: float | None) -> float:
    """A duration to be added up: 0 for one that is not known."""
    return seconds if isinstance(seconds, (int, float)) and math.isfinite(seconds) and seconds >= 0 else 0.0


def dollars(cost: float | None) -> str:
    """US dollars, as exact as one wants to read them; `?` where they are not known.

    >>> dollars(1.5), dollars(0.0123), dollars(0.00001), dollars(0), dollars(None)
    ('$1.50', '$0.0123', '$0.000010', '$0.00', '?')
    """
    if cost is None or not math.isfinite(cost):
        return "?"
    return f"${cost:,.{2 if cost >= 1 or not cost else 4 if cost >= 0.001 else 6}f}"


def wilson(passed: int, of: int) -> tuple[float, float]:
    """Between which shares the true pass rate lies, with 95 % confidence, where `passed` of `of` attempts passed (Wilson's interval).

    >>> [round(share, 2) for share in wilson(3, 3)]
    [0.44, 1.0]
    """
    if of == 0:
        return 0.0, 1.0
    z, share = 1.959964, passed / of
    middle, scale = share + z * z / (2 * of), 1 + z * z / of
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)
