"""The forms of whole calls and of steps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from brute.eval import any_of, any_order, call, only, optional, parallel, with_defaults
from brute.eval.casefiles import values
from tests.eval.casefiles.files import case, node, refused_in


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("{$call: {}}", call(), {}),
        ("{$call: {arguments: {q: a}, times: 2}}", call({"q": "a"}, times=2), {"arguments": {"q": "a"}, "times": 2}),
        ("{$call: {at_least: 2}}", call(at_least=2), {"at_least": 2}),
        ("{$call: {at_least: 0}}", call(at_least=0), {"at_least": 0}),
        ("{$call: {at_most: 3}}", call(at_most=3), {"at_most": 3}),
        ("{$call: {at_least: 1, at_most: 3}}", call(at_least=1, at_most=3), {"at_least": 1, "at_most": 3}),
        ("{$call: {at_least: 2, at_most: 2}}", call(times=2), {"times": 2}),
        ("{$call: {outcome: denied}}", call(outcome="denied"), {"outcome": "denied"}),
        ("{$call: {arguments: {$with_defaults: {a: 1}}, times: 0}}", call(with_defaults({"a": 1}), times=0), {"arguments": {"$with_defaults": {"a": 1}}, "times": 0}),
        ("{$call: {arguments: {$any_of: [{a: 1}, {$only: {}}]}}}", call(any_of({"a": 1}, only({}))), {"arguments": {"$any_of": [{"a": 1}, {"$only": {}}]}}),
    ],
)  # fmt: skip
def test_calls_and_how_often(text: str, value: Any, told: dict[str, Any]) -> None:
    """Written with as few words as say it."""
    assert case(f"calls: {{f: {text}}}").calls == {"f": value}
    assert case(f"calls: {{f: [{text}, null]}}").calls == {"f": [value, None]}
    assert values.put_call(value) == {"$call": told}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{$with_defaults: {limit: 10}}", with_defaults({"limit": 10})),
        ("{$with_defaults: {$only: {limit: /1/}}}", None),
    ],
)
def test_defaults(text: str, value: Any) -> None:
    """Filled in; and no others besides."""
    made = case(f"calls: {{f: {text}}}").calls["f"]
    assert values.call(node(json.dumps(values.put_call(made)))) == made
    assert made == value or "with_defaults(only(" in repr(made)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{$parallel: [a, {$optional: 'mcp__*'}]}", parallel("a", optional("mcp__*"))),
        ("{$optional: a}", optional("a")),
        ("{$any_order: [a, {$optional: b}]}", any_order(["a", optional("b")])),
        ("'mcp__*'", "mcp__*"),
    ],
)
def test_a_step(text: str, value: Any) -> None:
    """As in Python, among others."""
    made = case(f"order: [first, {text}]")
    assert made.order == ("first", value)
    assert values.step(node(json.dumps(values.putting("step")(value)))) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("calls: {f: {$call: {times: 2, at_most: 3}}}", "3:22: call: times says how often, and at_least and at_most do; give one or the other"),
        ("calls: {f: {$call: {times: -1}}}", "3:22: call: times must be a whole number from 0 to 10,000, got -1"),
        ("calls: {f: {$call: {times: a}}}", '3:30: times of $call takes a number, got "a"'),
        ("calls: {f: {$call: {tims: 1}}}", '3:23: $call has no "tims" (did you mean "times"?); it takes arguments, times, at_least, at_most, outcome'),
        ("calls: {f: {$call: {outcome: deneid}}}", '3:22: call: outcome must be asked, ran, failed, denied or None, got "deneid" (did you mean "denied"?)'),
        ("calls: {f: {$call: {arguments: [1]}}}", "3:34: a call takes a mapping of arguments, or null for any, got a list"),
        ("calls: {f: {$call: {arguments: {$call: {}}}}}", "3:22: call takes a dict of arguments, or None for any, got call(at_least=1)"),
        ("calls: {f: {a: {$call: {}}}}", '3:19: "$call" is no form here'),
        ("calls: {f: {$with_defaults: 1}}", "3:31: $with_defaults takes a mapping of arguments, or {$only: ...}, got 1"),
        ("calls: {f: {$any_of: [{$with_defaults: {}}]}}", "3:24: any_of takes with_defaults only for the arguments of a call"),
        ("order: [{$parallel: [a]}]", "3:23: parallel takes at least two tools, got ["),
        ("order: [{$parallel: [a, 7]}]", '3:27: order takes tool names, got 7; write "7"'),
        ("order: [{$any_order: []}]", "3:10: order has an any_order of nothing; leave it out"),
        ("order: [{$any_order: [{$parallel: [a, b]}]}]", "3:10: order takes tool names, got parallel('a', 'b')"),
        ("order: [{$only: {}}]", '3:12: "$only" is no form here; forms here are $optional, $any_order, $parallel;'),
    ],
)  # fmt: skip
def test_what_cant_be_meant(text: str, sentence: str) -> None:
    """Under the line and the column of what is wrong."""
    assert refused_in(text).startswith(sentence)
