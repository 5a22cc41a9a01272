"""What a tool's function of agno looks like from outside, worked out once for each function: agno asks for it anew at each call."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import validate_call

BLOCKS, AWAITED, PARTS, AWAITED_PARTS, OTHER = range(5)
"""What calling it does: it blocks, is awaited, answers in parts, or in parts that are awaited; or the function is an object, of which nothing can be told."""


_PLAIN = (str, int, float, bool, bytes, list, dict, type(None))


class Face(NamedTuple):
    """A function from outside: its kind, what refuses arguments as it would, its signature and its resolved annotations (None: can't be told)."""

    kind: int
    check: Callable[..., Any]
    signature: inspect.Signature | None = None
    annotations: dict[str, Any] | None = None
    unplain: dict[str, Any] | None = None

    def put_on(self, function: Any, real: Any, *, hooked: bool) -> None:
        """Let the function look like the real one, as `functools.wraps` does, to whoever asks `inspect` or `typing`.

        Unless somebody is `hooked` to it, agno alone does. At each call it looks whether the type of an argument is one that it gives by
        itself, as no plain type is, so that these are left out.
        """
        if self.signature is None:
            functools.update_wrapper(function, real)
            return
        function.__name__, function.__qualname__, function.__module__ = (
            real.__name__,
            real.__qualname__,
            real.__module__,
        )
        function.__doc__ = real.__doc__
        function.__annotations__ = dict((self.annotations if hooked else self.unplain) or {})
        held = vars(function)
        held |= vars(real)
        held["__wrapped__"], held["__signature__"] = real, self.signature


def face_of(real: Any) -> Face:
    """The face of a tool's function: with agno's check of arguments around it, it is known by what it is around."""
    raw = getattr(real, "raw_function", None) or (
        inspect.unwrap(real) if getattr(real, "_wrapped_for_validation", False) else None
    )
    if raw is None:
        return Face(_kind(real), lambda **given: inspect.signature(real).bind(**given))
    try:
        known = _faces.get(raw)
    except TypeError:  # a method of something without a hash
        return _face(raw, real)
    if known is None:
        if len(_faces) >= _MANY:
            _faces.clear()
        known = _faces[raw] = _face(raw, real)
    return known


_MANY = 256
_faces: dict[Any, Face] = {}


def _face(raw: Any, real: Any) -> Face:
    if not inspect.isfunction(real):
        return Face(_kind(real), _validator(raw))
    try:
        signature, annotations = inspect.signature(real), typing.get_type_hints(real, include_extras=True)
    except Exception:  # whatever is wrong with it, agno is to find it by itself
        return Face(_kind(real), _validator(raw))
    unplain = {name: kind for name, kind in annotations.items() if kind not in _PLAIN}
    return Face(_kind(real), _validator(raw), signature, annotations, unplain)


def _validator(raw: Any) -> Any:
    """A function that takes what this one takes, and does nothing with it."""

    def nothing(*given: Any, **named: Any) -> None:
        """Do nothing."""

    made = functools.wraps(raw)(nothing)
    try:
        return validate_call(config={"arbitrary_types_allowed": True})(made)
    except Exception as error:
        return functools.partial(_refused, error)


def _refused(error: Exception, /, **given: Any) -> None:
    raise error


def _kind(real: Any) -> int:
    if inspect.isasyncgenfunction(real):
        return AWAITED_PARTS
    if inspect.iscoroutinefunction(real):
        return AWAITED
    if inspect.isgeneratorfunction(real):
        return PARTS
    return BLOCKS if inspect.isroutine(real) else OTHER
