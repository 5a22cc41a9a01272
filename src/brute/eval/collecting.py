"""How seldom Python looks for garbage in circles while a run lasts.

An attempt leaves none, and what is kept of it (its transcript) makes every look at everything take longer.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

SELDOM = 20_000
"""How many new objects there are between two looks, where Python's own default is 700 to 2,000."""

_lasting = 0
_usual = (0, 0, 0)


@contextlib.contextmanager
def seldom() -> Iterator[None]:
    """A while in which the collector looks less often, and after which it looks as often as before; runs may overlap."""
    global _lasting, _usual
    if _lasting == 0:
        _usual = gc.get_threshold()
        # 0 means never: whoever chose that keeps it.
        gc.set_threshold(max(_usual[0], SELDOM) if _usual[0] else 0, *_usual[1:])
    _lasting += 1
    try:
        yield
    finally:
        _lasting -= 1
        if _lasting == 0:
            gc.set_threshold(*_usual)
