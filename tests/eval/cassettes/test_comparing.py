"""What counts of a request, and where two of them differ."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute.eval.cassettes.comparing import MISSING, arguments, content, difference, key, leaves, likeness, undated

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_a_request_agrees_with_itself(value: Any) -> None:
    """And has no difference from itself."""
    assert key(value) == key(value)
    assert difference(value, value) is None
    assert likeness(value, value) == 1.0


@given(JSON, JSON)
def test_what_has_another_key_differs_somewhere(one: Any, other: Any) -> None:
    """And what has the same key nowhere."""
    assert (difference(one, other) is None) is (key(one) == key(other))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": None}, {}, True),
        (None, {}, True),
        ("", {}, True),
        ({"a": {"b": None}}, {"a": {}}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": 0}, {}, False),
        ({"a": ""}, {}, False),
    ],
)
def test_which_arguments_are_the_same(one: Any, other: Any, same: bool) -> None:
    """Their order is none of it; a null argument is none."""
    assert (key(arguments(one)) == key(arguments(other))) is same


def called(call: str, **given: Any) -> dict[str, Any]:
    """A request with a call and its result."""
    return {
        "body": {
            "messages": [
                {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": "f", "input": given}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": "x"}]},
            ]
        }
    }


def test_ids_that_link_a_call_to_its_result_count_by_where_they_stand() -> None:
    """Not by what they are; an id among a tool's arguments is the tool's, and counts."""
    assert content(called("toolu_1")) == content(called("toolu_2"))
    assert content(called("toolu_1", id="a")) != content(called("toolu_1", id="b"))
    crossed = called("toolu_1")
    crossed["body"]["messages"][1]["content"][0]["tool_use_id"] = "toolu_other"
    assert content(crossed) != content(called("toolu_1"))


def test_whose_request_it_is_does_not_count_but_what_it_asks_does() -> None:
    """Only at the top of the body: a tool may have a parameter called `user`."""
    asked = {"body": {"model": "m", "user": "u1", "tools": [{"name": "f", "parameters": {"properties": {"user": {}}}}]}}
    other = {"body": {**asked["body"], "user": "u2"}}
    assert content(asked) == content(other)
    other["body"]["tools"] = [{"name": "f", "parameters": {"properties": {"user": {"type": "string"}}}}]
    assert content(asked) != content(other)


@pytest.mark.parametrize(
    ("recorded", "now", "found"),
    [
        ({"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, ("a[0].b", "x", "y")),
        ({"a": [1]}, {"a": [1, 2]}, ("a[1]", MISSING, 2)),
        ({"a": [1, 2]}, {"a": [1]}, ("a[1]", 2, MISSING)),
        ({"a": 1}, {"b": 1}, ("a", 1, MISSING)),
        ({"a": {}}, {"a": []}, ("a", {}, [])),
        ({"tools": [1], "z": 1}, {"tools": [2], "z": 2}, ("z", 1, 2)),
    ],
)
def test_the_first_difference_has_a_path(recorded: Any, now: Any, found: Any) -> None:
    """Tools come last: their schemas are the least that one looks at."""
    assert difference(recorded, now) == found


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-06",
        "March 6, 2026",
        "Friday, March 06, 2026",
        "6 Mar 2026",
        "06.03.2026",
        "2026/03/06",
        "Friday 6 March 2026",
    ],
)
def test_the_day_s_date_is_no_particular_one_however_it_is_written(text: str) -> None:
    """With the time behind it; any other date stays."""
    day = datetime.date(2026, 3, 6)
    gone = "now: <the day of the run>."
    assert undated(f"now: {text}.", day) == gone
    assert undated(f"now: {text} 10:15 UTC.", day) == gone
    assert undated(f"now: {text}T10:15:00.123+01:00.", day) == gone
    assert undated(f"now: {text}.", datetime.date(2026, 3, 7)) == f"now: {text}."


@pytest.mark.parametrize("text", ["2026-03-061", "12026-03-06 is no date of ours", "March 6, 20261"])
def test_what_only_begins_like_it_stays(text: str) -> None:
    """A longer number is another."""
    assert undated(text, datetime.date(2026, 3, 6)) == text


def test_leaves_are_the_single_values() -> None:
    """Empty ones too."""
    assert dict(leaves({"a": [1, {}], "b": {"c": None}})) == {"a[0]": 1, "a[1]": {}, "b.c": None}
