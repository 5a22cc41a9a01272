"""What the code that runs in a turn has to do with its recording: context variables, which its threads take along."""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any

from ...calling import inside
from ...tapping import tapping

if TYPE_CHECKING:
    from .tape import Tape

current: contextvars.ContextVar[Tape | None] = contextvars.ContextVar("brute_tape", default=None)
"""The tape of the attempt that runs here."""

passing: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_tape_passing", default=False)
"""Whether what goes out here is known already, and may go out."""

heard: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("brute_tape_heard", default=None)
"""Where a completion's own requests are noted while it works."""

CARRIED: tuple[contextvars.ContextVar[Any], ...] = (current, passing, heard, tapping, inside)
"""What a thread that the agent starts takes along."""
