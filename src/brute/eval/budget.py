"""What a case allows itself."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .arguments import refuse_unknown, shown, signature_of

_LEAST = {"iterations": 1, "tool_calls": 0, "tokens": 1}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a case allows itself; a field left out is not limited.

    `iterations` (model calls), `tool_calls` and `tokens` (input and output of all model calls together) are whole numbers,
    `seconds` is wall time of the turn. Raises `UsageError` for anything else. The turn is stopped at the first hook
    that sees it over.

    >>> Budget(iterations=2, tool_calls=0)
    Budget(iterations=2, tool_calls=0, tokens=None, seconds=None)
    """

    iterations: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    if not TYPE_CHECKING:

        def __new__(cls, *args: Any, **given: Any) -> Budget:
            """Refuse arguments that there are not, before the dataclass would with a sentence of its own."""
            if args:
                raise UsageError(f"Budget takes its arguments by name, got {shown(args[0])}")
            refuse_unknown("Budget", given, (field.name for field in dataclasses.fields(cls)))
            return object.__new__(cls)

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise UsageError(f"Budget: {name} must be a whole number >= {least} or None, got {shown(value)}")
        seconds = self.seconds
        if seconds is None:
            return
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < math.inf:
            raise UsageError(f"Budget: seconds must be a number > 0 or None, got {shown(seconds)}")


if not TYPE_CHECKING:
    Budget.__new__.__signature__ = signature_of(Budget)
