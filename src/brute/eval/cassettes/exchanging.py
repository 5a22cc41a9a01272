"""How a method of a library is put under watch, and taken out again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Undo = Callable[[], None]


def exchanged(owner: Any, name: str, made: Any) -> Undo:
    """Put `made` in the place of the method of that name; answers what takes it back."""
    plain = owner.__dict__[name]
    setattr(owner, name, made)

    def undo() -> None:
        # Where somebody has put a wrapper of their own around it meanwhile, it has to stay.
        if owner.__dict__.get(name) is made:
            setattr(owner, name, plain)

    return undo


def all_of(undos: list[Undo]) -> Undo:
    """What takes all of them back."""

    def undo() -> None:
        while undos:
            undos.pop()()

    return undo
