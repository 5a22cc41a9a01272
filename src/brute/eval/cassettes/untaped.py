"""The taping of an attempt that is neither recorded nor replayed: nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..observer import Observer
from ..subject import Subject
from .sides import Sides

_T = TypeVar("_T")
_A = TypeVar("_A")


class Untaped:
    """What stands where there is no `Taping`."""

    frozen: Sides = frozenset()
    freezes_model = False

    def first(self, subject: Subject, observer: Observer, refuse: bool) -> None:
        """Hear nothing."""

    def last(self, subject: Subject) -> None:
        """Hear nothing."""

    def during(self, doing: Callable[[_A], Awaitable[_T]], given: _A) -> Awaitable[_T]:
        """What `doing(given)` answers."""
        return doing(given)


UNTAPED = Untaped()
"""The one there is, since it holds nothing."""
