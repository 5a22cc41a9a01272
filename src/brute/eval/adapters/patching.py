"""How a method of a framework's classes is put under watch, for good."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def watch(kind: type, name: str, make: Callable[[type, Any], Any]) -> bool:
    """Put a method under watch where the class, or one that it is made of, defines it; whether there is one."""
    if hasattr(getattr(kind, name, None), "brute_watched"):
        return True  # as nearly always: each attempt asks anew, for it may have been replaced since
    for owner in kind.__mro__:
        plain = vars(owner).get(name)
        if plain is None:
            continue
        if not inspect.isfunction(plain):
            return False
        if not hasattr(plain, "brute_watched"):
            made = make(owner, plain)
            made.brute_watched = True
            setattr(owner, name, made)
        return True
    return False
