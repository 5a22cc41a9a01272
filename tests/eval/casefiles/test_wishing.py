"""The forms of wishes: each as in Python, and back."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest

from brute import UsageError
from brute.eval import any_of, any_order, near, only, optional, same_text, schema
from brute.eval.casefiles import values
from brute.eval.casefiles.nodes import Misplaced
from tests.eval.casefiles.files import case, node, refused_in


def arguments(text: str) -> Any:
    """What the arguments of a call should be, in the words of a file."""
    return case(f"calls: {{f: {text}}}").calls["f"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{$any_of: [metric, /^us/, {$type: int}]}", any_of("metric", re.compile("^us"), int)),
        ("{$optional: 10}", optional(10)),
        ("{$optional: {$type: any}}", optional()),
        ("{$optional: null}", optional(None)),
        ("{$any_order: [1, {a: /b/}]}", any_order([1, {"a": re.compile("b")}])),
        ("{$any_order: []}", any_order([])),
        ("{$near: {number: 4.25, within: 0.01}}", near(4.25, 0.01)),
        ("{$near: {number: 200, percent: 5}}", near(200, percent=5)),
        ("{$same_text: Bank of England}", same_text("Bank of England")),
        ("{$same_text: /a/}", same_text("/a/")),
        ("{$only: {a: {$type: int}, b: {$optional: 1}}}", only({"a": int, "b": optional(1)})),
        ("{$schema: {$ref: '#/$defs/a', $defs: {a: {type: integer}}}}", schema({"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}})),
        ("{$schema: true}", schema(True)),
        ("[{$any_of: [{$near: {number: 1, within: 0}}, {x: {$optional: /a/}}]}]", [any_of(near(1, 0), {"x": optional(re.compile("a"))})]),
    ],
)  # fmt: skip
def test_a_wish_for_an_argument(text: str, value: Any) -> None:
    """As the value in Python, and written as what is read as it again."""
    assert arguments(f"{{a: {text}}}") == {"a": value}
    assert values.wish(node(json.dumps(values.put_wish(value)))) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{$any_of: [{q: a}, {$only: {q: b}}]}", any_of({"q": "a"}, only({"q": "b"}))),
        ("{$only: {}}", only({})),
        ("{$schema: {required: [a]}}", schema({"required": ["a"]})),
    ],
)
def test_a_wish_for_a_whole_call(text: str, value: Any) -> None:
    """It stands for all arguments together, alone or in a list."""
    assert arguments(text) == value
    assert arguments(f"[{text}, null]") == [value, None]
    assert values.call(node(json.dumps(values.put_call(value)))) == value


def test_all_calls() -> None:
    """No others at all, or none to some tools."""
    assert case("calls: {$only: {f: {a: 1}, g: }}").calls == only({"f": {"a": 1}, "g": None})
    made = case("calls: {$only_among: {calls: {mail_send: }, among: ['mail_*', f]}}").calls
    assert made == only({"mail_send": None}, among=["mail_*", "f"])
    assert values.put_calls(made) == {"$only_among": {"calls": {"mail_send": None}, "among": ["mail_*", "f"]}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{a: {$any_of: []}}", "3:28: any_of needs at least one wish; without any, nothing would agree"),
        ("{a: {$any_of: a}}", '3:28: $any_of takes a list of wishes, got "a"; write ["a"]'),
        ("{a: {$any_of: [{$optional: 1}]}}", "3:28: any_of takes optional only for an argument, a key of a dict, an item of any_order or a step of order; any_of has optional(1)"),
        ("{a: [{$optional: 1}]}", "3:10: calls takes optional only for an argument, a key of a dict, an item of any_order or a step of order; f has for a optional(1)"),
        ("{a: {$any_of: [{$typ: int}]}}", '3:30: "$typ" is no form here (did you mean "$type"?)'),
        ("{a: {$near: 4}}", "3:26: $near takes a mapping of number, within, percent, got 4"),
        ("{a: {$near: {within: 4}}}", "3:26: $near needs number:, and within: or percent:"),
        ("{a: {$near: {number: 4}}}", "3:26: near(4) needs either within=, a number, or percent="),
        ("{a: {$near: {number: 4, within: -1}}}", "3:26: near(4): within must be a number >= 0, got -1"),
        ("{a: {$near: {number: '4', within: 1}}}", '3:35: number of $near takes a number, got "4"'),
        ("{a: {$near: {number: 4, wihtin: 1}}}", '3:38: $near has no "wihtin" (did you mean "within"?); it takes number, within, percent'),
        ("{a: {$same_text: '!'}}", "3:31: same_text takes a text with something in it that is not punctuation"),
        ("{a: {$only: 1}}", "3:26: $only takes a mapping, got 1"),
        ("{a: {$only: {$only: {}}}}", "3:26: only takes a plain dict, got only({})"),
        ("{a: {$schema: {type: integr}}}", "3:28: schema is no JSON schema: "),
        ("{a: {$schema: {$ref: 'http://127.0.0.1/x'}}}", '3:28: schema refers to "http://127.0.0.1/x"; it may refer to its own parts only, with #'),
        ("{a: {$schema: [1]}}", "3:28: schema takes a JSON schema, a dict, got [1]"),
        ("{$optional: {}}", '3:15: "$optional" is no form here'),
        ("{$only_among: {calls: {}}}", '3:15: "$only_among" is no form here'),
    ],
)  # fmt: skip
def test_what_cant_be_meant(text: str, sentence: str) -> None:
    """Under the line and the column of what is wrong."""
    assert refused_in(f"calls: {{f: {text}}}").startswith(sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{$only_among: {calls: {f: }}}", "3:24: $only_among needs calls:, the calls that are wanted, and among:, the tools that it is about; among: is missing"),
        ("{$only_among: {calls: {f: }, among: f}}", '3:46: among takes a list of tool names, got "f"; write ["f"]'),
        ("{$only_among: {calls: {f: }, among: []}}", "3:24: only: among must be a list of tool names, got []"),
        ("{$only: [f]}", "3:18: $only takes a mapping, got a list"),
        ("{$any_of: [{f: }]}", '3:11: "$any_of" is no form here; forms here are $only, $only_among;'),
    ],
)  # fmt: skip
def test_calls_that_cant_be_meant(text: str, sentence: str) -> None:
    """Nor of all calls together."""
    assert refused_in(f"calls: {text}").startswith(sentence)


def test_a_schema_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says where, and what to install."""
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    told = refused_in("calls: {f: {a: {$schema: {title: only here}}}}")
    assert told == "3:28: schema(...) needs the extra 'schema': pip install 'brute-eval[schema]'"


def test_a_place_is_told_once() -> None:
    """However deep the value lies that is wrong."""
    with pytest.raises(UsageError) as why:
        values.wish(node("{$any_of: [{$any_of: [{$any_of: []}]}]}"))
    assert isinstance(why.value, Misplaced)
    assert str(why.value) == "x.yaml:1:33: any_of needs at least one wish; without any, nothing would agree"
