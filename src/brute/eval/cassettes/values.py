"""How what a tool answered, or raised, is kept as JSON, and made of it again."""

from __future__ import annotations

import base64
import builtins
import dataclasses
import datetime
import decimal
import json
import sys
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import ModelError
from ..jsonable import plain

TYPED = "typed"
"""The field of a recorded answer that says that there are types in it which JSON has no word for."""

TYPE, VALUE = "$type", "$value"
"""How such a type stands in an answer: its name, and what it is made of."""

_KNOWN: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    tuple: (lambda value: [_told(each) for each in value], tuple),
    set: (lambda value: [_told(each) for each in sorted(value, key=repr)], set),
    frozenset: (lambda value: [_told(each) for each in sorted(value, key=repr)], frozenset),
    float: (repr, float),  # what is no number, or endless
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
    datetime.datetime: (lambda value: value.isoformat(), datetime.datetime.fromisoformat),
    datetime.date: (lambda value: value.isoformat(), datetime.date.fromisoformat),
    decimal.Decimal: (str, decimal.Decimal),
    uuid.UUID: (str, uuid.UUID),
}


def kept(value: Any) -> dict[str, Any]:
    """The value as `{"result": ...}`, and marked where JSON alone would bring back another one."""
    if _exact(value):
        return {"result": value}
    try:
        return {"result": _told(value), TYPED: True}
    except RecursionError:  # it holds itself
        return {"result": plain(value)}


def _told(value: Any) -> Any:
    kind = type(value)
    if kind is list:
        return [_told(each) for each in value]
    if kind is dict and all(type(name) is str for name in value):
        made = {name: _told(each) for name, each in value.items()}
        return {TYPE: "dict", VALUE: made} if TYPE in made else made
    if kind is dict:
        return {TYPE: "pairs", VALUE: [[_told(name), _told(each)] for name, each in value.items()]}
    if _exact(value):
        return value
    if kind in _KNOWN:
        return {TYPE: kind.__name__, VALUE: _KNOWN[kind][0](value)}
    return {TYPE: f"{kind.__module__}:{kind.__qualname__}", VALUE: plain(value)}


def restored(entry: Mapping[str, Any]) -> Any:
    """The value that `kept` gave the entry for; plain data where its type is not there any more."""
    value = json.loads(json.dumps(entry["result"]))
    return _heard(value) if entry.get(TYPED) else value


def _heard(value: Any) -> Any:
    if isinstance(value, list):
        return [_heard(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {TYPE, VALUE}:
        return {name: _heard(each) for name, each in value.items()}
    name, made = value[TYPE], value[VALUE]
    if name == "dict":
        return {each: _heard(inner) for each, inner in made.items()}
    if name == "pairs":
        return {_heard(each): _heard(inner) for each, inner in made}
    for kind, (_, make) in _KNOWN.items():
        if kind.__name__ == name:
            return make(_heard(made))
    return _built(_class(name), made)


def _built(kind: Any, value: Any) -> Any:
    try:
        if hasattr(kind, "model_validate"):
            return kind.model_validate(value)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            return kind(**value)
    except Exception:  # it takes other fields by now
        pass
    return value


def _exact(value: Any) -> bool:
    """Whether the value comes out of JSON as it went in."""
    try:
        return _same(value, json.loads(json.dumps(value, allow_nan=False)))
    except (TypeError, ValueError, RecursionError):
        return False


def _same(value: Any, other: Any) -> bool:
    if type(value) is not type(other):
        return False
    if isinstance(value, dict):
        return list(value) == list(other) and all(_same(each, other[key]) for key, each in value.items())
    if isinstance(value, list):
        return len(value) == len(other) and all(map(_same, value, other))
    return bool(value == other)


def raised(error: BaseException) -> dict[str, Any]:
    """An exception as plain data: its type, its text, and of a model call what else is known."""
    kind = type(error)
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}:"
    text = _text(error)
    told: dict[str, Any] = {"type": f"{module}{kind.__qualname__}", "text": text}
    if isinstance(error, ModelError):
        told |= {"status": error.status, "transient": error.transient, "retry_after": error.retry_after}
    elif len(error.args) == 1 and isinstance(error.args[0], (str, int)) and text != str(error.args[0]):
        told["argument"] = error.args[0]  # KeyError writes its argument in quotes
    return told


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # it is somebody's own
        return ""


def exception(told: Mapping[str, Any]) -> Exception:
    """The exception that `raised` told of: of its own type where that is loaded, else of one of the same name."""
    kind, text = _class(told["type"]), told["text"]
    if not isinstance(text, str):
        raise TypeError("the text of an exception is no text")
    if kind is ModelError:
        return ModelError(
            text, status=told.get("status"), transient=told.get("transient", False), retry_after=told.get("retry_after")
        )
    if isinstance(kind, type) and issubclass(kind, Exception):
        try:
            made = kind(told.get("argument", text))
            if str(made) == text:
                return made
        except Exception:  # it takes other arguments
            pass
    base = kind if isinstance(kind, type) and issubclass(kind, OSError) else Exception
    # What names itself like it, and says the same: all that a model reads of it.
    name = told["type"].rpartition(":")[2].rpartition(".")[2]
    return type(name, (base,), {"__str__": lambda self: text, "__module__": "brute.replayed"})(text)  # type: ignore[no-any-return]


def _class(name: str) -> Any:
    """A class by its name, `module:name` or a builtin's, where its module is loaded; nothing is imported for it."""
    module, _, path = name.rpartition(":")
    found: Any = sys.modules.get(module) if module else builtins
    for part in path.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None
