"""The form of a stub's rules: for which calls, what is served then, how late and how often."""

from __future__ import annotations

from typing import Any

from ..rules import Answer, Rule, rules_of, when
from .forms import NOT, Form, Put, Read, Unwritable, register
from .nodes import Node, listed
from .serving import RAISES, of_exception, raises
from .wishing import number, only_keys, placed

_SERVED = ("returns", "fails", "passes_through")
_RULE = ("arguments", *_SERVED, "after", "then", "times")


def _rule(node: Node, inner: Read) -> Rule:
    from .values import call  # which has this form in its table

    given = only_keys(node, _RULE, "a rule of $when")
    wish = call(given["arguments"]) if "arguments" in given else None
    made = _served(placed(given.get("arguments", node), when, wish), node, given, inner)
    for each in (
        listed(given["then"], "then takes a list of {returns: ...} and {fails: ...}") if "then" in given else ()
    ):
        made = _served(made, each, only_keys(each, ("returns", "fails", "after"), "what is served then"), inner)
    if "times" in given:
        made = placed(given["times"], made.times, number(given["times"], "times"))
    return made


def _served(rule: Rule, node: Node, given: dict[str, Node], inner: Read) -> Rule:
    """The rule with one more answer."""
    named = [name for name in _SERVED if name in given]
    if len(named) != 1:
        node.refuse(
            f"a rule of $when says what is served, by one of {', '.join(_SERVED)}; got {' and '.join(named) or 'none of them'}"
        )
    value = given[named[0]]
    if named[0] == "passes_through":
        if value.value is not True:
            value.refuse(f"passes_through must be true, got {value.told}")
        made = placed(value, rule.passes_through)
    else:
        made = placed(
            value,
            rule.then if rule.answers else rule.returns if named[0] == "returns" else rule.fails,
            _answer(named[0], value, inner),
        )
    return placed(given["after"], made.after, number(given["after"], "after")) if "after" in given else made  # type: ignore[no-any-return]


def _answer(name: str, node: Node, inner: Read) -> Any:
    if name == "fails":
        return raises(node, inner, "fails")
    value = inner(node)
    if isinstance(value, (BaseException, type)):
        node.refuse("returns serves a value; to raise an exception, write fails: in its place")
    return value


def _of_rules(value: Any, put: Put) -> Any:
    if isinstance(value, Rule):
        return _of_rule(value, put)
    rules = rules_of(value)
    return NOT if rules is None else [_of_rule(each, put) for each in rules]


def _of_rule(rule: Rule, put: Put) -> dict[str, Any]:
    from .values import put_call

    told: dict[str, Any] = {} if rule.wish == {} else {"arguments": put_call(rule.wish)}
    if not rule.answers:
        raise Unwritable(f"the rule {rule!r}, which does not say what is served")
    first, *others = (_of_answer(each, put) for each in rule.answers)
    told |= first
    if others:
        told["then"] = others
    return told if rule.most is None else {**told, "times": rule.most}


def _of_answer(answer: Answer, put: Put) -> dict[str, Any]:
    late = {"after": answer.after} if answer.after else {}
    if answer.live:
        return {"passes_through": True, **late}
    raised = of_exception(answer.value, put)
    return ({"returns": put(answer.value)} if raised is NOT else {"fails": raised}) | late


_ANSWER = {"$ref": "#/definitions/answer"}
_LATE = {"after": {"type": "number", "minimum": 0}}
_THEN = {"type": "object", "properties": {"returns": _ANSWER, "fails": RAISES, **_LATE}, "additionalProperties": False}
_SCHEMA = {
    "type": "object",
    "properties": {
        "arguments": {"$ref": "#/definitions/call"},
        "returns": _ANSWER,
        "fails": RAISES,
        "passes_through": {"const": True},
        **_LATE,
        "then": {"type": "array", "items": {**_THEN, "oneOf": [{"required": [name]} for name in _SERVED[:2]]}},
        "times": {"type": "integer", "minimum": 1},
    },
    "oneOf": [{"required": [name]} for name in _SERVED],
    "additionalProperties": False,
}

register(
    Form(
        name="when",
        places=("stub",),
        about="A rule of a stub, or a list of them, tried in order: for calls with such arguments, what is served.",
        schema={"anyOf": [_SCHEMA, {"type": "array", "items": _SCHEMA, "minItems": 1}]},
        reads=lambda node, inner: (
            [_rule(each, inner) for each in _several(node)] if isinstance(node.value, list) else _rule(node, inner)
        ),
        writes=_of_rules,
    )
)


def _several(node: Node) -> list[Node]:
    if not node.value:
        node.refuse("$when takes a rule or a list of rules, and this list has none")
    return listed(node, "$when takes a rule or a list of rules")
