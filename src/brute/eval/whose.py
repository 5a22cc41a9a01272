"""Whose code runs here: that of an agent in a turn, or the case's own."""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING

from ..hooks import watching

if TYPE_CHECKING:
    from .foreign import Turn

current: contextvars.ContextVar[Turn | None] = contextvars.ContextVar("brute_foreign_turn", default=None)
"""The turn that runs here: where a hook that a framework keeps for good finds whom to tell."""

cases_own: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_cases_own", default=False)
"""Whether it is the case's own code that runs here, a stub or a check: what it uses of the agent is in no turn."""


class outside:  # noqa: N801  # read as a word in a sentence: with outside()
    """While the case's own code runs, which may use the real tools and agents, and is not to be watched."""

    __slots__ = ("_own", "_turn", "_watch")

    def __enter__(self) -> None:
        # Set only where there is a turn: it is entered for every grading, which is in none.
        self._watch = None if watching.get() is None else watching.set(None)
        self._turn = None if current.get() is None else current.set(None)
        self._own = cases_own.set(True)

    def __exit__(self, *_: object) -> None:
        cases_own.reset(self._own)
        if self._turn is not None:
            current.reset(self._turn)
        if self._watch is not None:
            watching.reset(self._watch)
