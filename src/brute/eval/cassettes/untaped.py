"""The taping of an attempt that is neither recorded nor replayed: nothing."""

from __future__ import annotations

import contextlib

from ..observer import Observer
from ..subject import Subject
from .sides import Sides


class Untaped:
    """What stands where there is no `Taping`."""

    frozen: Sides = frozenset()
    freezes_model = False

    def first(self, subject: Subject, observer: Observer, refuse: bool) -> None:
        """Hear nothing."""

    def last(self, subject: Subject) -> None:
        """Hear nothing."""

    def on(self) -> contextlib.AbstractContextManager[None]:
        """Change nothing."""
        return _NOTHING


_NOTHING = contextlib.nullcontext()
UNTAPED = Untaped()
"""The one there is, since it holds nothing."""
