"""The forms of wishes that a plain value can't say: one of several, left out, in any order, nearly, no others, by a schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import UsageError
from ..likeness import Near, SameText, near, same_text
from ..schemawish import Schema, schema
from ..wishes import AnyOf, AnyOrder, Only, Optional, any_of, any_order, only, optional
from .forms import INNER, NOT, Form, Put, Read, Unwritable, register
from .nodes import Misplaced, Node, known, listed, mapping, text


def placed(node: Node, make: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What is made of these values; why it can't be is told under the node's place."""
    try:
        return make(*given, **named)
    except Misplaced:
        raise
    except UsageError as error:
        node.refuse(str(error))


def only_keys(node: Node, names: tuple[str, ...], what: str) -> dict[str, Node]:
    """The values of a mapping that has no other keys than these."""
    entries = mapping(node, f"{what} takes a mapping of {', '.join(names)}")
    known(node, names, what)
    return {name: entry.value for name, entry in entries.items()}


def number(node: Node, what: str) -> Any:
    """The number that a scalar is."""
    if isinstance(node.value, bool) or not isinstance(node.value, (int, float)):
        node.refuse(f"{what} takes a number, got {node.told}")
    return node.value


register(
    Form(
        name="any_of",
        places=("call", "wish"),
        about="One of several wishes, each of any kind.",
        schema={"type": "array", "items": INNER, "minItems": 1},
        reads=lambda node, inner: placed(node, any_of, *map(inner, listed(node, "$any_of takes a list of wishes"))),
        writes=lambda value, put: list(map(put, value.options)) if isinstance(value, AnyOf) else NOT,
    )
)
register(
    Form(
        name="optional",
        places=("wish", "step"),
        about="An argument, or a step of the order, that may be left out; where it is given, it is as wished.",
        schema=INNER,
        reads=lambda node, inner: placed(node, optional, inner(node)),
        writes=lambda value, put: put(value.wish) if isinstance(value, Optional) else NOT,
    )
)
register(
    Form(
        name="any_order",
        places=("wish", "step"),
        about="A list of just these items, or steps of the order, in any order.",
        schema={"type": "array", "items": INNER},
        reads=lambda node, inner: placed(node, any_order, [*map(inner, listed(node, "$any_order takes a list"))]),
        writes=lambda value, put: list(map(put, value.items)) if isinstance(value, AnyOrder) else NOT,
    )
)
_NEAR = ("number", "within", "percent")


def _near(node: Node, inner: Read) -> Near:
    given = only_keys(node, _NEAR, "$near")
    if "number" not in given:
        node.refuse("$near needs number:, and within: or percent:")
    told = {name: number(each, f"{name} of $near") for name, each in given.items()}
    return placed(node, near, told.pop("number"), **told)  # type: ignore[no-any-return]


def _of_near(value: Any, put: Put) -> Any:
    if not isinstance(value, Near):
        return NOT
    return {name: put(getattr(value, name)) for name in _NEAR if getattr(value, name) is not None}


register(
    Form(
        name="near",
        places=("wish",),
        about="A number no further from this one than within, or than so many percent of it.",
        schema={
            "type": "object",
            "properties": {
                "number": {"type": "number"},
                **{name: {"type": "number", "minimum": 0} for name in _NEAR[1:]},
            },
            "required": ["number"],
            "minProperties": 2,
            "maxProperties": 2,
            "additionalProperties": False,
        },
        reads=_near,
        writes=_of_near,
    )
)
register(
    Form(
        name="same_text",
        places=("wish",),
        about="A text, whatever its case, its spaces and its punctuation.",
        schema={"type": "string", "minLength": 1},
        reads=lambda node, inner: placed(node, same_text, text(node, "$same_text takes a text")),
        writes=lambda value, put: value.text if isinstance(value, SameText) else NOT,
    )
)


def _only(node: Node, inner: Read) -> Only:
    mapping(node, "$only takes a mapping")
    return placed(node, only, inner(node))  # type: ignore[no-any-return]


register(
    Form(
        name="only",
        places=("calls", "call", "wish"),
        about="These and no others: no other key, no other argument; of all calls, no other call.",
        schema={"allOf": [{"type": "object"}, INNER]},
        reads=_only,
        writes=lambda value, put: put(value.named) if isinstance(value, Only) and value.among is None else NOT,
    )
)


def _only_among(node: Node, inner: Read) -> Only:
    given = only_keys(node, ("calls", "among"), "$only_among")
    for name in ("calls", "among"):
        if name not in given:
            node.refuse(
                f"$only_among needs calls:, the calls that are wanted, and among:, the tools that it is about; {name}: is missing"
            )
    names = [
        text(each, "among takes tool names") for each in listed(given["among"], "among takes a list of tool names")
    ]
    return placed(node, only, inner(given["calls"]), among=names)  # type: ignore[no-any-return]


register(
    Form(
        name="only_among",
        places=("calls",),
        about="These calls, and no others to the tools that are named; calls to further tools are free.",
        schema={
            "type": "object",
            "properties": {
                "calls": INNER,
                "among": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
            },
            "required": ["calls", "among"],
            "additionalProperties": False,
        },
        reads=_only_among,
        writes=lambda value, put: (
            {"calls": put(value.named), "among": list(value.among)} if isinstance(value, Only) and value.among else NOT
        ),
    )
)


def _plain(node: Node) -> Any:
    """A JSON schema as it stands: a key of it that begins with $ is its own."""
    if isinstance(node.value, dict):
        return {name: _plain(entry.value) for name, entry in node.value.items()}
    return [_plain(each) for each in node.value] if isinstance(node.value, list) else node.value


def _of_schema(value: Any, put: Put) -> Any:
    if not isinstance(value, Schema):
        return NOT
    try:
        told = json.loads(json.dumps(value.schema, allow_nan=False))
    except ValueError:
        raise Unwritable("a schema with a number that is not finite") from None
    return told if isinstance(told, (Mapping, bool)) else NOT


register(
    Form(
        name="schema",
        places=("call", "wish"),
        about="A value that this JSON schema allows; it stands here as it is, and needs the extra `schema`.",
        schema={"type": ["object", "boolean"]},
        reads=lambda node, inner: placed(node, schema, _plain(node)),
        writes=_of_schema,
    )
)
