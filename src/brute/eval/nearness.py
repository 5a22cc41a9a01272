"""How near a call comes to a wish: which arguments differ, and the call with the difference marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .callwishes import WithDefaults, said
from .matching import Wish, matches
from .showing import quote, value, visible, wish
from .wishes import Only

MOST = 50
"""How many calls are looked at for the nearest."""


def named_of(wanted: Any) -> Mapping[str, Any]:
    """What is wanted of each argument by its name; nothing where the wish is about all of them together."""
    if isinstance(wanted, WithDefaults):
        return wanted.wish
    return wanted if isinstance(wanted, Mapping) else {}


def is_needed(wanted: Any, name: str) -> bool:
    """Whether the argument may not be left out."""
    one = named_of(wanted)[name]
    return not (isinstance(one, Wish) and one.may_be_left_out)


def filled(wanted: Any, arguments: Mapping[str, Any] | None, defaults: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The arguments as the wish sees them."""
    given = arguments or {}
    return {**(defaults or {}), **given} if isinstance(wanted, WithDefaults) else given


def differences(
    wanted: Any, arguments: Mapping[str, Any] | None, defaults: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """The arguments that differ from what was wanted, each with a remark on how."""
    given, named = filled(wanted, arguments, defaults), named_of(wanted)
    found = {}
    for name, one in named.items():
        if name in given:
            if not matches(one, given[name]):
                found[name] = f"wanted {wish(one)}"
        elif is_needed(wanted, name):
            found[name] = f"left out, wanted {wish(one)}"
    inner = wanted.wish if isinstance(wanted, WithDefaults) else wanted
    if isinstance(inner, Only):
        others = said(given, defaults or {}) if inner is not wanted else given
        found |= {name: "not wanted" for name in others if name not in named}
    return found


def nearest(
    wanted: Any, made: Sequence[Mapping[str, Any] | None], defaults: Mapping[str, Any] | None = None
) -> int | None:
    """The place of the call with the fewest arguments that differ; None without a call whose arguments can be read."""
    known = [at for at, arguments in enumerate(made[:MOST]) if arguments is not None]
    return min(known, key=lambda at: len(differences(wanted, made[at], defaults)), default=None)


def marked(wanted: Any, arguments: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> str:
    """The call's arguments, with a remark on each that differs; of many, those that do.

    >>> marked({"query": "bank", "limit": 3}, {"query": "bank", "limit": 5})
    '{"query": "bank", "limit": 5 (wanted 3)}'
    """
    wrong = differences(wanted, arguments, defaults)
    given = filled(wanted, arguments, defaults)
    names = [*given, *(name for name in wrong if name not in given)]
    if len(names) > 6:
        names = [name for name in names if name in wrong][:6]
    more = len({*given, *wrong}) - len(names)
    rest = [f"{more:,} more"] if more else []
    return "{" + ", ".join([*_each(names, given, wrong), *rest]) + "}"


def _each(names: Iterable[str], given: Mapping[str, Any], wrong: Mapping[str, str]) -> Iterable[str]:
    for name in names:
        shown = f"{quote(name)}: {value(given[name])}" if name in given else visible(quote(name))
        yield f"{shown} ({wrong[name]})" if name in wrong else shown
