"""How a tool whose class has a `call` of its own is watched as any other: that `call` stands behind the same door."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Mapping
from typing import Any

from .hooks import watching

_within: contextvars.ContextVar[tuple[Any, type] | None] = contextvars.ContextVar("brute_within", default=None)
"""The tool whose own `call` runs here, and the class that it is of."""


def is_above(tool: Any, kind: type) -> bool:
    """Whether the `call` of class `kind` is asked by that of a class below it, for the same call of the tool (`super().call(...)`)."""
    found = _within.get()
    return found is not None and found[0] is tool and found[1] is not kind and issubclass(found[1], kind)


def guard(kind: type) -> None:
    """Have the class's own `call` tell its events where its turn is watched, and they have not been told yet."""
    own: Any = kind.call  # type: ignore[attr-defined]
    if hasattr(own, "brute_guarded"):
        return

    @functools.wraps(own)
    async def call(self: Any, arguments: Mapping[str, Any]) -> Any:
        if watching.get() is not None:
            from .calling import beside, is_dispatched

            if not is_dispatched(self) and not is_above(self, kind):
                return await beside(self, arguments)
        token = _within.set((self, kind))
        try:
            answer = own(self, arguments)
            return await answer if inspect.isawaitable(answer) else answer
        finally:
            _within.reset(token)

    call.brute_guarded = True  # type: ignore[attr-defined]
    kind.call = call  # type: ignore[attr-defined]
