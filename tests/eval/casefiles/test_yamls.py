"""YAML, read and written."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute import MissingExtra, UsageError
from brute.eval.casefiles import yamls
from tests.eval.casefiles.files import node, plainly
from tests.support.strategies import json_values, texts

odd = st.sampled_from(
    ["no", "on", "007", "1e3", "1_0", "2024-01-31", "12:30", "~", "", " a", "a ", "a\nb", "a\n\n b\n", "\n", "# x", "a: b", "- a", "<<", "=", "\u202ea", "\x85", "\ufeff", "a\tb", "%x", "@x", "`x", "!x", "&a", "*a", "{a}", "'", '"', "\\", "/a/i", "0o7", ".5", "+.inf", "\U0001f600"]
)  # fmt: skip


def read(text: str) -> Any:
    """The data of a YAML text."""
    return plainly(yamls.parse(text, "x.yaml"))


@given(st.dictionaries(texts | odd, json_values | odd | st.lists(odd), min_size=1))
def test_what_was_written_is_read_back(data: Any) -> None:
    """Whatever JSON can hold, by its types too."""
    told = yamls.write(data)
    assert repr(read(told)) == repr(data)
    assert all(each.isprintable() or each == "\n" for each in told)


@given(st.dictionaries(texts | odd, texts | odd, min_size=1))
def test_readers_of_older_yaml_take_it_for_the_same(data: Any) -> None:
    """PyYAML's own reader knows the words of YAML 1.1."""
    import yaml

    assert yaml.safe_load(yamls.write(data)) == data


def test_how_it_looks() -> None:
    """Lists stand in, long texts on lines of their own, and characters that no reader sees are written out."""
    assert yamls.write({"a": ["no", "x\ny", "4.25"], "b": "\u202eevil\x1b[31m", "c": {}}) == (
        'a:\n  - \'no\'\n  - |-\n    x\n    y\n  - "4.25"\nb: "\\u202eevil\\e[31m"\nc: {}\n'
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [1\nb: 2", "x.yaml:2:2: this is no YAML: "),
        ("a: b: c", "x.yaml:1:5: this is no YAML: mapping values are not allowed "),
        ("a: \x00", "x.yaml is no YAML: unacceptable character #x0000"),
        ("a: \ud800", "x.yaml is no YAML: "),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_what_is_no_yaml(text: str, sentence: str, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the library's own words, with the place; with its fast parser and where that was not built."""
    import yaml

    if not fast:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    with pytest.raises(UsageError) as why:
        yamls.parse(text, "x.yaml")
    assert str(why.value).startswith(sentence)
    assert plainly(node("a: {b: [1, no]}")) == {"a": {"b": [1, "no"]}}


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named, with the command."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtra) as why:
        yamls.parse("a: 1", "x.yaml")
    assert str(why.value) == "a YAML file of cases needs the extra 'yaml': pip install 'brute-eval[yaml]'"


def test_nothing_is_nothing() -> None:
    """An empty text, a comment, null."""
    assert [yamls.parse(each, "x.yaml") for each in ("", "# a", "---\n", "null")] == [None] * 4


@pytest.mark.parametrize("text", ["0899", "1_000", "12:30", "0o7", "2024-01-31", "1e3", "+7", "1.2.3"])
def test_what_looks_like_a_number_is_in_quotes(text: str) -> None:
    """Also where this reader takes it for a text: another one, or a person, may not."""
    assert yamls.write([text])[2] in "\"'"
