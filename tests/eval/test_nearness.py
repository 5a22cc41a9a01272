"""How near a call comes to a wish, and how that is shown."""

from __future__ import annotations

from brute.eval import any_of, only, optional, with_defaults
from brute.eval.nearness import differences, marked, nearest


def test_the_arguments_that_differ_are_named() -> None:
    """Each with a remark on how; what may be left out does not differ where it is."""
    wish = {"a": 1, "b": any_of(2, 3), "c": optional(4), "d": 5}
    assert differences(wish, {"a": 1, "b": 4}) == {"b": "wanted any of 2, 3", "d": "left out, wanted 5"}
    assert differences(only({"a": 1}), {"a": 1, "x": 2}) == {"x": "not wanted"}
    assert differences(with_defaults(only({"a": 1})), {"a": 1, "x": 2, "y": 3}, {"x": 2, "y": 4}) == {"y": "not wanted"}
    assert differences(with_defaults({"x": 3}), {}, {"x": 2}) == {"x": "wanted 3"}


def test_the_nearest_call_has_the_fewest_differences() -> None:
    """The first of several; one whose arguments can't be read is none."""
    wish = {"a": 1, "b": 2}
    assert nearest(wish, [{"a": 2, "b": 3}, None, {"a": 1, "b": 3}, {"a": 3, "b": 2}]) == 2
    assert nearest(wish, [None]) is None
    assert nearest(wish, []) is None


def test_the_difference_is_marked() -> None:
    """Of many arguments, those that differ are shown."""
    assert marked({"a": 1, "b": "x"}, {"a": 1, "c": 3}) == '{"a": 1, "c": 3, "b" (left out, wanted "x")}'
    many = {f"n{number}": number for number in range(20)}
    assert marked({**many, "n7": 0}, many) == '{"n7": 7 (wanted 0), 19 more}'
    assert marked({"a": "y"}, {"a": "\x1b[31m" + "x" * 1000}).isprintable()
