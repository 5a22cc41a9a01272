"""The named forms: how a file writes what JSON has no word for, as `{$name: ...}`.

They stand in one table, `FORMS`, by which they are read, written and described in the schema. A new word of the language of cases is one
more `register(Form(...))`: its places, and a function each way.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...errors import UsageError, did_you_mean
from ..arguments import shown
from . import patterns
from .nodes import Node, listed, text

Read = Callable[[Node], Any]
Put = Callable[[Any], Any]

PLACES = ("stub", "answer", "file", "calls", "call", "wish", "step", "word", "absence")
"""Where a form may stand: a stub, an answer of one, a file's content, all calls, one call's arguments, an argument (or what is in
it), a step of the order, a word that is mentioned, the pattern of absence."""

INNER: Mapping[str, Any] = {"$ref": "#/definitions/inner"}
"""What stands for a value inside, in a form's schema: in another place, it is another."""

NOT: Any = object()
"""What `writes` answers for a value that is another's."""


class Unwritable(UsageError):
    """A value that no file of cases can hold."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One named form.

    `reads` makes the value of what stands under the name; it is handed what reads the values inside. `writes` answers what stands there for a
    value, `NOT` where the value is none of this form's; it is handed what writes the values inside. `schema` describes what stands there;
    in it, `INNER` is a value inside, of the place where the form stands, and `{"$ref": "#/definitions/wish"}` one of that place.
    """

    name: str
    places: Sequence[str]
    about: str
    schema: Mapping[str, Any]
    reads: Callable[[Node, Read], Any]
    writes: Callable[[Any, Put], Any]


FORMS: dict[str, Form] = {}
"""Every form by its name."""


def register(form: Form) -> None:
    """Add a form to the table; `ValueError` for a place that there is not, and a name that is taken."""
    if set(form.places) - set(PLACES) or form.name in FORMS:
        raise ValueError(f"{form.name} stands in the table already, or in a place that there is not: {form.places}")
    FORMS[form.name] = form


def at(place: str) -> list[Form]:
    """The forms that may stand in a place."""
    return [form for form in FORMS.values() if place in form.places]


def read(node: Node, place: str, inner: Read) -> Any:
    """The value of the form that a node is, `NOT` where it is none; a key with one $ that is no form is refused."""
    if node.literal or not isinstance(node.value, dict):
        return NOT
    named = [name for name in node.value if name.startswith("$") and not name.startswith("$$")]
    if not named:
        return NOT
    key, value = node.value[named[0]]
    known = {form.name: form for form in at(place)}
    if named[0][1:] not in known:
        names = [f"${name}" for name in known]
        hint = did_you_mean(named[0], names)
        told = f"forms here are {', '.join(names)}" if names else "there are no forms here"
        key.refuse(
            f"{shown(named[0])} is no form here{hint}; {told}; a key that is meant is written {shown('$' + named[0])}"
        )
    if len(node.value) > 1:
        other = next(entry.key for name, entry in node.value.items() if name != named[0])
        other.refuse(f"{named[0]} stands alone in its mapping, got {shown(other.value)} beside it")
    return known[named[0][1:]].reads(value, inner)


def write(value: Any, place: str, put: Put) -> Any:
    """The value as the form that it is, `NOT` where it is none."""
    for form in at(place):
        told = form.writes(value, put)
        if told is not NOT:
            return {f"${form.name}": told}
    return NOT


def _text(node: Node, inner: Read) -> str:
    return text(node, "$text takes a text")


register(
    Form(
        name="text",
        places=("wish", "word"),
        about="A text, also where it looks like a pattern.",
        schema={"type": "string"},
        reads=_text,
        writes=lambda value, put: value if isinstance(value, str) and patterns.looks(value) else NOT,
    )
)


def _pattern(node: Node, inner: Read) -> re.Pattern[str]:
    parts = node.value if isinstance(node.value, list) else [node]
    if not 1 <= len(parts) <= 2:
        node.refuse(f"$pattern takes a text, or a list of a text and flags, got {len(parts)} values")
    body, *flags = (text(each, "$pattern takes a text, or a list of a text and flags") for each in parts)
    try:
        return patterns.compiled(body, *flags)
    except patterns.Bad as bad:
        node.refuse(str(bad))


def _of_pattern(value: Any, put: Put) -> Any:
    if not isinstance(value, re.Pattern) or not isinstance(value.pattern, str) or patterns.write(value):
        return NOT
    flags = patterns.letters(value)
    try:
        same = patterns.compiled(value.pattern, flags) == value
    except patterns.Bad:
        same = False
    if not same:
        raise Unwritable(f"the pattern {shown(value)}, whose flags are not among {', '.join(patterns.FLAGS)}")
    return [value.pattern, flags] if flags else value.pattern


register(
    Form(
        name="pattern",
        places=("wish", "word", "absence"),
        about="A pattern, with its flags: what /.../i can't write.",
        schema={
            "anyOf": [
                {"type": "string", "format": "regex"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
            ]
        },
        reads=_pattern,
        writes=_of_pattern,
    )
)

TYPES: dict[str, Any] = {
    "str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict, "null": type(None), "any": object,
}  # fmt: skip
"""The types that an argument may be said to have, as Python calls them."""


def _type(node: Node, inner: Read) -> Any:
    names = [each.strip() for each in text(node, f"$type takes a text such as int or int | null; types are {', '.join(TYPES)}").split("|")]  # fmt: skip
    for name in names:
        if name not in TYPES:
            node.refuse(f"there is no type {shown(name)}{did_you_mean(name, TYPES)}; types are {', '.join(TYPES)}")
    made = TYPES[names[0]]
    for name in names[1:]:
        made = made | TYPES[name]
    return made


def _of_type(value: Any, put: Put) -> Any:
    if not isinstance(value, (type, types.UnionType)):
        return NOT
    each = value.__args__ if isinstance(value, types.UnionType) else (value,)
    names = {kind: name for name, kind in TYPES.items()}
    strange = next((kind for kind in each if kind not in names), None)
    if strange is not None:
        raise Unwritable(f"the type {shown(strange)}; types are {', '.join(TYPES)}")
    return " | ".join(names[kind] for kind in each)


register(
    Form(
        name="type",
        places=("wish",),
        about="Anything of this type; several are joined by |.",
        schema={"type": "string", "pattern": rf"^ *({'|'.join(TYPES)})( *\| *({'|'.join(TYPES)}))* *$"},
        reads=_type,
        writes=_of_type,
    )
)


def _range(node: Node, inner: Read) -> range:
    what = "$range takes [first, end] or [first, end, step], whole numbers of which the end is not in it"
    parts = [each.value for each in listed(node, what)]
    if not 2 <= len(parts) <= 3 or not all(type(each) is int for each in parts) or parts[2:] == [0]:
        node.refuse(what)
    return range(*parts)


register(
    Form(
        name="range",
        places=("wish",),
        about="A whole number from the first to before the end: [first, end] or [first, end, step].",
        schema={"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
        reads=_range,
        writes=lambda value, put: (
            NOT if not isinstance(value, range) else [value.start, value.stop, *([value.step] * (value.step != 1))]
        ),
    )
)


def _bytes(node: Node, inner: Read) -> bytes:
    try:
        return base64.b64decode("".join(text(node, "$base64 takes a text").split()), validate=True)
    except (binascii.Error, ValueError) as error:
        node.refuse(f"this is no base64: {error}")


register(
    Form(
        name="base64",
        places=("file",),
        about="Bytes, in base64.",
        schema={"type": "string"},
        reads=_bytes,
        writes=lambda value, put: base64.b64encode(value).decode() if isinstance(value, bytes) else NOT,
    )
)
