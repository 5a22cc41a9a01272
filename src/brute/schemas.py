"""What a JSON schema refuses of a call's arguments: what is missing, what is too much, and what is of another type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list, tuple),
    "null": (type(None),),
}


def misfits(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[str]:
    """What is wrong with the arguments, in words for the model: by `required`, `additionalProperties`, `type` and `enum`.

    The rest of the schema is left to the tool: what is not looked at is not refused.

    >>> misfits({"required": ["q"], "properties": {"n": {"type": "integer"}}}, {"n": "3"})
    ['missing q', 'n must be of type integer, got "3"']
    """
    properties = schema.get("properties")
    known: dict[str, Any] = properties if isinstance(properties, dict) else {}
    found = []
    for name in schema.get("required") or ():
        if name not in arguments:
            found.append(f"missing {name}")
    closed = schema.get("additionalProperties") is False
    for name in arguments if closed else ():
        if name not in known:
            found.append(f"there is no argument {name}")
    for name, value in arguments.items():
        wanted = known.get(name)
        wrong = _wrong(wanted, value) if isinstance(wanted, dict) else None
        if wrong is not None:
            found.append(f"{name} {wrong}")
    return found


def _wrong(schema: Mapping[str, Any], value: Any) -> str | None:
    types = schema.get("type")
    if not (isinstance(types, str) and type(value) in _TYPES.get(types, ())):  # most are of just that type
        names = [types] if isinstance(types, str) else list(types or ())
        if names and all(name in _TYPES for name in names) and not any(_is_a(name, value) for name in names):
            return f"must be of type {' or '.join(names)}, got {_shown(value)}"
    allowed = schema.get("enum")
    if isinstance(allowed, (list, tuple)) and value not in allowed:
        return f"must be one of {', '.join(map(_shown, allowed))}, got {_shown(value)}"
    return None


def _is_a(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 80 else f"{text[:80]}..."
