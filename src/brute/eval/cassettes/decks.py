"""Which deck of cassettes belongs to a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .deck import Deck
from .filing import folder

if TYPE_CHECKING:
    from ..suite import Suite

_PLAIN = ("suite",)
"""What one calls a suite that needs no name."""


def deck_of(suite: Suite) -> Deck | None:
    """The deck of a suite that is to be recorded or replayed; None for any other.

    Its folder is named after the file that the suite stands in, and after the suite: by its own name, or by the one that it has in the file.
    """
    if not (suite.record or suite.replay):
        return None
    file = suite.home.get("__file__")
    return Deck(folder(file, suite.original.name or _name(suite)), suite.record, suite.replay)


def _name(suite: Suite) -> str:
    names = (name for name, thing in list(suite.home.items()) if thing is suite.original)
    found = next(names, "")
    return "" if found.lower() in _PLAIN else found
