"""What several cases came to together, and how numbers of a report are written, in lines as in files."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..report import CaseResult, Report
from ..spent import Spent
from ..verdict import STATUSES
from ..wording import plural


class Sum(NamedTuple):
    """What several attempts spent of one thing: as much as is known of it, and how many of them did not tell theirs.

    >>> Sum(300, 1).said("{:,}".format), Sum(300, 1).shown("{:,}".format), Sum(0, 1).shown(str), Sum(0, 0).shown(str)
    ('at least 300', '≥ 300', '?', '0')
    """

    known: float
    unknown: int

    @property
    def nothing(self) -> bool:
        """Whether nothing of it is known: what is not known is never 0."""
        return self.unknown > 0 and not self.known

    def said(self, write: Callable[[Any], str]) -> str:
        """It in a sentence."""
        return "unknown" if self.nothing else f"{'at least ' if self.unknown else ''}{write(self.known)}"

    def shown(self, write: Callable[[Any], str]) -> str:
        """It in a table."""
        return "?" if self.nothing else f"{'≥ ' if self.unknown else ''}{write(self.known)}"

    def told(self) -> dict[str, Any] | None:
        """It for a page: how much, and whether that is all; None where nothing is known."""
        return None if self.nothing else {"known": self.known, "all": not self.unknown}


class PassK(NamedTuple):
    """How many of the cases with several runs passed all of them; `k` is the most runs."""

    k: int
    passed: int
    of: int

    @property
    def share(self) -> float:
        """The share of those cases."""
        return self.passed / self.of


@dataclasses.dataclass(frozen=True, slots=True)
class Sums:
    """What several cases came to: how many to each status, their attempts, what those spent, and what of that was a judge's."""

    cases: int
    count: Counter[str]
    attempts: int
    tokens: Sum
    cost: Sum
    pass_k: PassK | None
    judged: Spent = dataclasses.field(default_factory=Spent)
    seconds: Sum = dataclasses.field(default_factory=lambda: Sum(0.0, 0))

    @classmethod
    def of(cls, results: Sequence[CaseResult]) -> Sums:
        """The sums of these cases; what an attempt that was not finished spent is not known."""
        attempts = tuple(attempt for result in results for attempt in result.attempts)
        report, count = Report(attempts), Counter[str](dict.fromkeys(STATUSES, 0))
        count.update(result.status for result in results)
        tokens, cost = spent(report)
        return cls(
            cases=len(results),
            count=count,
            attempts=len(attempts),
            tokens=tokens,
            cost=cost,
            pass_k=_pass_k(results),
            judged=report.judged,
            seconds=_seconds(attempt.transcript.seconds for attempt in attempts),
        )


def spent(report: Report) -> tuple[Sum, Sum]:
    """The tokens and the cost of all attempts, for which no transcript need be read; what one that was not finished spent is not known."""
    unseen = sum(attempt.status == "cancelled" for attempt in report.attempts)
    (tokens, silent), (cost, unpriced) = report.tokens, report.cost
    return Sum(tokens, silent + unseen), Sum(cost, unpriced + unseen)


def _pass_k(results: Iterable[CaseResult]) -> PassK | None:
    several = [result for result in results if result.case.runs > 1]
    passed = sum(result.status == "passed" for result in several)
    return PassK(max(result.case.runs for result in several), passed, len(several)) if several else None


def _seconds(each: Iterable[float | None]) -> Sum:
    """The seconds that attempts took together, by the clock."""
    given = [as_seconds(seconds) for seconds in each]
    known = [seconds for seconds in given if seconds is not None]
    return Sum(math.fsum(known), len(given) - len(known))


def as_seconds(seconds: Any) -> float | None:
    """A duration, or None for what is none: a check may have put anything there."""
    right = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    return seconds if right and math.isfinite(seconds) and seconds >= 0 else None


def totals(sums: Sums) -> str:
    """How many cases passed, pass^k, and what all attempts spent, in one line."""
    told = f"{sums.count['passed']:,} of {plural(sums.cases, 'case')} passed"
    if sums.attempts != sums.cases:
        told += f" ({plural(sums.attempts, 'attempt')})"
    return ", ".join([told, *_several(sums.pass_k), *_used(sums)]) + _judged(sums.judged)


def _several(found: PassK | None) -> Iterator[str]:
    if found is not None:
        yield f"pass^{found.k} {found.share:.2f} ({found.passed:,} of {plural(found.of, 'case')})"


def _used(sums: Sums) -> Iterator[str]:
    yield f"tokens {sums.tokens.said('{:,}'.format)}"
    # Few agents say what they cost, and a line is short.
    if not sums.cost.nothing:
        yield f"cost {sums.cost.said(dollars)}"


def _judged(spent: Spent) -> str:
    """What of it was a judge's, where one was asked."""
    return f" ({judge(spent)})" if spent.calls else ""


def judge(spent: Spent) -> str:
    """What a judge used."""
    tokens = f"{'at least ' if spent.uncounted else ''}{plural(spent.tokens, 'token')}"
    cost = f", {dollars(spent.cost)}" if spent.cost else ""
    return f"the judge: {plural(spent.calls, 'vote')}, {tokens}{cost}"


def counted(count: Counter[str]) -> str:
    """How many cases came to each status: `1 failed, 2 errors`; nothing where there are none."""
    told = [(status, count[status]) for status in ("failed", "passed", "error", "cancelled") if count[status]]
    return ", ".join(f"{n:,} {'errors' if status == 'error' and n > 1 else status}" for status, n in told)


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
