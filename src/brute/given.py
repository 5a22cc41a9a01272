"""How what a conversation is made of takes its arguments: by name, and refusing others in a sentence."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from .errors import UsageError, did_you_mean, literal

_T = TypeVar("_T")

MISSING: Any = object()
"""Stands where an argument that must be given was not."""

put = object.__setattr__  # what is made here can't be changed afterwards


def signed(made: type[_T]) -> type[_T]:
    """The dataclass, whose constructor shows the arguments that it takes, and not how it refuses others.

    A dataclass that is made of it has a constructor of its own, after which the same is refused.
    """
    only, none = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
    fields = dataclasses.fields(cast("Any", made))
    defaults = [none if field.default is dataclasses.MISSING else field.default for field in fields]
    shown = [
        inspect.Parameter(field.name, only, default=default, annotation=field.type)
        for field, default in zip(fields, defaults, strict=True)
    ]
    made.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]

    def checked(self: Any) -> None:
        cast("Any", made).__init__(self, **{field.name: getattr(self, field.name) for field in fields})

    made.__post_init__ = checked  # type: ignore[attr-defined]
    return made


def refuse_arguments(made: Any, args: tuple[Any, ...], odd: Mapping[str, Any], **needed: Any) -> None:
    """Raise `UsageError` for arguments that the dataclass does not take, or lacks of those that are needed."""
    fields = dataclasses.fields(made)
    names = [field.name for field in fields]
    if args:
        takes = ", ".join(f"{field.name}=" for field in fields if field.name in _FIRST)
        raise UsageError(
            f"{made.__name__} takes its arguments by name, got {literal(args[0])}; write {made.__name__}({takes})"
        )
    for name in odd:
        raise UsageError(
            f'{made.__name__} has no argument "{name}"{did_you_mean(name, names)}; it takes {", ".join(names)}'
        )
    for name, value in needed.items():
        if value is MISSING:
            raise UsageError(f"{made.__name__} needs {name}=")


_FIRST = ("role", "content", "name", "arguments", "input", "output")
"""The arguments that nearly everyone gives."""
