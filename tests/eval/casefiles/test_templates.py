"""Templates, and the rows that fill them."""

from __future__ import annotations

import re

import pytest

from tests.eval.casefiles.files import load, refused

CSV = 'country,capital\nFrance,Paris\n\n"Korea, South","Seoul ""city"""\n'
TEMPLATE = """
template:
  name: "{row}: {country}"
  said: What is the capital of {country}?
  mentions: ["{capital}"]
"""


def test_a_template_and_a_table() -> None:
    """A case a row, with quotes and commas as CSV has them; a blank line is none."""
    made = load(TEMPLATE + "rows: capitals.csv\n", capitals__csv=CSV)
    assert [(case.name, case.said, list(case.mentions)) for case in made] == [
        ("1: France", "What is the capital of France?", ["Paris"]),
        ("2: Korea, South", "What is the capital of Korea, South?", ['Seoul "city"']),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t__csv", "\ufeffcountry,capital\r\nFrance,Paris\r\n"),
        ("t__tsv", "country\tcapital\nFrance\tParis\n"),
        ("t__jsonl", '{"country": "France", "capital": "Paris"}\n'),
        ("t__json", '[{"country": "France", "capital": "Paris"}]'),
    ],
)
def test_every_kind_of_table(name: str, text: str) -> None:
    """CSV, tabs, JSON lines, JSON."""
    made = load(f"{TEMPLATE}rows: {name.replace('__', '.')}\n", **{name: text})
    assert [(case.name, case.mentions) for case in made] == [("1: France", ["Paris"])]


def test_templates_stand_among_cases() -> None:
    """Any number of them, with their rows in the file, or without a mapping around."""
    text = """
- {name: first, said: hi}
- template: {name: "{a}", said: "{{a}} is {a}", stubs: {f: {"{a}": "{x} {2,3}"}}}
  rows: [{a: one, x: 4.10}, {a: two, x: true}]
"""
    made = load(text)
    assert [(case.name, case.said, case.stubs) for case in made[1:]] == [
        ("one", "{a} is one", {"f": {"one": "4.10 {2,3}"}}),
        ("two", "{a} is two", {"f": {"two": "true {2,3}"}}),
    ]


def test_a_hole_alone_is_the_value_itself() -> None:
    """With its type; of a table of texts, what :json reads in it."""
    text = """
template:
  name: "{n}"
  said: x
  calls: {f: {n: "{n}", all: "{all}"}}
  mentions: "{words}"
  budget: {tokens: "{n}"}
"""
    made = load(text + "rows: [{n: 3, all: {x: [1, null]}, words: [a, [b]]}]")
    assert (made[0].name, made[0].calls["f"]) == ("3", {"n": 3, "all": {"x": [1, None]}})  # type: ignore[index]
    assert (made[0].mentions, made[0].budget.tokens) == (["a", ("b",)], 3)
    typed = load(
        "template: {name: a, said: x, runs: '{n:json}', mentions: '{words:json}'}\nrows: t.csv",
        t__csv='n,words\n3,"[""a"", ""b""]"\n',
    )
    assert (typed[0].runs, typed[0].mentions) == (3, ["a", "b"])


def test_what_a_row_says_is_no_pattern_and_no_form() -> None:
    """A cell is data: what looks like a pattern there would be a laxer wish than its text."""
    text = """
template:
  name: "{row}"
  said: "{q}"
  calls: {f: {whole: "{q}", part: "/{x}", inside: "/^{q}$/i", form: "{form}"}}
  files: {a: "/{q}/"}
  stubs: {f: {"{key}": KeyError}, g: {"{mark}raise": KeyError}}
rows: [{q: "/a.b/", x: "b/", form: {$type: int}, key: $raise, mark: $}]
"""
    case = load(text)[0]
    assert case.calls["f"] == {  # type: ignore[index]
        "whole": "/a.b/",
        "part": "/b/",
        "inside": re.compile(r"^/a\.b/$", re.I),
        "form": {"$type": "int"},
    }
    assert case.files == {"a": "//a.b//"}
    assert case.stubs == {"f": {"$raise": "KeyError"}, "g": {"$raise": "KeyError"}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TEMPLATE, "2:1: a template and its rows stand together: rows: is missing, a table, or a list of rows"),
        ("rows: [{a: 1}]", "1:1: a template and its rows stand together: template: is missing, a case with holes"),
        (TEMPLATE + "rows: []", "6:7: there are no rows, and so no cases"),
        (TEMPLATE + "rows: [a]", '6:8: a row is a mapping of columns to values, got "a"'),
        (TEMPLATE + "rows: nope.csv", "6:7: no such file: nope.csv"),
        (TEMPLATE + "rows: cases.yaml", "6:7: cases.yaml is not a table of rows: such a file ends in .csv, .tsv, .jsonl or .json"),
        (TEMPLATE + "rows: [{contry: a, capital: b}]", '3:9: there is no column "country" (did you mean "contry"?); columns are contry, capital; braces that are meant are written {{country}} (row 1)'),
        (TEMPLATE + "rows: [{country: [], capital: b}]", "3:9: {country} is a list, which can't stand within a text (row 1)"),
        (TEMPLATE + "rows: [{country: a, capital: ''}]", "5:13: mentions takes words that are not blank, compiled text patterns, or tuples of those; got \"\" (row 1)"),
        ("template: {name: a, said: '{q}'}\nrows: [{q: a}, {q: b}]", "1:11: two cases are called \"a\", the first in line 1; {row} in the template's name tells them apart (row 2)"),
        ("template: {name: a, said: '{q:json}'}\nrows: [{q: '[1'}]", "1:27: {q:json} is \"[1\": this is no JSON: expecting ',' delimiter (row 1)"),
        ("- {template: {name: a, said: b}, rows: [{q: a}], cases: []}", '1:50: a template has no "cases"; it takes template, rows'),
        ("template: a\nrows: [{q: a}]", '1:11: template takes a case with holes, such as {name: ..., said: ...}, got "a"'),
    ],
)  # fmt: skip
def test_what_cant_be_meant(text: str, sentence: str) -> None:
    """With the place in the template, and the row."""
    assert refused(text) == f"cases.yaml:{sentence}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,a\n1,2\n", 't.csv:1: the first line names the columns, and "a" stands twice in it'),
        ("a,\n1,2\n", "t.csv:1: the first line names the columns, and column 2 has no name"),
        ("a,b\n1\n", "t.csv:2: this row and the first line differ in length: 1 and 2"),
        ("a,b\n1,2\n1,2,3\n", "t.csv:3: this row and the first line differ in length: 3 and 2"),
        ('a\n"b\n', "t.csv:2: this is no CSV: unexpected end of data"),
        ('a\n"b\nc\nd\n', "t.csv:4: this is no CSV: unexpected end of data, in the row that begins in line 2"),
        (
            f"a\nb\n{'x' * 131_073}\n",
            "t.csv:3: a cell has more than 131,072 characters; JSON lines hold as many as one likes",
        ),
        ("", "cases.yaml:2:7: there are no rows, and so no cases"),
        ("a\n", "cases.yaml:2:7: there are no rows, and so no cases"),
    ],
)
def test_a_table_that_cant_be_meant(text: str, sentence: str) -> None:
    """By its own line."""
    assert refused("template: {name: '{a}', said: x}\nrows: t.csv", t__csv=text) == sentence


def test_the_row_of_what_is_wrong_is_named() -> None:
    """Of a table in a file of its own too."""
    text = "template: {name: '{a}', said: x, runs: '{n:json}'}\nrows: t.csv"
    assert refused(text, t__csv="a,n\nx,1\ny,0\n") == (
        "cases.yaml:1:40: runs must be a whole number >= 1, got 0 (row 2 of t.csv)"
    )
