"""The rules for one argument, for a call and for several calls."""

from __future__ import annotations

import decimal
import enum
import fractions
import math
import re
import sys
import time
from collections.abc import Iterator
from typing import Any, Protocol

import pytest
from dirty_equals import AnyThing, IsInt, IsList, IsPartialDict, IsPositive, IsStr

from brute.eval import optional
from brute.eval.matching import matches, matches_arguments, pair
from tests.support.naming import steady


class Color(enum.StrEnum):
    """A text with a name."""

    RED = "red"


class Speaks(Protocol):
    """A class that refuses isinstance."""


async def later(value: Any) -> bool:
    """An async predicate, which would be true whatever it says."""
    return False


def lazily(value: Any) -> Iterator[bool]:
    """A generator, which would be true whatever it says."""
    yield False


def raises(value: Any) -> bool:
    """A predicate for another kind of value."""
    raise TypeError("not for this")


NAN = math.nan

AGREE = [
    (1, 1.0),
    (1.0, 1),
    (0, -0.0),
    ("a", "a"),
    (None, None),
    (True, True),
    ([1, [2]], [1, [2.0]]),
    ((1, 2), [1, 2]),
    ([], []),
    ({}, {"any": 1}),
    ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}),
    ({"a": [{"b": re.compile("x")}]}, {"a": [{"b": "xx", "c": 1}]}),
    (re.compile("bank|rate", re.I), "Bank of England"),
    (re.compile("^3$"), 3),
    (re.compile("5"), 2.5),
    (str, "a"),
    (int, 3),
    (float, 3),
    (float, 3.5),
    (bool, True),
    (object, True),
    (type(None), None),
    (list, []),
    (int | None, None),
    (int | str, "x"),
    (Any, object()),
    (range(3), 2),
    (range(3), 2.0),
    (str.isdigit, "12"),
    (len, [1]),
    (lambda v: v > 3, 4),
    ({"a", "b"}.__contains__, "a"),
    (Color.RED, "red"),
    (decimal.Decimal("1.5"), 1.5),
    (fractions.Fraction(1, 2), 0.5),
    (IsInt, 3),
    (IsInt(gt=2), 3),
    (IsStr(regex="b.*"), "bank"),
    (IsPositive | IsStr, "x"),
    (IsPartialDict(a=1), {"a": 1, "b": 2}),
    (IsList(length=2), [1, 2]),
    (AnyThing, None),
    ({"a": IsStr}, {"a": "x"}),
    (2**60 + 1, 2**60 + 1),
]

DIFFER = [
    (1, True),
    (True, 1),
    (0, False),
    (False, 0),
    (1.0, True),
    (decimal.Decimal(1), True),
    (fractions.Fraction(1), True),
    ("1", 1),
    (1, "1"),
    ("True", True),
    (None, False),
    (None, ""),
    (None, {}),
    (None, 0),
    ("a", "A"),
    ("a", "a "),
    ("café", "cafe\u0301"),
    ([1], [1, 2]),
    ([1, 2], [1]),
    ([1, 2], [2, 1]),
    ([1], 1),
    ([], None),
    ("ab", ["a", "b"]),
    ({}, None),
    ({}, []),
    ({"a": None}, {}),
    ({"a": 1}, {"b": 1}),
    ({1: "x"}, {"1": "x"}),
    (re.compile("x"), None),
    (re.compile("True"), True),
    (re.compile("x"), ["x"]),
    (re.compile(b"x"), "x"),
    (re.compile("1"), 10**6000),
    (str, 1),
    (int, True),
    (float, True),
    (int, 3.0),
    (int, "3"),
    (bool, 1),
    (int | None, True),
    (Speaks, object()),
    (range(3), 3),
    (range(3), 1.5),
    (range(3), True),
    (range(3), "1"),
    (range(3), NAN),
    (range(3), math.inf),
    (range(10**15), 0.5),
    (NAN, NAN),
    (lambda v: v > 3, "x"),
    (lambda v: v > 3, 3),
    (raises, "x"),
    (later, "x"),
    (lazily, "x"),
    (lambda v: (part in v for part in ["x"]), "y"),
    ("x".__eq__, 5),
    (lambda v: None, "x"),
    (IsInt, "3"),
    (IsInt, True),
    (IsInt(gt=2), 2),
    (IsStr, None),
    ({1, 2}, [1, 2]),
    (b"x", "x"),
    (2**53 + 1, float(2**53)),
]


@pytest.mark.parametrize(("wanted", "got"), AGREE, ids=steady)
def test_what_agrees(wanted: Any, got: Any) -> None:
    """One value that is what was wanted."""
    assert matches(wanted, got)


@pytest.mark.parametrize(
    ("wanted", "got"), DIFFER, ids=lambda each: steady(each)[:40] if not isinstance(each, int) else "int"
)
def test_what_differs(wanted: Any, got: Any) -> None:
    """One value that is not, whatever Python's == would say, and at once."""
    assert not matches(wanted, got)


def test_nothing_is_too_deep() -> None:
    """Ten thousand lists from a model are no crash, and no match where they can't be followed."""
    deep: Any = []
    for _ in range(10_000):
        deep = [deep]
    assert matches([list], [deep])
    assert not matches(deep, [deep])
    assert matches({"a": 1}, {"a": 1, "b": deep})
    assert not matches("x", deep)


def test_one_that_wants_the_process_to_end_is_no_match() -> None:
    """It would take the run with it, and all its results."""

    class Exits:
        def __eq__(self, other: object) -> bool:
            raise SystemExit(0)

        __hash__ = None  # type: ignore[assignment]

    assert not matches(lambda given: sys.exit(0), "x")
    assert not matches(Exits(), "x")


def test_an_equality_that_raises_is_no_match() -> None:
    """What can't be compared does not agree."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = object.__hash__

    assert not matches(Odd(), 1)


def test_an_object_with_an_equality_of_its_own_is_compared_and_not_called() -> None:
    """A matcher that can be called too is a matcher."""

    class Both:
        def __eq__(self, other: object) -> bool:
            return other == "right"

        __hash__ = object.__hash__

        def __call__(self, value: Any) -> bool:
            return True

    assert matches(Both(), "right")
    assert not matches(Both(), "wrong")


def test_arguments_left_out_are_unconstrained_and_malformed_ones_hold_nothing() -> None:
    """None stands for malformed: it meets a wish for any arguments, and no other."""
    assert matches_arguments({"a": 1}, {"a": 1, "b": 2})
    assert not matches_arguments({"a": 1}, {})
    assert not matches_arguments({"a": None}, {})
    assert matches_arguments({}, None)
    assert not matches_arguments({"a": object}, None)
    assert not matches_arguments({"a": optional(1)}, None)


def test_the_best_pairing_is_found_whatever_the_order() -> None:
    """Edge case 3, both ways round, and a chain along which three have to move."""
    loose, strict = {"a": 1}, {"a": 1, "b": 2}
    assert pair([loose, strict], [strict, loose]) == [1, 0]
    assert pair([strict, loose], [loose, strict]) == [1, 0]
    chain = [{"n": range(2)}, {"n": range(1, 3)}, {"n": range(2, 4)}, {"n": 2}]
    assert None not in pair(chain, [{"n": 2}, {"n": 1}, {"n": 0}, {"n": 3}])


def test_each_wish_needs_a_call_of_its_own() -> None:
    """The one that comes last goes without."""
    assert pair([{"a": 1}, {"a": 1}], [{"a": 1}]) == [0, None]
    assert pair([{}], []) == [None]
    assert pair([], [{}]) == []


def test_many_calls_are_paired_at_once() -> None:
    """Three hundred wishes that all fit all calls but one."""
    wanted = [{"n": range(n + 1)} for n in range(300)]
    made = [{"n": n} for n in range(300)]
    began = time.process_time()
    assert pair(wanted, made) == list(range(300))
    assert pair(wanted[::-1], made) == list(range(300))[::-1]
    assert time.process_time() - began < 3
