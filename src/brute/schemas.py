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
    found = [f"missing {name}" for name in schema.get("required") or () if name not in arguments]
    if schema.get("additionalProperties") is False:
        found += [f"there is no argument {name}" for name in arguments if name not in known]
    for name, value in arguments.items():
        wanted = known.get(name)
        if isinstance(wanted, dict):
            found += [f"{name} {told}" for told in _wrong(wanted, value)]
    return found


def _wrong(schema: Mapping[str, Any], value: Any) -> list[str]:
    types = schema.get("type")
    names = [types] if isinstance(types, str) else list(types or ())
    if names and all(name in _TYPES for name in names) and not any(_is_a(name, value) for name in names):
        return [f"must be of type {' or '.join(names)}, got {_shown(value)}"]
    allowed = schema.get("enum")
    if isinstance(allowed, (list, tuple)) and value not in allowed:
        return [f"must be one of {', '.join(map(_shown, allowed))}, got {_shown(value)}"]
    return []


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
