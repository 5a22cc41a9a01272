"""Whose code runs here: that of an agent in a turn, or the case's own."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..hooks import watching

if TYPE_CHECKING:
    from .foreign import Turn

current: contextvars.ContextVar[Turn | None] = contextvars.ContextVar("brute_foreign_turn", default=None)
"""The turn that runs here: where a hook that a framework keeps for good finds whom to tell."""

cases_own: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_cases_own", default=False)
"""Whether it is the case's own code that runs here, a stub or a check: what it uses of the agent is in no turn."""


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """While the case's own code runs, which may use the real tools and agents, and is not to be watched."""
    before, turn, own = watching.set(None), current.set(None), cases_own.set(True)
    try:
        yield
    finally:
        cases_own.reset(own)
        current.reset(turn)
        watching.reset(before)
