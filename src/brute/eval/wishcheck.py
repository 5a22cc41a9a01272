"""What a wish for one argument may be: nothing that would match anything, or nothing."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Mapping
from typing import Any

from ..leaves import is_async
from .arguments import shown
from .matching import Wish, is_predicate


def wrong(wanted: Any, where: str, depth: int = 0, keyed: bool = False) -> str:
    """Why a wish could not be meant, however deep it stands; an empty text where it can. `where` says whose it is.

    `keyed`: it stands for an argument or a key of a dict, which may be left out.

    >>> wrong(list[str], "search has for words")
    'takes plain types, since no value is a list[str]; search has for words list[str]; write list'
    """
    if depth > 50:
        return f"takes arguments nested 50 deep at the most; {where} more"
    if isinstance(wanted, Wish):
        if wanted.of_call or (wanted.may_be_left_out and not keyed):
            place = (
                "the arguments of a call"
                if wanted.of_call
                else "an argument, a key of a dict, an item of any_order or a step of order"
            )
            return f"takes {name_of(wanted)} only for {place}; {where} {shown(wanted)}"
        if getattr(wanted, "among", None) is not None:
            return f"takes among only in calls=only(..., among=...); {where} {shown(wanted)}"
        keyed = isinstance(wanted, Mapping) or wanted.may_lack
        return next(filter(None, (wrong(each, where, depth + 1, keyed) for each in wanted.inner)), "")
    if isinstance(wanted, type) and issubclass(wanted, Wish):
        return f"takes what agrees; {where} the class {wanted.__name__}"
    if inspect.isfunction(wanted) and wanted.__module__ in _OURS:
        return f"takes what {wanted.__name__} makes; {where} {wanted.__name__} itself, not called: write {wanted.__name__}(...)"
    if is_predicate(wanted) and is_async(wanted):
        return f"takes predicates that answer at once; {where} an async one, {shown(wanted)}"
    if isinstance(wanted, re.Pattern) and not isinstance(wanted.pattern, str):
        return f"takes text patterns; {where} one of bytes, {shown(wanted)}"
    if _is_alias(wanted):
        return f"takes plain types, since no value is a {shown(wanted)}; {where} {shown(wanted)}{_instead(wanted)}"
    inner: typing.Iterable[Any] = ()
    if isinstance(wanted, types.UnionType):
        inner = wanted.__args__
    elif isinstance(wanted, Mapping):
        inner = wanted.values()
    elif isinstance(wanted, (list, tuple)):
        inner = wanted
    keyed = isinstance(wanted, Mapping)
    return next(filter(None, (wrong(each, where, depth + 1, keyed) for each in inner)), "")


_OURS = tuple(f"{__package__}.{name}" for name in ("wishes", "likeness", "callwishes", "schemawish"))


def name_of(wish: Wish) -> str:
    """The word that a wish is written with."""
    return repr(wish).partition("(")[0]


def wrong_call(wanted: Any, where: str) -> str:
    """Why a wish for a whole call's arguments could not be meant; an empty text where it can."""
    if wanted is None:
        return ""
    if isinstance(wanted, Wish) and not isinstance(wanted, Mapping) and not wanted.of_call:
        options = [each for each in wanted.inner if not isinstance(each, (Mapping, Wish))]
        if wanted.may_be_left_out or options:
            return f"takes for each tool a dict of arguments; {where} {shown(wanted)}"
        return wrong(wanted, where)
    if not isinstance(wanted, (Mapping, Wish)):
        return f"takes for each tool a dict of arguments, None, or a list of those; {where} {shown(wanted)}"
    if getattr(wanted, "among", None) is not None:
        return f"takes among only in calls=only(..., among=...); {where} {shown(wanted)}"
    named = wanted if isinstance(wanted, Mapping) else getattr(wanted, "wish", {})
    for name, wish in named.items():
        if not isinstance(name, str):
            return f"takes argument names as text; {where} {shown(name)}"
        found = wrong(wish, f"{where} for {name}", keyed=True)
        if found:
            return found
    return ""


def _is_alias(wanted: Any) -> bool:
    """Whether it is one of the things that annotations hold and of which nothing is an instance: list[str], Literal["a"]."""
    if isinstance(wanted, (type, types.UnionType)) and not isinstance(wanted, types.GenericAlias):
        return False
    return typing.get_origin(wanted) is not None or type(wanted).__module__ == "typing"


def _instead(wanted: Any) -> str:
    """The hint what to write: the plain type, or a union of them."""
    origin = typing.get_origin(wanted)
    if origin is typing.Union:
        each = [None if one is type(None) else one for one in typing.get_args(wanted)]
        return f"; write {' | '.join(str(getattr(one, '__name__', one)) for one in each)}"
    return f"; write {origin.__name__}" if isinstance(origin, type) else ""
