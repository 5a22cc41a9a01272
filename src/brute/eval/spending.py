"""What a turn spent, and whether its budget allowed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import wording
from .case import UNLIMITED, Case
from .transcript import Transcript
from .verdict import Failure


def overrun(transcript: Transcript) -> bool:
    """Whether the harness stopped the turn because its budget was spent."""
    return transcript.stopped is not None and transcript.stopped.startswith("budget.")


def budget(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The turn stayed inside the budget, by what was really spent; what could not be seen is no pass."""
    if case.budget is UNLIMITED and transcript.stopped is None:
        return
    over = False
    for field, spent in _SPENT.items():
        limit = getattr(case.budget, field)
        if limit is None:
            continue
        used, seen = spent(transcript), _seen(field, transcript)
        unit = field.replace("_", " ")
        if field == "seconds" and used is not None and used - lost_seconds(transcript) <= limit < used:
            sentence = wording.unclear_seconds(lost_seconds(transcript), used, limit, others=not transcript.unclear)
            yield Failure("error.blind", sentence, expected=limit)
        elif used is not None and used > limit:
            # What was seen is over the budget already, however much there was besides.
            over = True
            yield Failure(f"budget.{field}", wording.overspent(used, limit, unit), expected=limit, actual=used)
        elif used is None or not used <= limit or not seen:
            yield Failure("error.blind", _unseen(field, transcript), expected=limit)
    if overrun(transcript) and not over:
        # The turn was cut for this, so that the rows of the reply were not graded: that can't come to a pass.
        field = str(transcript.stopped).removeprefix("budget.")
        kind, limit = (f"budget.{field}", getattr(case.budget, field)) if field in _SPENT else ("error.harness", None)
        yield Failure(kind, wording.cut_spent(field.replace("_", " "), limit), expected=limit)


_SPENT: dict[str, Callable[[Transcript], float | None]] = {
    "iterations": lambda transcript: transcript.iterations,
    "tool_calls": lambda transcript: len(transcript.calls),
    "tokens": lambda transcript: known_tokens(transcript),
    "seconds": lambda transcript: transcript.seconds,
}
"""What was seen to be spent, by the field of the budget."""


def _seen(field: str, transcript: Transcript) -> bool:
    """Whether all that was spent was seen."""
    if field == "tokens":
        return transcript.tokens is not None
    return not transcript.hides() if field == "tool_calls" else field not in transcript.blind


def _unseen(field: str, transcript: Transcript) -> str:
    requests = transcript.requests
    if field == "tokens" and requests and "usage" not in transcript.blind:
        return wording.unknown_tokens(
            sum(each.usage is None or each.usage.total is None for each in requests), len(requests)
        )
    return wording.blind(f"{field.replace('_', ' ')} spent")


def known_tokens(transcript: Transcript) -> int:
    """The tokens that were reported: a floor of what was spent."""
    usages = [request.usage for request in transcript.requests if request.usage is not None]
    return sum((usage.input or 0) + (usage.output or 0) for usage in usages)


def lost_seconds(transcript: Transcript) -> float:
    """The seconds for which the event loop stood still by another's code, or nobody knows by whose.

    The turn took no less than the rest, and no more than all: a model or a timer that it waited for meanwhile ran on, and when that had
    an answer can't be seen.
    """
    return transcript.held + transcript.unclear
