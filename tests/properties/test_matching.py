"""What holds of matching, whatever the values."""

from __future__ import annotations

import itertools
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from brute.eval.matching import matches, matches_arguments, pair
from brute.eval.wording import value
from tests.support import strategies as some


@given(some.json_values)
@settings(max_examples=60, deadline=None)
def test_a_value_matches_itself_and_its_json(thing: Any) -> None:
    """The rules ask for nothing that the value is not."""
    assert matches(thing, thing)
    assert matches(thing, json.loads(json.dumps(thing)))


@given(some.json_values, some.json_values)
@settings(max_examples=60, deadline=None)
def test_scalars_match_only_where_json_says_the_same(one: Any, other: Any) -> None:
    """Numbers by their value; a truth value, a text and null only themselves."""
    if isinstance(one, (dict, list)) or isinstance(other, (dict, list)):
        return
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (one, other))
    assert matches(one, other) == (one == other if numbers else (type(one) is type(other) and one == other))


@given(some.arguments, some.arguments, some.arguments)
@settings(max_examples=60, deadline=None)
def test_a_subset_is_monotone(wanted: dict[str, Any], more: dict[str, Any], made: dict[str, Any]) -> None:
    """An argument more in the call never breaks a match, and one more in the wish never makes one."""
    if matches_arguments(wanted, made):
        assert matches_arguments(wanted, {**more, **made})
        assert matches_arguments({name: wanted[name] for name in list(wanted)[1:]}, made)
    else:
        assert not matches_arguments({**more, **wanted}, made)


small = st.lists(st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2), max_size=4)


@given(small, small)
@settings(max_examples=60, deadline=None)
def test_the_best_pairing_is_as_good_as_any_by_brute_force(wanted: list[Any], made: list[Any]) -> None:
    """Each wish has a call of its own that meets it, and no permutation meets more."""
    found = pair(wanted, made)
    paired = [(wish, call) for wish, call in enumerate(found) if call is not None]
    assert len({call for _, call in paired}) == len(paired)
    assert all(matches_arguments(wanted[wish], made[call]) for wish, call in paired)
    slots = [*made, *[None] * len(wanted)]
    best = max(
        sum(call is not None and matches_arguments(wish, call) for wish, call in zip(wanted, chosen, strict=True))
        for chosen in itertools.permutations(slots, len(wanted))
    )
    assert len(paired) == best


@given(some.json_values)
@settings(max_examples=60, deadline=None)
def test_a_value_that_is_shown_in_full_is_its_json(thing: Any) -> None:
    """And one that is not says how much is left out; both on one line."""
    shown = value(thing)
    assert shown.isprintable()
    whole = json.dumps(thing, ensure_ascii=False)
    if len(whole) <= 110 and whole.isprintable():
        assert shown == whole
