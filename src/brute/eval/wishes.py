"""The small values that put wishes together: `any_of`, `optional`, `any_order`, `only`.

Each is frozen, shows itself as it is written, and is refused when it is made where it could not be meant. They nest in each other, and in
dicts and lists.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..errors import UsageError
from . import wishcheck
from .arguments import shown
from .matching import Wish, holds, matches, matches_arguments, paired

Show = Callable[[Any], str]


def refuse(what: str, wish: Any) -> None:
    """Raise `UsageError` for a wish that could not be meant inside another."""
    wrong = wishcheck.wrong(wish, f"{what} has")
    if wrong:
        raise UsageError(f"{what} {wrong}")


@dataclasses.dataclass(frozen=True, slots=True)
class AnyOf(Wish):
    """One of several wishes."""

    options: tuple[Any, ...]

    def agrees(self, got: Any) -> bool:
        """Whether one of them is met."""
        return any(matches(each, got) for each in self.options)

    def takes(self, arguments: Mapping[str, Any] | None, defaults: Mapping[str, Any] | None = None) -> bool:
        """Whether one of them is met by a call's arguments."""
        return any(
            isinstance(each, Mapping | Wish) and matches_arguments(each, arguments, defaults) for each in self.options
        )

    def words(self, show: Show) -> str:
        """What is wanted."""
        return f"any of {', '.join(map(show, self.options))}"

    @property
    def inner(self) -> Iterable[Any]:
        """Each of them."""
        return self.options

    def __repr__(self) -> str:
        return f"any_of({', '.join(map(repr, self.options))})"


def any_of(*options: Any) -> AnyOf:
    """One of several wishes, each of any kind.

    >>> import re
    >>> matches(any_of("metric", re.compile("^us")), "us customary"), any_of("a", 1)
    (True, any_of('a', 1))
    """
    if not options:
        raise UsageError("any_of needs at least one wish; without any, nothing would agree")
    for each in options:
        refuse("any_of", each)
    return AnyOf(options)


@dataclasses.dataclass(frozen=True, slots=True)
class Optional(Wish):
    """An argument that may be left out, and otherwise is as wished; in `order`, a step that may be left out."""

    wish: Any = object

    @property
    def may_be_left_out(self) -> bool:  # type: ignore[override]
        """Whether it may."""
        return True

    def agrees(self, got: Any) -> bool:
        """Whether what was given is what was wished."""
        return matches(self.wish, got)

    def words(self, show: Show) -> str:
        """What is wanted."""
        return "anything or left out" if self.wish is object else f"{show(self.wish)} or left out"

    @property
    def inner(self) -> Iterable[Any]:
        """What is wished."""
        return (self.wish,)

    def __repr__(self) -> str:
        return "optional()" if self.wish is object else f"optional({self.wish!r})"


def optional(wish: Any = object) -> Optional:
    """An argument that may be left out; where it is given, it is to be as wished. In `order`: a step that may be left out.

    >>> matches({"query": str, "limit": optional(10)}, {"query": "bank"})
    True
    """
    refuse("optional", wish)
    return Optional(wish)


@dataclasses.dataclass(frozen=True, slots=True)
class AnyOrder(Wish):
    """A list, whatever its order; in `order`, steps of which any may come first."""

    items: tuple[Any, ...]

    @property
    def may_lack(self) -> bool:  # type: ignore[override]
        """An optional item may be left out of the list."""
        return True

    def agrees(self, got: Any) -> bool:
        """Whether each wish that may not be left out has an item of its own, by the best pairing, and no item is left."""
        if not isinstance(got, (list, tuple)) or len(got) > len(self.items):
            return False
        needed = [wish for wish in self.items if not (isinstance(wish, Wish) and wish.may_be_left_out)]
        fits = [[at for at, each in enumerate(got) if matches(wish, each)] for wish in needed]
        if len(got) < len(needed) or None in paired(fits):
            return False
        # Where all that is needed can be paired, and all that was given, both can at once.
        given = [[at for at, wish in enumerate(self.items) if matches(wish, each)] for each in got]
        return len(needed) == len(self.items) or None not in paired(given)

    def words(self, show: Show) -> str:
        """What is wanted."""
        return f"{show(list(self.items))} in any order"

    @property
    def inner(self) -> Iterable[Any]:
        """Each item."""
        return self.items

    def __repr__(self) -> str:
        return f"any_order({list(self.items)!r})"


def any_order(items: Iterable[Any]) -> AnyOrder:
    """A list of just these items in any order; in `order`, steps that may come in any order among themselves.

    >>> matches(any_order(["a", int]), [3, "a"]), matches(any_order([1, 1]), [1, 2])
    (True, False)
    >>> matches(any_order(["a", optional("b")]), ["a"]), matches(any_order(["a", optional("b")]), ["b"])
    (True, False)
    """
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable):
        raise UsageError(f"any_order takes a list, got {shown(items)}")
    listed = tuple(items)
    for each in listed:
        if not isinstance(each, Optional):
            refuse("any_order", each)
    return AnyOrder(listed)


@dataclasses.dataclass(frozen=True, slots=True, eq=True)
class Only(Wish, Mapping[str, Any]):
    """A dict, a call's arguments or a case's calls, and nothing besides; of calls, to no tool that `among` names."""

    named: dict[str, Any]
    among: tuple[str, ...] | None = None

    def agrees(self, got: Any) -> bool:
        """Whether it is a dict that holds what is wanted, and no other key."""
        return isinstance(got, Mapping) and not (got.keys() - self.named.keys()) and holds(self.named, got)

    def words(self, show: Show) -> str:
        """What is wanted."""
        return f"only {show(self.named)}"

    @property
    def inner(self) -> Iterable[Any]:
        """What is wanted of each key."""
        return self.named.values()

    def __repr__(self) -> str:
        return f"only({self.named!r}{'' if self.among is None else f', among={list(self.among)!r}'})"

    def __getitem__(self, name: str) -> Any:
        return self.named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.named)

    def __len__(self) -> int:
        return len(self.named)


def only(named: Mapping[str, Any], *, among: Iterable[str] | None = None) -> Only:
    """These and no others: `{"search": only({"query": "x"})}` wants no other argument, `calls=only({...})` no other call.

    `among` names the tools to which there is to be no other call (globs too); without it, that goes for all.

    >>> matches(only({"a": int}), {"a": 1}), matches(only({"a": int}), {"a": 1, "b": 2}), only({})
    (True, False, only({}))
    """
    if not isinstance(named, Mapping):
        raise UsageError(f"only takes a dict, got {shown(named)}")
    if isinstance(named, Wish):
        raise UsageError(f"only takes a plain dict, got {named!r}")
    if among is None:
        return Only(dict(named))
    names = (
        None
        if isinstance(among, (str, Mapping))
        else tuple(sorted(among) if isinstance(among, (set, frozenset)) else among)
    )
    if not names or not all(isinstance(each, str) and each.strip() for each in names):
        raise UsageError(f"only: among must be a list of tool names, got {shown(among)}")
    return Only(dict(named), names)
