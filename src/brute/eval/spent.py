"""What model calls used together, as far as they told."""

from __future__ import annotations

import dataclasses

from ..messages import Usage


@dataclasses.dataclass(frozen=True, slots=True)
class Spent:
    """What was spent: model calls, those of them that did not tell tokens and cost, tokens, US dollars."""

    calls: int = 0
    uncounted: int = 0
    unpriced: int = 0
    tokens: int = 0
    cost: float = 0.0

    def plus(self, usage: Usage | None) -> Spent:
        """This and one more model call."""
        usage = usage or Usage()
        return Spent(
            self.calls + 1,
            self.uncounted + (usage.total is None),
            self.unpriced + (usage.cost is None),
            self.tokens + (usage.input or 0) + (usage.output or 0),
            self.cost + (usage.cost or 0.0),
        )

    def and_also(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(*map(sum, zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))

    def most(self, other: Spent) -> Spent:
        """The more of each: two accounts of the same spending, of which neither need be whole."""
        return Spent(*map(max, zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)))
