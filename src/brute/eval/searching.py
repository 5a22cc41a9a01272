"""What of the case's own was searching or answering when grading was stopped under way.

A pattern can take for ever on what an agent said, and so can a function. The alarm that ends it knows only that the loop is
blocked; that the case is to blame, and which pattern of it, stands in the frames.
"""

from __future__ import annotations

import re
from typing import Any

from .matching import is_predicate, matches
from .words import says

SEARCHING = ("calls", "mentions", "absent")
"""The rows that search with a pattern of the case's, or ask a function of its."""

_MODULES = {matches.__module__, says.__module__, f"{__package__}.absence"}
_NAMES = ("wanted", "predicate", "word", "absence")


def at_work(error: BaseException) -> Any:
    """The pattern or function of the case's that was at work when `error` came; None where it was none."""
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_globals.get("__name__") in _MODULES:
            thing = next((frame.f_locals[name] for name in _NAMES if name in frame.f_locals), None)
            if isinstance(thing, re.Pattern) or is_predicate(thing):
                found = thing
        traceback = traceback.tb_next
    return found
