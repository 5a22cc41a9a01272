"""Whether what was wanted and what was called agree: the rules for one argument, for a call, and for several calls."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any


def matches(wanted: Any, got: Any) -> bool:
    """Whether one value is what was wanted.

    A compiled pattern is searched in the text; a type means isinstance; a callable is a predicate; a dict is a subset, nested; a
    list is elementwise, of the same length; a range contains; anything else is compared with `==`, where `1 == 1.0`,
    but True is not 1 and "1" is not 1.

    >>> matches(re.compile("bank|rate", re.I), "Bank of England"), matches({"a": {"b": int}}, {"a": {"b": 3, "c": 4}})
    (True, True)
    >>> matches(1, True), matches("1", 1), matches(1, 1.0)
    (False, False, True)
    """
    if isinstance(wanted, re.Pattern):
        return _searched(wanted, got)
    if isinstance(wanted, type) and type(wanted).__eq__ is type.__eq__:
        return _is_a(wanted, got)
    if isinstance(wanted, Mapping):
        return isinstance(got, Mapping) and all(key in got and matches(value, got[key]) for key, value in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return isinstance(got, (list, tuple)) and len(wanted) == len(got) and all(map(matches, wanted, got))
    if isinstance(wanted, range):
        return isinstance(got, (int, float)) and not isinstance(got, bool) and got in wanted
    if _is_predicate(wanted):
        return _holds(wanted, got)
    return _equal(wanted, got)


def matches_arguments(wanted: Mapping[str, Any], arguments: Mapping[str, Any] | None) -> bool:
    """Whether a call's arguments hold all that was wanted; arguments left out of `wanted` are unconstrained.

    Malformed arguments (None) match only where nothing is wanted of them.
    """
    return all(name in (arguments or {}) and matches(value, (arguments or {})[name]) for name, value in wanted.items())


def pair(wanted: Sequence[Mapping[str, Any]], made: Sequence[Mapping[str, Any] | None]) -> list[int | None]:
    """The best pairing: for each wanted call the index of a call of its own, None where none is left for it.

    As many wanted calls as possible are paired, whatever their order (augmenting paths), so that a loose wish never takes
    the only call that a strict one could have.

    >>> pair([{"a": 1}, {"a": 1, "b": 2}], [{"a": 1, "b": 2}, {"a": 1}])
    [1, 0]
    """
    fits = [[index for index, arguments in enumerate(made) if matches_arguments(one, arguments)] for one in wanted]
    taken: dict[int, int] = {}
    for start in range(len(wanted)):
        _augment(start, fits, taken)
    found = {wish: call for call, wish in taken.items()}
    return [found.get(index) for index in range(len(wanted))]


def _augment(start: int, fits: list[list[int]], taken: dict[int, int]) -> None:
    """Find a call for wish `start`, moving others to calls that suit them too (breadth first, so depth is no matter)."""
    came: dict[int, int] = {}
    frontier = [start]
    while frontier:
        wish = frontier.pop(0)
        for call in fits[wish]:
            if call in came:
                continue
            came[call] = wish
            if call not in taken:
                _flip(call, start, came, taken)
                return
            frontier.append(taken[call])


def _flip(call: int, start: int, came: dict[int, int], taken: dict[int, int]) -> None:
    while True:
        wish = came[call]
        previous = next((other for other, owner in taken.items() if owner == wish), None)
        taken[call] = wish
        if wish == start or previous is None:
            return
        del taken[previous]
        call = previous


def _searched(wanted: re.Pattern[Any], got: Any) -> bool:
    if isinstance(got, (int, float)) and not isinstance(got, bool):
        got = str(got)
    return isinstance(got, str) and isinstance(wanted.pattern, str) and wanted.search(got) is not None


def _is_a(wanted: type, got: Any) -> bool:
    # JSON has one kind of number and True is none of it, so 3 is a float and True is not an int.
    if isinstance(got, bool):
        return wanted in (bool, object)
    return isinstance(got, wanted) or (wanted is float and isinstance(got, int))


def _is_predicate(wanted: Any) -> bool:
    # An object with an `==` of its own (dirty-equals) is compared, even where it can be called too.
    if isinstance(wanted, type) or not callable(wanted):
        return False
    return inspect.isroutine(wanted) or type(wanted).__eq__ is object.__eq__


def _holds(predicate: Any, got: Any) -> bool:
    try:
        return bool(predicate(got))
    except Exception:
        # A predicate is written for the right kind of value; one of another kind is no match.
        return False


def _equal(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got or (not _is_plain(wanted) and _same(wanted, got))
    return _same(wanted, got)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str, bytes))


def _same(wanted: Any, got: Any) -> bool:
    try:
        return bool(wanted == got)
    except Exception:
        return False
