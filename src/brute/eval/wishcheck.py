"""What a wish for one argument may be: nothing that would match anything, or nothing."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping
from typing import Any

from ..leaves import is_async
from .arguments import shown
from .matching import is_predicate


def wrong(wanted: Any, where: str, depth: int = 0) -> str:
    """Why a wish could not be meant, however deep it stands; an empty text where it can. `where` says whose it is.

    >>> wrong(list[str], "search has for words")
    'takes plain types, since no value is a list[str]; search has for words list[str]; write list'
    """
    if depth > 50:
        return f"takes arguments nested 50 deep at the most; {where} more"
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
    return next(filter(None, (wrong(each, where, depth + 1) for each in inner)), "")


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
