"""How what a conversation is made of takes its arguments: by name, and refusing others in a sentence."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
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


def opened(made: type[_T]) -> type[_T]:
    """A class whose things are laid out as those of the frozen dataclass, and can be set.

    What is made of a frozen class is of this one while its fields are set: a call of `put` for each takes twenty times as long.
    """
    # Both, for Python keeps one slot for the two of them.
    own = {"__slots__": (), "__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(f"_Open{made.__name__}", (made,), own)


def take(thing: Any, fields: Any) -> None:
    """Set all fields of a thing to those of another; its class may be made of the other's, and laid out in another way."""
    for field in dataclasses.fields(fields):
        put(thing, field.name, getattr(fields, field.name))


def eased(made: type[_T]) -> type[_T]:
    """The frozen dataclass, made in a third of the time."""
    fields = [
        (f.name, f.type, dataclasses.field(default=f.default, default_factory=f.default_factory, kw_only=f.kw_only))
        for f in dataclasses.fields(cast("Any", made))
    ]
    frozen: Callable[..., None] = vars(made)["__init__"]
    open_ = opened(made)
    fill = vars(dataclasses.make_dataclass(made.__name__, fields, repr=False, eq=False, match_args=False))["__init__"]

    @functools.wraps(frozen)
    def init(self: Any, *args: Any, **named: Any) -> None:
        if self.__class__ is not made:
            frozen(self, *args, **named)
            return
        put(self, "__class__", open_)
        try:
            fill(self, *args, **named)
        finally:
            self.__class__ = made

    made.__init__ = init  # type: ignore[method-assign]
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
