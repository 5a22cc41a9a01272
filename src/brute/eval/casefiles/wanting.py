"""The forms of whole calls and of steps: how often and how a call ended, the tool's own defaults, calls asked for at once."""

from __future__ import annotations

from typing import Any

from ..callwishes import ENDINGS, MOST_TIMES, Wanted, WithDefaults, call, with_defaults
from ..steps import MOST, Parallel, parallel
from .forms import INNER, NOT, Form, Put, Read, register
from .nodes import Node, listed, mapping, text
from .wishing import number, only_keys, placed

_COUNTS = ("times", "at_least", "at_most")


def _call(node: Node, inner: Read) -> Wanted:
    given = only_keys(node, ("arguments", *_COUNTS, "outcome"), "$call")
    wish = inner(given["arguments"]) if "arguments" in given else None
    told = {name: number(given[name], f"{name} of $call") for name in _COUNTS if name in given}
    if "outcome" in given:
        told["outcome"] = text(given["outcome"], f"outcome of $call must be {', '.join(ENDINGS)}")
    return placed(node, call, wish, **told)  # type: ignore[no-any-return]


def _of_call(value: Any, put: Put) -> Any:
    if not isinstance(value, Wanted):
        return NOT
    told: dict[str, Any] = {} if value.wish == {} else {"arguments": put(value.wish)}
    told |= counted(value)
    return told if value.outcome is None else {**told, "outcome": value.outcome}


def counted(value: Wanted) -> dict[str, int]:
    """How often, in as few words as say it."""
    if value.at_least == value.at_most:
        return {"times": value.at_least}
    if value.at_most is None:
        return {} if value.at_least == 1 else {"at_least": value.at_least}
    return {**({"at_least": value.at_least} if value.at_least else {}), "at_most": value.at_most}


_MANY = {"type": "integer", "minimum": 0, "maximum": MOST_TIMES}

register(
    Form(
        name="call",
        places=("call",),
        about="So many calls with these arguments, that ended so; without a number, at least one.",
        schema={
            "type": "object",
            "properties": {"arguments": INNER, **dict.fromkeys(_COUNTS, _MANY), "outcome": {"enum": list(ENDINGS)}},
            "additionalProperties": False,
        },
        reads=_call,
        writes=_of_call,
    )
)


def _with_defaults(node: Node, inner: Read) -> WithDefaults:
    mapping(node, "$with_defaults takes a mapping of arguments, or {$only: ...}")
    return placed(node, with_defaults, inner(node))  # type: ignore[no-any-return]


register(
    Form(
        name="with_defaults",
        places=("call",),
        about="Arguments, where one that was left out has the default of the tool's own schema.",
        schema={"allOf": [{"type": "object"}, INNER]},
        reads=_with_defaults,
        writes=lambda value, put: put(value.wish) if isinstance(value, WithDefaults) else NOT,
    )
)
register(
    Form(
        name="parallel",
        places=("step",),
        about="Steps that are asked for at once: in one batch of calls, in any order.",
        schema={"type": "array", "items": INNER, "minItems": 2, "maxItems": MOST},
        reads=lambda node, inner: placed(node, parallel, *map(inner, listed(node, "$parallel takes a list of tools"))),
        writes=lambda value, put: list(map(put, value.steps)) if isinstance(value, Parallel) else NOT,
    )
)
