"""The refusal of misspelt and unknown arguments of the values that users write: `Case` and `Budget`."""

from __future__ import annotations

import contextvars
import dataclasses
import inspect
import json
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import UsageError, did_you_mean, literal
from .masking import beginning


def refuse_unknown(what: str, given: Iterable[str], allowed: Iterable[str], of_case: Iterable[str] = ()) -> None:
    """Raise `UsageError` for the first argument that is not allowed, naming the nearest that is; `of_case` are those that a case takes."""
    allowed = tuple(allowed)
    for name in given:
        if name not in allowed:
            if name in of_case:
                raise UsageError(f'{what} has no argument "{name}"; it is one of the case: Case(..., {name}=...)')
            raise UsageError(
                f'{what} has no argument "{name}"{did_you_mean(name, allowed)}; it takes {", ".join(allowed)}'
            )


def shown(value: Any) -> str:
    """A value for a sentence about bad input: short, on one line, the same every time."""
    if not isinstance(value, str):
        return literal(value)
    text = json.dumps(beginning(value, 100)[0], ensure_ascii=True)
    return text if len(text) <= 80 else f"{text[:80]}..."


def signature_of(cls: Any, *needed: str) -> inspect.Signature:
    """What a dataclass whose `__new__` takes whatever comes, to refuse it in our words, really takes; `needed` without a default."""
    true = inspect.signature(cls.__init__)
    each = [
        one.replace(default=one.empty) if one.name in needed else one.replace(default=None) if _made_anew(one) else one
        for one in true.parameters.values()
    ]
    return true.replace(parameters=each)


def _made_anew(parameter: inspect.Parameter) -> bool:
    return repr(parameter.default) == "<factory>"


@dataclasses.dataclass(slots=True)
class Made:
    """A case or a suite that an eval file made, where, and whether it stands over a function as `@Case(...)`."""

    thing: Any
    scope: dict[str, Any]
    outermost: bool
    line: int
    function: str = ""
    path: str = ""


class Place(NamedTuple):
    """Where a case was made: the file, and the line in it."""

    path: str
    line: int


made: contextvars.ContextVar[list[Made] | None] = contextvars.ContextVar("brute_made", default=None)
"""What was made while an eval file is loaded, so that none of it is lost without a word."""


def note(thing: Any, frame: types.FrameType, function: str = "") -> None:
    """Take note of a case or suite, if an eval file is being loaded; `frame` is the code that makes it."""
    noted = made.get()
    if noted is not None:
        outermost = frame.f_code.co_name == "<module>"
        noted.append(Made(thing, frame.f_globals, outermost, frame.f_lineno, function, frame.f_code.co_filename))
