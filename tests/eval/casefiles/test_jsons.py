"""JSON and JSON lines, with the places of their values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from brute import UsageError
from brute.eval.casefiles import jsons
from tests.eval.casefiles.files import of_json, plainly
from tests.support.strategies import json_values


@given(json_values)
def test_it_reads_what_json_reads(data: Any) -> None:
    """In whatever layout it was written."""
    for indent in (None, 3):
        assert repr(of_json(json.dumps(data, indent=indent))) == repr(data)


@given(json_values)
def test_what_was_written_is_read_back(data: Any) -> None:
    """With everything that no reader sees written out."""
    told = jsons.write(data)
    assert repr(of_json(told)) == repr(data)
    assert all(each.isprintable() or each == "\n" for each in told)


def test_where_things_stand() -> None:
    """Keys and values, whatever stands between them."""
    made = jsons.parse('{\r\n "a" : [ 1,\n\t{"ü": "\\n", "b":2}]}', "x.json")
    assert made is not None
    items = made.value["a"].value.value
    assert [str(items[0].place), str(items[1].value["ü"].value.place), str(items[1].value["b"].key.place)] == [
        "x.json:2:10", "x.json:3:8", "x.json:3:14",
    ]  # fmt: skip


def test_lines_count_on() -> None:
    """Blank lines are none; each line knows its number."""
    made = jsons.lines('{"a": 1}\n\n  \r\n{"a": 2}', "x.jsonl")
    assert [(plainly(each), each.place.line) for each in made] == [({"a": 1}, 1), ({"a": 2}, 4)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"a": 1,\n "a": 2}', 'x.json:2:2: "a" stands twice in this mapping, first in line 1'),
        ('{"a": 1,}', "x.json:1:9: this is no JSON: "),
        ('{"a": \n tru}', "x.json:2:2: this is no JSON: expecting value"),
        ("[NaN]", "x.json:1:2: this is no JSON: it has NaN"),
        ('{"a": 1,\n "b": -Infinity}', "x.json:2:7: this is no JSON: it has -Infinity"),
        ("[1, 1e999]", "x.json:1:5: this number is too large"),
        ("[" * 101 + "]" * 101, "x.json:1:101: values are nested 100 deep at the most"),
        ("[" * 100_000 + "]" * 100_000, "x.json:1:1: values are nested 100 deep at the most"),
        ("9" * 5000, "x.json:1:1: this number is too large"),
    ],
)
def test_what_is_refused(text: str, sentence: str) -> None:
    """With its line and column."""
    with pytest.raises(UsageError) as why:
        jsons.parse(text, "x.json")
    assert str(why.value).startswith(sentence)


def test_nothing_is_nothing() -> None:
    """A blank text holds no value."""
    assert jsons.parse(" \n", "x.json") is None
