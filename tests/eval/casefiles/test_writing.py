"""Cases, written and read back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute import Message, ToolCall, UsageError
from brute.eval import (
    Budget,
    Case,
    any_of,
    any_order,
    call,
    in_turn,
    near,
    only,
    optional,
    parallel,
    same_text,
    schema,
    when,
    with_defaults,
)
from brute.eval.callwishes import ENDINGS
from brute.eval.casefiles import writing
from brute.eval.keying import case_key
from brute.eval.rules import Rule
from brute.eval.wishes import AnyOf
from brute.eval.words import is_blank
from tests.support.strategies import json_values, outcomes, texts

# fmt: off
names = st.sampled_from(["a", "no", "$a", "$$raise", "7", "x y", "/a/i"])
patterns = st.sampled_from(
    [re.compile("a/b", re.I), re.compile("a\\/b"), re.compile(""), re.compile("(?x) a\n", re.A | re.S)]
)
words = patterns | st.sampled_from(["a", "4.25", "/a/", "/x/y/", "no", "$", "a b"])
numbers = st.integers(-9, 9) | st.floats(-9, 9)
small: Any = (
    st.builds(near, numbers, within=st.floats(0, 9) | st.integers(0, 9))
    | st.builds(near, numbers, percent=st.floats(0, 9) | st.integers(0, 9))
    | st.sampled_from([same_text("a B"), same_text("/a/"), schema(True), schema({"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}})])
)


def keyed(inner: Any) -> Any:
    """A dict of wishes, of which some may be left out."""
    return st.dictionaries(names, inner | inner.map(optional) | st.just(optional()), max_size=2)


wishes: Any = st.recursive(
    json_values | patterns | words | small | st.sampled_from([int, float | None, object, str, range(3), range(9, 1, -2)]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | keyed(inner)
        | keyed(inner).map(only)
        | st.lists(inner, max_size=2).map(any_order)
        | st.lists(inner, min_size=1, max_size=2).map(lambda each: any_of(*each))
    ),
    max_leaves=4,
)
named = keyed(wishes)
asked = named | named.map(only) | st.lists(named | named.map(only) | st.just(schema(True)), min_size=1, max_size=2).map(lambda each: any_of(*each))
counts = st.sampled_from([{}, {"times": 0}, {"times": 2}, {"at_least": 0}, {"at_least": 3}, {"at_most": 0}, {"at_most": 2}, {"at_least": 1, "at_most": 2}, {"at_least": 2, "at_most": 2}])
whole = asked | asked.filter(lambda each: not isinstance(each, AnyOf)).map(with_defaults)
one_call = st.none() | whole | st.builds(lambda wish, count, outcome: call(wish, **count, outcome=outcome), st.none() | whole, counts, st.none() | st.sampled_from(sorted(ENDINGS)))
tool_names = names | st.sampled_from(["mcp__*", "f"])
by_tool = st.dictionaries(tool_names, one_call | st.lists(one_call, min_size=1, max_size=2), max_size=2)
all_calls = by_tool | by_tool.map(only) | st.builds(only, by_tool, among=st.lists(tool_names, min_size=1, max_size=2))
one_step = tool_names | tool_names.map(optional)
steps = one_step | st.lists(one_step, min_size=1, max_size=3).map(any_order) | st.lists(one_step, min_size=2, max_size=3).map(lambda each: parallel(*each))
served = json_values | st.dictionaries(names, json_values, max_size=2)
kinds = st.sampled_from([KeyError, TimeoutError])
raised = st.sampled_from([KeyError, KeyError("a"), OSError(2, "a", "b"), ValueError(), ValueError(None), ValueError([1]), TimeoutError("a", 2)])  # fmt: skip
answers = served | raised


def a_rule(wish: Any, first: tuple[str, Any], late: float, others: list[Any], times: int | None) -> Rule:
    """One rule of a stub."""
    method, value = first
    made = when(wish)
    made = made.passes_through() if method == "passes_through" else getattr(made, method)(value)
    made = made.after(late)
    for each in others:
        made = made.then(each).after(late * 2)
    return made if times is None else made.times(times)


def some_rules(raised: Any) -> Any:
    """A rule, or a list of them."""
    first = st.tuples(st.just("returns"), served) | st.tuples(st.just("fails"), raised) | st.just(("passes_through", None))
    one = st.builds(a_rule, st.none() | asked, first, st.sampled_from([0, 0.5, 2]), st.lists(served | raised, max_size=2), st.none() | st.integers(1, 3))
    return one | st.lists(one, min_size=1, max_size=2)


some_stubs = answers | st.lists(answers, min_size=1, max_size=3).map(lambda each: in_turn(*each)) | some_rules(raised)
given_all = {
    "name": texts.filter(lambda text: not is_blank(text)),
    "said": st.none() | texts,
    "stubs": st.dictionaries(tool_names, some_stubs, max_size=2),
    "files": st.dictionaries(st.sampled_from(["a", "b/c", "$d"]), texts | st.binary(max_size=5), max_size=2),
    "conversation": st.lists(
        st.builds(Message, role=st.sampled_from(["user", "assistant"]), content=texts)
        | st.builds(Message, role=st.just("assistant"), tool_calls=st.lists(st.builds(ToolCall, name=names, arguments=st.none() | texts | st.dictionaries(names, json_values, max_size=2)), max_size=2)),
        max_size=2,
    ),
    "runs": st.integers(1, 9),
    "calls": all_calls,
    "order": st.none() | st.lists(steps, min_size=1, max_size=3),
    "never": st.lists(outcomes, max_size=2),
    "mentions": st.lists(words | st.lists(words, min_size=1, max_size=2).map(tuple), max_size=2),
    "judge": st.lists(texts.filter(str.strip), max_size=2, unique=True),
    "budget": st.builds(Budget, iterations=st.none() | st.integers(1, 9), seconds=st.none() | st.floats(0.1, 9)),
}
cases = st.builds(Case, **given_all)
comparable = st.builds(Case, **{**given_all, "stubs": st.dictionaries(tool_names, served | kinds | some_rules(kinds), max_size=2)})
# fmt: on


@settings(max_examples=150, deadline=None)
@given(
    st.lists(cases, min_size=1, max_size=2, unique_by=lambda case: case.name),
    st.sampled_from([".yaml", ".json", ".jsonl"]),
)
def test_what_was_dumped_is_loaded_as_the_same(
    tmp_path_factory: pytest.TempPathFactory, made: list[Case], ending: str
) -> None:
    """Known by its key, which holds all that a case says; in each kind of file."""
    path = tmp_path_factory.getbasetemp() / f"cases{ending}"
    Case.dump(made, path)
    back = Case.load(path)
    assert [case_key(case) for case in back] == [case_key(case) for case in made]
    assert [case.runs for case in back] == [case.runs for case in made]


@settings(max_examples=150, deadline=None)
@given(comparable, st.sampled_from([".yaml", ".json", ".jsonl"]))
def test_what_was_dumped_is_loaded_as_an_equal_case(
    tmp_path_factory: pytest.TempPathFactory, made: Case, ending: str
) -> None:
    """Over all words of the language, but for exceptions that were made and answers in turn, of which Python compares no two."""
    path = tmp_path_factory.getbasetemp() / f"equal{ending}"
    Case.dump([made], path)
    assert Case.load(path) == [made]


def test_how_it_looks(folder: Path) -> None:
    """What is as it is anyway is left out."""
    Case.dump(
        [Case("a", said="b", calls={"f": {"q": re.compile("x|y", re.I)}}, mentions=["4.25", ("a", "b")])], "c.yaml"
    )
    assert (folder / "c.yaml").read_text() == (
        "cases:\n  - name: a\n    said: b\n    calls:\n      f:\n        q: /x|y/i\n    mentions:\n"
        '      - "4.25"\n      - - a\n        - b\n'
    )
    Case.dump([Case("a", said=None), Case("b", said="\u202e\x1b")], Path("c.jsonl"))
    assert (folder / "c.jsonl").read_text() == '{"name": "a", "said": null}\n{"name": "b", "said": "\\u202e\\u001b"}\n'


def big(value: object) -> bool:
    """A predicate."""
    return value == 7


class Loud(dict[str, Any]):
    """A mapping that says more than what it holds."""

    def __repr__(self) -> str:
        return "loud()"


def nested(depth: int) -> Any:
    """A value so deep."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"check": big}, "its check is the function big"),
        ({"calls": {"f": {"a": [1, {"b": big}]}}}, "calls: f has the function big"),
        ({"calls": {"f": [{}, {"a": {"x": 1}.__eq__}]}}, "calls: f has the function dict.__eq__"),
        ({"calls": {"f": {"a": Path("x")}}}, "calls: f has PosixPath('x')"),
        ({"stubs": {"f": lambda q: q}}, "stubs: f has the function <lambda>"),
        ({"stubs": {"f": in_turn(1, big)}}, "stubs: f has the function big"),
        ({"stubs": {"f": (1, 2)}}, "stubs: f has (1, 2)"),
        ({"stubs": {"f": {"a": {2: 3}}}}, "stubs: f has the key 2; keys are texts in a file"),
        ({"calls": {"f": Loud(a=1)}}, "calls: f has loud()"),
        ({"stubs": {"f": Loud(a=1)}}, "stubs: f has loud()"),
        ({"stubs": {"f": {"a": only({"a": 1})}}}, "stubs: f has only({'a': 1})"),
        ({"calls": {"f": any_of({"a": big}, {})}}, "calls: f has the function big"),
        ({"calls": only({"f": call({"a": [only({"b": optional(big)})]}, times=2)})}, "calls: f has the function big"),
        ({"calls": {"f": with_defaults({"a": any_order([big])})}}, "calls: f has the function big"),
        (
            {"calls": {"f": {"a": schema({"maximum": float("inf")})}}},
            "calls: f has a schema with a number that is not finite",
        ),
        ({"stubs": {"f": when(q=big).returns(1)}}, "stubs: f has the function big"),
        ({"stubs": {"f": [when().returns(1).then(big)]}}, "stubs: f has the function big"),
        (
            {"stubs": {"f": when().fails(KeyboardInterrupt())}},
            "stubs: f has the exception KeyboardInterrupt, which is none of Python's own",
        ),
        ({"stubs": {"f": float("inf")}}, "stubs: f has the number inf"),
    ],
)
def test_what_no_file_can_hold(given: dict[str, Any], sentence: str, folder: Path) -> None:
    """It is named, with its case and its field, and nothing is written."""
    with pytest.raises(UsageError) as why:
        Case.dump([Case("fine", said="b"), Case("a", said="b", **given)], "c.yaml")
    assert str(why.value) == f'case "a" can\'t be written to a file: {sentence}'
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("what", "path", "sentence"),
    [
        ("c.yaml", [Case("a", said="b")], "Case.dump takes the cases and then the path of a file, got [Case("),
        ([], "c.yaml", "Case.dump got no cases, and a file without any can't be read"),
        (Case("a", said="b"), "c.yaml", "Case.dump takes a list of Cases, got Case("),
        ([7], "c.yaml", "Case.dump takes a list of Cases, got 7 in it"),
        ([Case("a", said="b")] * 2, "c.yaml", 'Case.dump: two cases are called "a"'),
        ([Case("a", said="b")], "c.toml", "c.toml can't be told to be YAML or JSON: a file of cases ends in .yaml, .yml, .json, .jsonl"),
        ([Case("a", said="b")], "no/c.json", "no/c.json can't be written: No such file or directory"),
        ([Case("a", said="\ud800")], "c.yaml", 'case "a" holds half a character (a lone surrogate), which YAML can\'t write; write JSON'),
        ([Case("a", said="b", stubs={"f": nested(5000)})], "c.json", 'case "a" can\'t be written to a file: its values are nested too deep'),
        ([Case("a", said="b", stubs={"f": nested(97)})], "c.json", 'case "a" can\'t be written to a file: its values are nested too deep'),
    ],
)  # fmt: skip
def test_what_cant_be_dumped(what: Any, path: Any, sentence: str, folder: Path) -> None:
    """One clear sentence each."""
    with pytest.raises(UsageError) as why:
        Case.dump(what, path)
    assert str(why.value).startswith(sentence)
    assert list(folder.iterdir()) == []


def test_the_deepest_that_can_be_read_can_be_written() -> None:
    """And one more can be neither."""
    made = [Case("a", said="b", stubs={"f": nested(96)})]
    for path in ("c.json", "c.yaml"):
        Case.dump(made, path)
        assert Case.load(path) == made


def test_half_a_character_in_json() -> None:
    """JSON has a way to write it."""
    made = [Case("a", said="\ud800", files={"a": "\udc80b"})]
    Case.dump(made, "c.json")
    assert Case.load("c.json") == made


def test_only_texts_are_made_plain() -> None:
    """A subclass of a text or a number is written as what it holds."""
    import enum

    class Word(enum.StrEnum):
        HELD = "held"

    class Count(enum.IntEnum):
        TWO = 2

    told = writing.data_of(Case("a", said=Word.HELD, mentions=[Word.HELD], stubs={"f": [Word.HELD, Count.TWO]}))
    assert told == {"name": "a", "said": "held", "stubs": {"f": ["held", 2]}, "mentions": ["held"]}
    assert [type(each) for each in told["stubs"]["f"]] == [str, int]
