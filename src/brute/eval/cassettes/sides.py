"""The two sides of a turn that can be recorded and frozen: what its model answers, and what its tools do."""

from __future__ import annotations

from typing import Any

from ...errors import UsageError, did_you_mean
from ..arguments import shown

MODEL, TOOLS = "model", "tools"
BOTH = frozenset((MODEL, TOOLS))

Sides = frozenset[str]


def sides(given: Any, argument: str) -> Sides:
    """The sides that an argument of a suite, or an option, asks for: none, one by its name, or both (True).

    >>> sorted(sides(True, "record")), sorted(sides("tools", "replay")), sorted(sides(None, "record"))
    (['model', 'tools'], ['tools'], [])
    """
    if given is None or given is False:
        return frozenset()
    if given is True or given == "both":
        return BOTH
    if isinstance(given, (list, tuple, set, frozenset)) and set(given) <= BOTH:
        return frozenset(given)
    if not isinstance(given, str) or given not in BOTH:
        hint = did_you_mean(given, BOTH) if isinstance(given, str) else ""
        raise UsageError(f'Suite: {argument} must be True, "model" or "tools", got {shown(given)}{hint}')
    return frozenset((given,))


def both(record: Any, replay: Any) -> tuple[Sides, Sides]:
    """What is to be recorded and what replayed; not both at once, or what is answered from a recording would be recorded as real."""
    recorded, replayed = sides(record, "record"), sides(replay, "replay")
    if recorded and replayed:
        raise UsageError("Suite: record and replay exclude each other; record what is real first, then replay it")
    return recorded, replayed


def told(asked: Sides) -> str:
    """The sides as a sentence has them."""
    return " and ".join(sorted(asked))
