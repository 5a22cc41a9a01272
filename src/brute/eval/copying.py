"""Copies of what an agent is handed or hands out, so that nobody changes the record, or another attempt's stub, in place."""

from __future__ import annotations

import copy
from typing import Any

DEEPEST = 100
"""How deep values are copied; what a model nests deeper is meant to hurt."""


def copied(arguments: dict[str, Any] | None) -> dict[str, Any] | None:
    """The arguments, apart from those that subscribers, tools and stubs may change in place."""
    if arguments is None:
        return None
    # Most are texts, for which a call would cost more than all the rest.
    return {name: value if type(value) is str else plainly_copied(value) for name, value in arguments.items()}


def plainly_copied(value: Any, depth: int = 0) -> Any:
    """The value, apart from it as far as it is made of dicts and lists."""
    if depth > DEEPEST or not isinstance(value, (dict, list)):
        return value
    if isinstance(value, list):
        return [plainly_copied(each, depth + 1) for each in value]
    return {name: plainly_copied(each, depth + 1) for name, each in value.items()}


def wholly_copied(value: Any) -> Any:
    """A deep copy of the value, or the value where it can't be copied."""
    if value is None or isinstance(value, (str, int, float, bytes)):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value
