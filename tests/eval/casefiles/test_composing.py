"""What YAML stands for here: few words that are no text, no tags, no key twice, and aliases that cost nothing."""

from __future__ import annotations

import math
import time

import pytest

from brute import UsageError
from brute.eval.casefiles import composing, yamls
from brute.eval.casefiles.composing import scalar
from tests.eval.casefiles.files import node, plainly, refused


@pytest.mark.parametrize(
    "text",
    ["no", "No", "NO", "yes", "on", "off", "y", "n", "007", "0123", "1_000", "12:30", "2024-01-31", "1.2.3", "0x", "nil", "+", ".", "1e", "v1", "<<x", "=", "None"],
)  # fmt: skip
def test_what_is_text(text: str) -> None:
    """Words of older YAML, dates, times, versions and numbers that begin with a zero."""
    assert scalar(text) == text
    assert plainly(node(f"a: {text}")) == {"a": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("Null", None), ("true", True), ("False", False), ("0", 0), ("-7", -7),
        ("+7", 7), ("0x1F", 31), ("0o17", 15), ("4.25", 4.25), ("4.", 4.0), (".5", 0.5), ("-1e3", -1000.0), ("1E-2", 0.01),
    ],
)  # fmt: skip
def test_what_is_not(text: str, value: object) -> None:
    """The words and numbers of YAML 1.2, by their types too."""
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


def test_infinity_is_known_and_refused() -> None:
    """No tool can be handed one in JSON, and NaN equals nothing."""
    assert scalar("-.inf") == -math.inf
    assert refused("- name: a\n  said: .nan") == (
        'cases.yaml:2:9: a number must be finite, got .nan; write ".nan" if it is meant as a text'
    )


def test_quotes_make_a_text() -> None:
    """Of whatever stands in them; so do blocks, and !!str."""
    assert plainly(node("""["1", 'true', "~"]""")) == ["1", "true", "~"]
    assert plainly(node("a: |\n  1\nb: !!str 2\nc: >-\n  null\n")) == {"a": "1\n", "b": "2", "c": "null"}


def test_where_things_stand() -> None:
    """Lines and columns count from 1."""
    made = node("a: 1\nbb:\n  - ü: x\n")
    inner = made.value["bb"].value.value[0].value["ü"]
    assert (str(inner.key.place), str(inner.value.place)) == ("x.yaml:3:5", "x.yaml:3:8")


def test_anchors_stand_for_what_they_mark() -> None:
    """Also merged into a mapping, whose own keys count more; the first of several merged counts most."""
    made = plainly(node("a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\nd: {<<: [{x: 5}, *a]}\n"))
    assert made["b"] == {"x": 1, "y": 2}
    assert made["c"] == {"y": 3, "x": 1}
    assert made["d"] == {"x": 5, "y": 2}


def test_many_merges_are_told_from_keys() -> None:
    """A key that takes the place in memory of an earlier << is none."""
    text = "base: &base {x: 1}\nall:\n" + "".join(f"  - {{<<: *base, k{n}: {n}}}\n  - k: {n}\n" for n in range(500))
    made = plainly(node(text))["all"]
    assert made[0::2] == [{f"k{n}": n, "x": 1} for n in range(500)]
    assert made[1::2] == [{"k": n} for n in range(500)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\nb: 2\na: 3", '3:1: "a" stands twice in this mapping, first in line 1'),
        ("[{b: 1, b: 1}]", '1:9: "b" stands twice in this mapping, first in line 1'),
        ("404: x", '1:1: a key must be a text, got 404; write "404"'),
        ("true: x", '1:1: a key must be a text, got true; write "true"'),
        ("? [a]\n: x", "1:3: a key must be a text, got a list"),
        ("a: *b", "1:4: *b stands for nothing that ends before it; &b has to come first"),
        ("a: &a [*a]", "1:8: *a stands for nothing that ends before it; &a has to come first"),
        ("a: {<<: 1}", "1:9: << takes in mappings, got 1"),
        ("!!python/object/apply:os.system [ls]", '1:1: a file of cases has no tags but !!str, got "!!python/object/apply:os.system"'),
        ("a: !!int '3'", '1:4: a file of cases has no tags but !!str, got "!!int"'),
        ("a: !mine {}", '1:4: a file of cases has no tags but !!str, got "!mine"'),
        ("a\n---\nb", "2:1: a file of cases is one document; leave out the --- before this"),
        ("[" * 101 + "]" * 101, "1:101: values are nested 100 deep at the most"),
        (f"a: {'9' * 5000}", "1:4: this number is too large"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, sentence: str) -> None:
    """With its line and column; nothing is ever built or run by a tag."""
    with pytest.raises(UsageError) as why:
        yamls.parse(text, "x.yaml")
    assert str(why.value) == f"x.yaml:{sentence}"


def test_a_billion_laughs_harm_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """What aliases stand for is counted before anything follows them, and a depth of nesting that nobody means ends at once."""
    levels = "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 20))
    began = time.monotonic()
    with pytest.raises(UsageError, match=r"x\.yaml:6:5: its aliases stand for more than 1,000,000 values"):
        yamls.parse("x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n" + levels, "x.yaml")
    with pytest.raises(UsageError, match="nest"):
        yamls.parse("[" * 100_000, "x.yaml")
    assert time.monotonic() - began < 30
    monkeypatch.setattr(composing, "MOST", 5)
    assert plainly(node("[1, 2, 3, 4, 5, 6, 7]")) == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(UsageError, match="its aliases"):
        node("[&a [1, 2], *a]")
