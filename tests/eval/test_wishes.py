"""The values that put wishes together, and those for what is as good as equal."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case, any_of, any_order, call, near, only, optional, parallel, same_text, with_defaults
from brute.eval.likeness import bare
from brute.eval.matching import matches, matches_arguments

AGREE: list[tuple[Any, Any]] = [
    (any_of("a", 1), 1),
    (any_of(re.compile("x"), int), "xx"),
    (any_of(any_of(1), 2), 2),
    (optional(3), 3),
    ({"a": optional(1)}, {}),
    ({"a": {"b": optional(1)}}, {"a": {}}),
    (near(4.25, 0.01), 4.26),
    (near(1.0, 0.1), 1.1),
    (near(0.3, 0), 0.3),
    (near(200, percent=5), 190),
    (near(-200, percent=5), -210.0),
    (near(10**400, 1), 10**400 + 1),
    (same_text("Bank of England"), " bank  of\nENGLAND!"),
    (same_text("U.S. dollars"), "us dollars"),
    (same_text("New-York"), "new york"),
    (same_text("don't"), "don’t"),
    (same_text("4.25 %"), "4.25 %"),
    (same_text("STRASSE"), "straße"),
    (any_order([1, 2, 2]), [2, 1, 2]),
    (any_order([{"a": 1}, {"a": 1, "b": 2}]), [{"a": 1, "b": 2}, {"a": 1}]),
    (any_order([int, 1]), [1, 5]),
    (any_order([]), []),
    (any_order([1, optional(2)]), [1]),
    (any_order([1, optional(2)]), [2, 1]),
    (any_order([optional(int), 1]), [1]),
    (any_order([optional(int), optional(1)]), [1, 2]),
    (same_text("the .env file"), "The '.env' file."),
    (same_text("wait...what"), "wait…what"),
    (only({"a": 1, "b": optional(2)}), {"a": 1}),
    ([only({})], [{}]),
]

DIFFER: list[tuple[Any, Any]] = [
    (any_of("a", 1), "1"),
    (any_of("a", 1), True),
    (optional(3), None),
    ({"a": optional(1)}, {"a": None}),
    ({"a": optional(1)}, {"a": 2}),
    (near(4.25, 0.01), 4.2601),
    (near(4.25, 0.01), "4.25"),
    (near(1, 1), True),
    (near(1, 1), float("nan")),
    (near(1, 1e308), float("inf")),
    (near(200, percent=5), 210.001),
    (near(0, percent=5), 0.001),
    (near(10**400, 1), 10**400 + 2),
    (same_text("4.25"), "425"),
    (same_text("4.25"), "-4.25"),
    (same_text("5"), "5%"),
    (same_text("C++"), "C"),
    (same_text("C#"), "C"),
    (same_text("10:30"), "1030"),
    (same_text("1/2"), "12"),
    (same_text("new york"), "newyork"),
    (same_text(".env"), "env"),
    (same_text("env"), ".env"),
    (same_text("src/.env"), "src/env"),
    (same_text("ann.lee@example.com"), "annlee@example.com"),
    (same_text("a.lee@example.com"), "alee@example.com"),
    (same_text("notes.txt"), "notestxt"),
    (any_order([1, optional(2)]), [2]),
    (any_order([1, optional(2)]), [1, 3]),
    (any_order([1, optional(2)]), [1, 2, 2]),
    (any_order([1, 1, optional(2)]), [1, 2]),
    (same_text("a"), None),
    (same_text("a"), "b"),
    (any_order([1, 2]), [1]),
    (any_order([1, 2]), [1, 2, 3]),
    (any_order([1, 1]), [1, 2]),
    (any_order([1]), "1"),
    (any_order([int, 1]), [1, "x"]),
    (only({"a": 1}), {"a": 1, "b": 2}),
    (only({"a": 1}), {}),
    (only({"a": {"b": 1}}), {"a": {"b": 2}}),
    (only({}), []),
    (with_defaults({}), {}),
]


@pytest.mark.parametrize(("wanted", "got"), AGREE, ids=lambda each: repr(each)[:40])
def test_what_agrees(wanted: Any, got: Any) -> None:
    """One value that is what was wanted."""
    assert matches(wanted, got)


@pytest.mark.parametrize(("wanted", "got"), DIFFER, ids=lambda each: repr(each)[:40])
def test_what_differs(wanted: Any, got: Any) -> None:
    """One value that is not."""
    assert not matches(wanted, got)


def test_a_call_by_a_wish_for_all_of_its_arguments() -> None:
    """Malformed arguments (None) meet no wish but that for any."""
    assert matches_arguments(only({"a": 1}), {"a": 1})
    assert not matches_arguments(only({"a": 1}), {"a": 1, "b": 1})
    assert matches_arguments(any_of({"a": 1}, only({})), {})
    assert not matches_arguments(any_of({"a": 1}, only({})), {"b": 1})
    assert not matches_arguments(only({}), None)
    assert not matches_arguments(any_of({"a": 1}, {"b": 1}), None)


def test_left_out_is_the_default_said_explicitly() -> None:
    """As the tool's own schema has it; without a schema there is none."""
    defaults = {"limit": 10, "kind": None, "where": {"a": 1}}
    wish = with_defaults({"query": "x", "limit": 10})
    assert matches_arguments(wish, {"query": "x"}, defaults)
    assert matches_arguments(wish, {"query": "x", "limit": 10.0}, defaults)
    assert not matches_arguments(wish, {"query": "x", "limit": 3}, defaults)
    assert not matches_arguments(with_defaults({"limit": 3}), {}, defaults)
    assert not matches_arguments(wish, {"query": "x"}, {})
    assert not matches_arguments(wish, {"query": "x"}, None)
    assert not matches_arguments(wish, None, defaults)
    strict = with_defaults(only({"query": "x"}))
    assert matches_arguments(strict, {"query": "x", "kind": None, "limit": 10, "where": {"a": 1}}, defaults)
    assert not matches_arguments(strict, {"query": "x", "kind": "y"}, defaults)
    assert not matches_arguments(strict, {"query": "x", "where": {"a": 1, "b": 2}}, defaults)
    assert not matches_arguments(strict, {"query": "x", "page": 1}, defaults)


def deep(made: Any) -> Any:
    """A wish in a wish, beyond what is allowed."""
    for _ in range(60):
        made = [made]
    return made


REFUSED: list[tuple[Any, str]] = [
    (lambda: any_of(), "any_of needs at least one wish; without any, nothing would agree"),
    (lambda: any_of(list[str]), "any_of takes plain types, since no value is a list[str]; any_of has list[str]; write list"),
    (lambda: any_of(optional(1)), "any_of takes optional only for an argument, a key of a dict, an item of any_order or a step of order; any_of has optional(1)"),
    (lambda: any_of(with_defaults({})), "any_of takes with_defaults only for the arguments of a call; any_of has with_defaults({})"),
    (lambda: any_of(near), "any_of takes what near makes; any_of has near itself, not called: write near(...)"),
    (lambda: any_of(deep(1)), "any_of takes arguments nested 50 deep at the most; any_of has more"),
    (lambda: optional(re.compile(b"x")), "optional takes text patterns; optional has one of bytes, re.compile(b'x')"),
    (lambda: near("4"), 'near takes a number, got "4"'),
    (lambda: near(True, 1), "near takes a number, got True"),
    (lambda: near(4), "near(4) needs either within=, a number, or percent="),
    (lambda: near(4, 1, percent=1), "near(4) needs either within=, a number, or percent="),
    (lambda: near(4, -1), "near(4): within must be a number >= 0, got -1"),
    (lambda: near(4, percent=float("nan")), "near(4): percent must be a number >= 0, got nan"),
    (lambda: same_text(4), "same_text takes a text, got 4"),
    (lambda: same_text(" ?!"), 'same_text takes a text with something in it that is not punctuation, got " ?!"'),
    (lambda: any_order("ab"), 'any_order takes a list, got "ab"'),
    (lambda: any_order({"a": 1}), "any_order takes a list, got {'a': 1}"),
    (lambda: only(["a"]), "only takes a dict, got ['a']"),
    (lambda: only(only({})), "only takes a plain dict, got only({})"),
    (lambda: only({}, among="x"), 'only: among must be a list of tool names, got "x"'),
    (lambda: only({}, among=[]), "only: among must be a list of tool names, got []"),
    (lambda: with_defaults("x"), 'with_defaults takes a dict of arguments, or only({...}), got "x"'),
    (lambda: call("x"), 'call takes a dict of arguments, or None for any, got "x"'),
    (lambda: call(times=-1), "call: times must be a whole number from 0 to 10,000, got -1"),
    (lambda: call(at_least=True), "call: at_least must be a whole number from 0 to 10,000, got True"),
    (lambda: call(at_most=10_001), "call: at_most must be a whole number from 0 to 10,000, got 10001"),
    (lambda: call(times=1, at_most=2), "call: times says how often, and at_least and at_most do; give one or the other"),
    (lambda: call(at_least=3, at_most=2), "call: at_least is 3 and at_most is 2, which no number of calls meets"),
    (lambda: call(outcome="fail"), 'call: outcome must be asked, ran, failed, denied or None, got "fail" (did you mean "failed"?)'),
    (lambda: parallel("a"), "parallel takes at least two tools, got ['a']"),
    (lambda: parallel("a", 1), "parallel takes tool names, got 1"),
    (lambda: parallel(*"abcdefghijk"), "parallel takes at most 10 tools, got 11"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), REFUSED, ids=lambda each: each[:50] if isinstance(each, str) else "")
def test_what_could_not_be_meant_is_refused_when_it_is_made(make: Any, sentence: str) -> None:
    """In one sentence: what, and what is allowed."""
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == sentence


BAD_CASES: list[tuple[dict[str, Any], str]] = [
    ({"calls": {"f": {"a": [optional(1)]}}}, "calls takes optional only for an argument, a key of a dict, an item of any_order or a step of order; f has for a optional(1)"),
    ({"calls": {"f": optional(1)}}, "calls takes for each tool a dict of arguments; f has optional(1)"),
    ({"calls": {"f": any_of(1, {"a": 1})}}, "calls takes for each tool a dict of arguments; f has any_of(1, {'a': 1})"),
    ({"calls": {"f": call({"a": list[int]})}}, "calls takes plain types, since no value is a list[int]; f has for a list[int]; write list"),
    ({"calls": {"f": with_defaults({"a": with_defaults({})})}}, "calls takes with_defaults only for the arguments of a call; f has for a with_defaults({})"),
    ({"calls": {"f": only({1: 2})}}, "calls takes argument names as text; f has 1"),
    ({"calls": {"f": {"a": only({}, among=["x"])}}}, "calls takes among only in calls=only(..., among=...); f has for a only({}, among=['x'])"),
    ({"calls": only({"f": []})}, 'calls asks for no call to "f" ([]); to forbid the tool, write never=["f"]'),
    ({"calls": only({"f": 3})}, "calls takes for each tool a dict of arguments, None, or a list of those; f has 3"),
    ({"calls": {"f": call}}, "calls takes for each tool a dict of arguments, None, or a list of those; f has <function call>"),
    ({"order": [1]}, "order takes tool names, got 1"),
    ({"order": [any_order([])]}, "order has an any_order of nothing; leave it out"),
    ({"order": [any_order(["a", 1])]}, "order takes tool names, got 1"),
    ({"order": [any_order(list("abcdefghijk"))]}, "order takes at most 10 tools in any order, got 11"),
    ({"order": [parallel]}, "order takes tool names, got <function parallel>"),
    ({"order": [optional()]}, "order takes tool names, got <class 'object'>"),
    ({"never": [optional("a")]}, "never takes tool names, got optional('a')"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expectations", "sentence"), BAD_CASES, ids=lambda each: each[:50] if isinstance(each, str) else ""
)
def test_what_a_case_can_not_mean_is_refused(expectations: dict[str, Any], sentence: str) -> None:
    """With the name of the case in front."""
    with pytest.raises(UsageError) as error:
        Case("a", said="x", **expectations)
    assert str(error.value) == f'case "a": {sentence}'


@pytest.mark.parametrize(
    ("expectations", "sentence"),
    [
        ({"calls": {"mail_send": {}}, "never": ["mail_*"]}, '"mail_send" is both wanted and in never as "mail_*"'),
        ({"order": ["a", parallel("b", "c")], "never": ["c"]}, '"c" is both wanted and in never'),
    ],
    ids=["glob", "step"],
)
def test_a_tool_that_is_wanted_and_forbidden_is_refused(expectations: dict[str, Any], sentence: str) -> None:
    """By whichever name."""
    with pytest.raises(UsageError) as error:
        Case("a", said="x", **expectations)
    assert str(error.value) == f'case "a": {sentence}'
    Case("a", said="x", calls={"mail_send": call({"to": "x"}, at_most=1)}, never=["web_*"])


VALUES = [
    any_of("a", 1), optional(), optional(3), near(4.25, 0.01), near(2, percent=5), same_text("a"), any_order([1, "x"]), only({"a": 1}),
    only({}, among=["a*"]), with_defaults({"a": 1}), call(), call({"a": 1}, times=2), call(at_least=2), call(at_most=3), call(at_least=0),
    call(at_least=1, at_most=2, outcome="ran"), parallel("a", optional("b")),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_frozen_and_shows_itself_as_it_is_written(value: Any) -> None:
    """And what is written makes it again; it can be copied and pickled."""
    made = eval(repr(value))
    assert made == value
    assert repr(made) == repr(value)
    assert copy.deepcopy(value) == value
    assert pickle.loads(pickle.dumps(value)) == value
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        setattr(value, dataclasses.fields(value)[0].name, 1)


def test_what_was_given_can_be_changed_afterwards() -> None:
    """The value keeps its own."""
    given = {"a": 1}
    values = [only(given), with_defaults(given)]
    given["b"] = 2
    assert [repr(each) for each in values] == ["only({'a': 1})", "with_defaults({'a': 1})"]


def test_a_number_of_a_kind_of_its_own_is_reckoned_with() -> None:
    """One that shows itself in other words, as numpy's do."""

    class Odd(float):
        def __repr__(self) -> str:
            return f"odd({float(self)})"

    assert matches(near(Odd(4.25), 0.01), Odd(4.26))
    assert not matches(near(Odd(4.25), 0.01), Odd(4.27))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("A–b", "a b"), ("  ", ""), ("x_y", "x y"), ("-4", "-4"), ("a-4", "a 4"), (".5", ".5"), ("«x»", "«x»"), ("ﬁne", "fine"), ("3,5", "3,5"), ("U.S. law.", "us law"), ("end.", "end"), ("so... it", "so it"), ("5p.m.", "5pm"), ("Ph.D., M.Sc.", "phd msc"), ("m.ab.com 5p.txt v1a.c ph.de", "m.ab.com 5p.txt v1a.c ph.de")],
)  # fmt: skip
def test_what_is_put_aside(text: str, shown: str) -> None:
    """Case, spaces and punctuation, but not what a number is made of."""
    assert bare(text) == shown
