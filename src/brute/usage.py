"""What a model call used: tokens, and what they cost."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from .errors import UsageError, literal
from .given import opened, put, refuse_arguments, signed, take


@signed
@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Usage:
    """What one model call used, in tokens; what the provider did not report is None, never 0.

    >>> Usage(input=10, output=2).total
    12
    >>> print(Usage(input=10).total)
    None
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cost: float | None = None
    """US dollars, where the price of the model is known."""

    @property
    def total(self) -> int | None:
        """Input and output together, or None where one of them was not reported."""
        return None if self.input is None or self.output is None else self.input + self.output

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            input: int | None = None,
            output: int | None = None,
            cache_read: int | None = None,
            cache_write: int | None = None,
            cost: float | None = None,
        ) -> None: ...

    else:

        def __init__(self, *args, input=None, output=None, cache_read=None, cache_write=None, cost=None, **odd):
            if args or odd:
                refuse_arguments(Usage, args, odd)
            if self.__class__ is not Usage:
                take(
                    self,
                    Usage(input=input, output=output, cache_read=cache_read, cache_write=cache_write, cost=cost),
                )
                return
            put(self, "__class__", _OpenUsage)
            self.input = input
            self.output = output
            self.cache_read = cache_read
            self.cache_write = cache_write
            self.cost = cost
            self.__class__ = Usage
            for value in (input, output, cache_read, cache_write):
                if value is not None and as_count(value) is None:
                    name = next(name for name in _COUNTS if getattr(self, name) is value)
                    raise UsageError(f"Usage: {name} must be a whole number >= 0 or None, got {literal(value)}")
            if cost is not None and as_cost(cost) is None:
                raise UsageError(f"Usage: cost must be a number >= 0 or None, got {literal(cost)}")

    def __add__(self, other: Usage) -> Usage:
        """Both together; a field that either side did not report stays unknown."""
        pairs = ((getattr(self, f), getattr(other, f)) for f in _USAGE_FIELDS)
        return Usage(
            **dict(zip(_USAGE_FIELDS, (None if a is None or b is None else a + b for a, b in pairs), strict=True))
        )


_OpenUsage = opened(Usage)
_USAGE_FIELDS = tuple(f.name for f in dataclasses.fields(Usage))
_COUNTS = tuple(name for name in _USAGE_FIELDS if name != "cost")


def as_count(value: Any) -> int | None:
    """The number of tokens that a provider reported, or None for what is no such number."""
    if value.__class__ is int:  # as nearly all are
        return value if value >= 0 else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def as_cost(value: Any) -> float | None:
    """The price that was reported or worked out, or None for what is no price."""
    right = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")
    return value if right else None
