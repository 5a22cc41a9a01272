"""Every sentence about a run as a whole, in one place: why it was stopped, and what its report has to remark.

Lower case, no full stop, as in `wording.py`, which has those about an attempt.
"""

from __future__ import annotations

from .showing import beyond, number, plural
from .showing import seconds as in_seconds

# --- why an attempt was not finished


def not_finished(why: str) -> str:
    """An attempt of the plan that the run did not get to the end of."""
    return f"not finished: {why}"


INTERRUPTED = "the run was interrupted"
ENDED = "the run ended before it"


def cap_of_cost(cap: float, spent: float) -> str:
    """The run spent what it may in all, in US dollars."""
    return (
        f"reached the run's cap of ${number(cap)} (spent ${beyond(float(spent), cap) if spent > cap else number(cap)})"
    )


def cap_of_tokens(cap: int, spent: int) -> str:
    """The run spent what it may in all, in tokens."""
    return f"reached the run's cap of {plural(cap, 'token')} (spent {number(spent)})"


def cap_of_seconds(cap: float) -> str:
    """The run lasted for as long as it may."""
    return f"reached the run's cap of {in_seconds(cap)}"


# --- what the report remarks


def cap_blind(what: str, unknown: int, calls: int) -> str:
    """A cap that did not see all that was spent."""
    return f"the cap did not see all: of {plural(calls, 'model call')}, {unknown:,} did not tell {what}, and counted as none"
