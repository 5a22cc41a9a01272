"""The refusal of misspelt and unknown arguments of the values that users write: `Case` and `Budget`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..errors import UsageError, did_you_mean


def refuse_unknown(what: str, given: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise `UsageError` for the first argument that is not allowed, naming the nearest that is."""
    allowed = tuple(allowed)
    for name in given:
        if name not in allowed:
            raise UsageError(
                f'{what} has no argument "{name}"{did_you_mean(name, allowed)}; it takes {", ".join(allowed)}'
            )


def shown(value: Any) -> str:
    """A value for a sentence about bad input: short, on one line."""
    try:
        text = json.dumps(value[:100], ensure_ascii=True) if isinstance(value, str) else " ".join(repr(value).split())
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else f"{text[:80]}..."
