"""Whether a secret is spread over the events of a stream, so that no event holds enough of it to be masked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..masking import masked
from .comparing import leaves


def is_spread(lines: Sequence[str]) -> bool:
    """Whether the texts of a stream's events, put together, hold a secret that they don't hold one by one."""
    texts: dict[str, list[str]] = {}
    for line in lines:
        for path, value in leaves(_data(line)):
            if isinstance(value, str):
                texts.setdefault(re.sub(r"\[\d+\]", "[]", path), []).append(value)
    return any(masked("".join(parts)) != "".join(map(masked, parts)) for parts in texts.values() if len(parts) > 1)


def _data(line: str) -> Any:
    text = line.removeprefix("data:").strip()
    if not text.startswith(("{", "[")):
        return {}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {}
