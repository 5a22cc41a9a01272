"""The forms of stubs: exceptions to raise, and answers in turn."""

from __future__ import annotations

import builtins
from typing import Any

from ...errors import did_you_mean
from ..answers import InTurn, in_turn
from ..arguments import shown
from .forms import NOT, Form, Put, Read, Unwritable, register
from .nodes import Node, listed

EXCEPTIONS: dict[str, type[Exception]] = {
    name: kind
    for name, kind in sorted(vars(builtins).items())
    if isinstance(kind, type) and issubclass(kind, Exception) and kind.__name__ == name
}
"""The exceptions that a stub in a file may raise: Python's own, which need no import."""


RAISES: dict[str, Any] = {
    "anyOf": [
        {"enum": list(EXCEPTIONS)},
        {"type": "object", "propertyNames": {"enum": list(EXCEPTIONS)}, "minProperties": 1, "maxProperties": 1},
    ]
}
"""How an exception stands in a file."""


def raises(node: Node, inner: Read, name: str = "$raise") -> Any:
    """The exception that a node says, a class or an instance; `name` is what it stands under."""
    if isinstance(node.value, str):
        return _kind(node, node.value, name)
    if not isinstance(node.value, dict) or len(node.value) != 1:
        node.refuse(
            f"{name} takes an exception, such as TimeoutError, or {{TimeoutError: what it says}}, got {node.told}"
        )
    key, value = next(iter(node.value.values()))
    kind = _kind(key, key.value, name)
    said = value.value if isinstance(value.value, list) else [] if value.value is None else [value]
    try:
        return kind(*map(inner, said))
    except Exception as error:
        value.refuse(f"no {kind.__name__} can be made of this: {error}")


def _kind(node: Node, told: str, name: str) -> type[Exception]:
    if told not in EXCEPTIONS:
        hint = did_you_mean(told, EXCEPTIONS)
        kind = told.partition(":")[0].strip()
        if kind in EXCEPTIONS:
            hint = f"; to say what it says, write {{{kind}: ...}}"
        node.refuse(f"{name} takes one of Python's own exceptions, got {shown(told)}{hint}")
    return EXCEPTIONS[told]


def of_exception(value: Any, put: Put) -> Any:
    """The exception as `raises` reads it, `NOT` where it is none."""
    kind = value if isinstance(value, type) else type(value)
    if not issubclass(kind, BaseException):
        return NOT
    if EXCEPTIONS.get(kind.__name__) is not kind:
        raise Unwritable(f"the exception {kind.__qualname__}, which is none of Python's own")
    if isinstance(value, type):
        return kind.__name__
    _, said, *state = value.__reduce__()
    if any(state):
        raise Unwritable(f"{shown(value)}, which has more to it than what it says")
    told = [put(each) for each in said]
    alone = len(told) == 1 and not isinstance(told[0], list) and told[0] is not None
    return {kind.__name__: told[0] if alone else told}


register(
    Form(
        name="raise",
        places=("stub", "answer"),
        about="An exception that the tool raises, one of Python's own: its name, or {name: what it says}.",
        schema=RAISES,
        reads=raises,
        writes=of_exception,
    )
)


def _in_turn(node: Node, inner: Read) -> InTurn:
    answers = listed(node, "$in_turn takes a list of answers, each for one call")
    if not answers:
        node.refuse("$in_turn takes at least one answer")
    return in_turn(*map(inner, answers))


register(
    Form(
        name="in_turn",
        places=("stub",),
        about="Answers for successive calls, one each.",
        schema={"type": "array", "items": {"$ref": "#/definitions/answer"}, "minItems": 1},
        reads=_in_turn,
        writes=lambda value, put: [put(each) for each in value.answers] if isinstance(value, InTurn) else NOT,
    )
)
