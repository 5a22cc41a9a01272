"""The values that say more of a whole call: how often and by what outcome (`call`), and the tool's own defaults (`with_defaults`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import UsageError, did_you_mean
from .arguments import shown
from .matching import Wish, holds, matches
from .wishes import Only

MOST_TIMES = 10_000
"""How many calls may be wanted: a slip in a number must not fill the memory with wishes."""

ENDINGS = {
    "asked": "the model asked for it, however it ended",
    "ran": "the tool or its stub answered",
    "failed": "the tool raised, or its stub did",
    "denied": "it was refused, and never got as far as the tool",
}
"""The outcomes that a case may want of a call."""


@dataclasses.dataclass(frozen=True, slots=True)
class WithDefaults(Wish):
    """Arguments as wished once those that were left out have the defaults of the tool's own schema."""

    wish: Mapping[str, Any]

    @property
    def of_call(self) -> bool:  # type: ignore[override]
        """Whether it is about a call."""
        return True

    def agrees(self, got: Any) -> bool:
        """No value has defaults of its own; only a call has."""
        return False

    def takes(self, arguments: Mapping[str, Any] | None, defaults: Mapping[str, Any] | None = None) -> bool:
        """Whether the call's arguments agree, and, where no others are wanted, the others say what would be so anyway."""
        if arguments is None or defaults is None:
            return False
        given = {**defaults, **arguments}
        if isinstance(self.wish, Only) and any(name not in self.wish for name in said(given, defaults)):
            return False
        return holds(dict(self.wish), given)

    def words(self, show: Callable[[Any], str]) -> str:
        """What is wanted."""
        return f"{show(self.wish)}, defaults filled in"

    @property
    def inner(self) -> Iterable[Any]:
        """What is wanted of each argument."""
        return self.wish.values()

    def __repr__(self) -> str:
        return f"with_defaults({self.wish!r})"


def said(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    """The arguments that say something else than the defaults do."""
    return [name for name, value in given.items() if name not in defaults or not _equal(defaults[name], value)]


def _equal(one: Any, other: Any) -> bool:
    # Both ways: a dict agrees with one that holds more, at whatever depth.
    return matches(one, other) and matches(other, one)


def with_defaults(wish: Mapping[str, Any]) -> WithDefaults:
    """A call's arguments, where leaving one out is the same as saying the default that the tool's own schema has for it.

    >>> from brute.eval.matching import matches_arguments
    >>> limit = {"limit": 10}
    >>> matches_arguments(with_defaults({"query": "x", "limit": 10}), {"query": "x"}, {"limit": 10})
    True
    """
    if not isinstance(wish, Mapping):
        raise UsageError(f"with_defaults takes a dict of arguments, or only({{...}}), got {shown(wish)}")
    return WithDefaults(wish if isinstance(wish, Only) else dict(wish))


@dataclasses.dataclass(frozen=True, slots=True)
class Wanted:
    """Calls that are wanted: with which arguments, at least and at most how many, and how they ended.

    `at_most` None: any number. `outcome` None: the call got as far as the tool or its stub.
    """

    wish: Mapping[str, Any] | Wish
    at_least: int = 1
    at_most: int | None = None
    outcome: str | None = None

    def __repr__(self) -> str:
        parts = [] if self.wish == {} else [repr(self.wish)]
        if self.at_least == self.at_most:
            parts.append(f"times={self.at_least}")
        else:
            parts += [f"at_least={self.at_least}"] if (self.at_least, self.at_most) != (0, self.at_most or -1) else []
            parts += [f"at_most={self.at_most}"] if self.at_most is not None else []
        parts += [f"outcome={self.outcome!r}"] if self.outcome is not None else []
        return f"call({', '.join(parts)})"


def call(
    wish: Mapping[str, Any] | Wish | None = None,
    /,
    *,
    times: int | None = None,
    at_least: int | None = None,
    at_most: int | None = None,
    outcome: str | None = None,
) -> Wanted:
    """Calls with these arguments (None: any), so many of them, that ended so.

    `times` is how many, `at_least` and `at_most` are bounds; with none of them, at least one. A bound from above goes for the calls that no
    other wish of the case has. `outcome` is `asked`, `ran`, `failed` or `denied`; without it, the call got as far as the tool.

    >>> call({"query": "x"}, times=2), call(at_most=3), call(outcome="denied")
    (call({'query': 'x'}, times=2), call(at_most=3), call(at_least=1, outcome='denied'))
    """
    if wish is not None and not isinstance(wish, (Mapping, Wish)):
        raise UsageError(f"call takes a dict of arguments, or None for any, got {shown(wish)}")
    for name, count in (("times", times), ("at_least", at_least), ("at_most", at_most)):
        if count is not None and (
            isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_TIMES
        ):
            raise UsageError(f"call: {name} must be a whole number from 0 to {MOST_TIMES:,}, got {shown(count)}")
    if times is not None and (at_least is not None or at_most is not None):
        raise UsageError("call: times says how often, and at_least and at_most do; give one or the other")
    if at_most is not None and (at_least or 0) > at_most:
        raise UsageError(f"call: at_least is {at_least} and at_most is {at_most}, which no number of calls meets")
    if outcome is not None and outcome not in ENDINGS:
        raise UsageError(
            f"call: outcome must be {', '.join(ENDINGS)} or None, got {shown(outcome)}{did_you_mean(outcome, ENDINGS)}"
        )
    low = times if times is not None else at_least if at_least is not None else 1 if at_most is None else 0
    return Wanted({} if wish is None else wish, low, times if times is not None else at_most, outcome)
