"""What a case may say, argument by argument: each function answers the value as the case keeps it, or refuses it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..messages import Message
from . import contradictions, filepaths, rules, steps, wishcheck
from .arguments import shown
from .budget import Budget
from .callwishes import Wanted
from .wishes import Only
from .words import is_blank

if TYPE_CHECKING:
    from .case import Case


MOST_RUNS = 100_000
"""How many attempts a case may ask for: a slip in a number must not fill the memory with a plan."""


def checked(case: Case) -> dict[str, Any]:
    """The fields of `case` as it keeps them; raises `UsageError` for the first that could not be meant."""
    if not isinstance(case.name, str) or is_blank(case.name):
        raise UsageError(f"a case's name must be a text that is not blank, got {shown(case.name)}")
    made = {}
    for field, check in _CHECKS.items():
        try:
            made[field] = check(getattr(case, field))
        except _Refused as refused:
            raise UsageError(f"case {shown(case.name)}: {field} {refused}") from None
    contradictions.refuse(case)
    return made


def wrong(field: str, value: Any) -> str:
    """Why a case's field can't have this value, beginning with its name; an empty text where it can."""
    try:
        _CHECKS.get(field, lambda value: value)(value)
    except _Refused as refused:
        return f"{field} {refused}"
    return ""


class _Refused(Exception):
    """What is allowed, and what came instead."""


def _said(value: Any) -> Any:
    if value is not None and not isinstance(value, str):
        raise _Refused(f"must be a text, got {shown(value)}")
    return value


def _mapping(value: Any, of: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _Refused(f"must be a dict of {of}, got {shown(value)}")
    for key in value:
        if not isinstance(key, str) or not key.strip():
            raise _Refused(f"must be a dict of {of}; a key was {shown(key)}")
    return dict(value)


def _stubs(value: Any) -> Any:
    stubs = _mapping(value, "tool name -> what is served")
    for tool, stub in stubs.items():
        wrong = rules.wrong_stub(stub)
        if wrong:
            raise _Refused(f"can't serve what {tool} has: {wrong}")
    return stubs


def _files(value: Any) -> Any:
    files = _mapping(value, "path -> text or bytes")
    for path, content in files.items():
        if not isinstance(content, (str, bytes)):
            raise _Refused(f"must hold text or bytes; {shown(path)} holds {shown(content)}")
    wrong = filepaths.wrong(files)
    if wrong:
        raise _Refused(wrong)
    return files


def _conversation(value: Any) -> Any:
    if isinstance(value, Message):
        raise _Refused("must be a list of Messages, got one; write [Message(...)]")
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or not all(isinstance(message, Message) for message in value)
    ):
        raise _Refused(f"must be a list of Messages, got {shown(value)}")
    return tuple(value)


def _runs(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Refused(f"must be a whole number >= 1, got {shown(value)}")
    if value > MOST_RUNS:
        raise _Refused(f"must be at most {MOST_RUNS:,}, got {shown(value)}")
    return value


def _calls(value: Any) -> Any:
    wanted = _mapping(value, "tool name -> arguments")
    for tool, arguments in wanted.items():
        each = arguments if isinstance(arguments, (list, tuple)) else [arguments]
        if not each:
            raise _Refused(f"asks for no call to {shown(tool)} ([]); to forbid the tool, write never=[{shown(tool)}]")
        for one in each:
            wrong = wishcheck.wrong_call(one.wish if isinstance(one, Wanted) else one, f"{tool} has")
            if wrong:
                raise _Refused(wrong)
    return value if isinstance(value, Only) else wanted


def _names(value: Any, wrong: Callable[[Any], str] = lambda name: "") -> Any:
    if isinstance(value, str):
        raise _Refused(f"takes a list of tool names, got the text {shown(value)}; write [{shown(value)}]")
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise _Refused(f"takes a list of tool names, got {shown(value)}")
    # A set has no order of its own, and the sentences are to be the same every time.
    names = tuple(sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)
    for name in names:
        found = (
            wrong(name) if not isinstance(name, str) else "" if name.strip() else f"takes tool names, got {shown(name)}"
        )
        if found:
            raise _Refused(found)
    return names


def _never(value: Any) -> Any:
    return _names(value, lambda name: f"takes tool names, got {shown(name)}")


def _order(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (set, frozenset)):
        raise _Refused(f"takes a list, since a set has no order; got {shown(value)}")
    names = _names(value, steps.wrong)
    if not names:
        raise _Refused("must name at least one tool, got []")
    return names


def _mentions(value: Any) -> Any:
    if isinstance(value, (str, re.Pattern)):
        raise _Refused(f"takes a list of words, got {shown(value)}; write [{shown(value)}]")
    if isinstance(value, tuple) and value:
        raise _Refused(
            f"takes a list; a tuple means any of its words: write [{shown(value)}], or {shown(list(value))} for all"
        )
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise _Refused(f"takes a list of words, got {shown(value)}")
    # Kept as a list, since a case may be made of another's fields, and a tuple would mean any-of.
    words = sorted(value, key=str) if isinstance(value, (set, frozenset)) else list(value)
    for word in words:
        if word == ():
            raise _Refused("has an empty tuple, of which no word can be said")
        for one in word if isinstance(word, tuple) else (word,):
            if not (isinstance(one, re.Pattern) and isinstance(one.pattern, str)) and (
                not isinstance(one, str) or is_blank(one)
            ):
                hint = (
                    f"; write {shown(str(one))}" if isinstance(one, (int, float)) and not isinstance(one, bool) else ""
                )
                raise _Refused(
                    f"takes words that are not blank, compiled text patterns, or tuples of those; got {shown(one)}{hint}"
                )
    return words


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise _Refused(f"must be True or False, got {shown(value)}")
    return value


def _absence(value: Any) -> Any:
    if value is None or (isinstance(value, re.Pattern) and isinstance(value.pattern, str)):
        return value
    if not isinstance(value, str) or not value.strip():
        raise _Refused(f"must be a pattern, got {shown(value)}")
    try:
        return re.compile(value, re.IGNORECASE)
    except re.error as error:
        raise _Refused(f"must be a pattern; {shown(value)} does not compile: {error}") from None


def _judge(value: Any) -> Any:
    rubrics = (value,) if isinstance(value, str) else value
    if not isinstance(rubrics, (list, tuple)) or not all(isinstance(each, str) and each.strip() for each in rubrics):
        raise _Refused(f"must be a rubric, a text that is not blank, or a list of those, got {shown(value)}")
    if len(set(rubrics)) < len(rubrics):
        raise _Refused(f"has the same rubric twice: {shown(value)}")
    return tuple(rubrics)


def _budget(value: Any) -> Any:
    if value is None:
        return Budget()
    if not isinstance(value, Budget):
        raise _Refused(f"must be a Budget, such as Budget(iterations=3), got {shown(value)}")
    return value


def _check(value: Any) -> Any:
    if value is not None and not callable(value):
        raise _Refused(f"must be a function of the transcript, got {shown(value)}")
    if value is not None:
        try:
            inspect.signature(value).bind(None)
        except TypeError as error:
            raise _Refused(f"must take one argument, the transcript; {shown(value)} can't: {error}") from None
        except ValueError:  # a builtin without a signature
            pass
    return value


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "said": _said,
    "stubs": _stubs,
    "files": _files,
    "conversation": _conversation,
    "runs": _runs,
    "calls": _calls,
    "never": _never,
    "order": _order,
    "mentions": _mentions,
    "silent": _flag,
    "absent": _flag,
    "absence": _absence,
    "judge": _judge,
    "budget": _budget,
    "check": _check,
}
