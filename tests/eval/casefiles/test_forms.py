"""The named forms, one by one: read, written, and refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from brute.eval import Case
from brute.eval.casefiles import forms, schema, values
from brute.eval.casefiles.forms import FORMS, Form, Unwritable, register
from tests.eval.casefiles.files import case, load, refused_in


def wish(text: str) -> Any:
    """What an argument should be, in the words of a file."""
    return case(f"calls: {{f: {{a: {text}}}}}").calls["f"]["a"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{$text: /a/}", "/a/"),
        ("{$pattern: a/b}", re.compile("a/b")),
        ("{$pattern: ['a\\/b', im]}", re.compile("a\\/b", re.I | re.M)),
        ("{$type: int}", int),
        ("{$type: int | null}", int | None),
        ("{$type: any}", object),
        ("{$range: [1, 5]}", range(1, 5)),
        ("{$range: [10, 0, -2]}", range(10, 0, -2)),
        ("{$$type: int}", {"$type": "int"}),
        ("{$$$a: 1}", {"$$a": 1}),
        ("[{b: {$type: str}}]", [{"b": str}]),
    ],
)
def test_a_wish(text: str, value: Any) -> None:
    """At any depth; a key with two $ is one with one."""
    assert wish(text) == value
    assert wish(json.dumps(values.put_wish(value))) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{$typ: int}", '3:19: "$typ" is no form here (did you mean "$type"?); forms here are $text, $pattern, $type, $range, $any_of, $optional, $any_order, $near, $same_text, $only, $schema; a key that is meant is written "$$typ"'),
        ("{$raise: KeyError}", '3:19: "$raise" is no form here (did you mean "$range"?); forms here are $text, $pattern, $type, $range, $any_of, $optional, $any_order, $near, $same_text, $only, $schema; a key that is meant is written "$$raise"'),
        ("{$type: int, b: 1}", '3:31: $type stands alone in its mapping, got "b" beside it'),
        ("{$text: 4}", '3:26: $text takes a text, got 4; write "4"'),
        ("{$pattern: [a, i, x]}", "3:29: $pattern takes a text, or a list of a text and flags, got 3 values"),
        ("{$pattern: [a, g]}", '3:29: a pattern has the flags a, i, m, s, x, got "g"'),
        ("{$pattern: 'a('}", '3:29: "a(" does not compile: missing ), unterminated subpattern at position 1'),
        ("{$type: int | nul}", '3:26: there is no type "nul" (did you mean "null"?); types are str, int, float, bool, list, dict, null, any'),
        ("{$type: [int]}", "3:26: $type takes a text such as int or int | null; types are str, int, float, bool, list, dict, null, any, got a list"),
        ("{$range: [1]}", "3:27: $range takes [first, end] or [first, end, step], whole numbers of which the end is not in it"),
        ("{$range: [1, true]}", "3:27: $range takes [first, end] or [first, end, step], whole numbers of which the end is not in it"),
        ("{$range: [1, 2, 0]}", "3:27: $range takes [first, end] or [first, end, step], whole numbers of which the end is not in it"),
    ],
)  # fmt: skip
def test_a_wish_that_cant_be_meant(text: str, sentence: str) -> None:
    """Never taken for an argument of that name: a typo would otherwise be looked for in the calls."""
    assert refused_in(f"calls: {{f: {{a: {text}}}}}") == sentence


def test_bytes() -> None:
    """In base64, over several lines if need be."""
    made = case('files: {a.bin: {$base64: "AAEC AwQ="}}')
    assert made.files == {"a.bin": b"\x00\x01\x02\x03\x04"}
    assert refused_in("files: {a: {$base64: '*'}}").startswith("3:24: this is no base64: ")


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (Case, "the type <class 'brute.eval.case.Case'>; types are str, int, float, bool, list, dict, null, any"),
        (str | bytes, "the type <class 'bytes'>; types are str, int, float, bool, list, dict, null, any"),
        (re.compile("\\/", re.DEBUG), "the pattern re.compile('\\\\/', re.DEBUG), whose flags are not among a, i, m, s, x"),
    ],
)  # fmt: skip
def test_what_cant_be_written(value: Any, sentence: str) -> None:
    """By its name."""
    with pytest.raises(Unwritable) as why:
        values.put_wish(value)
    assert str(why.value) == sentence


def test_the_table_is_where_new_words_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more form is read, written, nested and described without another line of code."""
    monkeypatch.setattr(forms, "FORMS", dict(FORMS))

    class Either:
        def __init__(self, *each: Any) -> None:
            self.each = each

    register(
        Form(
            name="either",
            places=("wish", "step"),
            about="One of several.",
            schema={"type": "array", "items": {"$ref": "#/definitions/wish"}},
            reads=lambda node, inner: Either(*map(inner, node.value)),
            writes=lambda value, put: [put(each) for each in value.each] if isinstance(value, Either) else forms.NOT,
        )
    )
    made = wish("{$either: [/a/, {$either: [1, {$type: int}]}]}")
    assert made.each[0] == re.compile("a")
    assert made.each[1].each == (1, int)
    assert values.put_wish(made) == {"$either": ["/a/", {"$either": [1, {"$type": "int"}]}]}
    assert '"$either"' in json.dumps(schema.schema())
    with pytest.raises(ValueError, match="stands in the table already"):
        register(FORMS["type"])
    assert load("- {name: a, said: b}")[0].name == "a"
