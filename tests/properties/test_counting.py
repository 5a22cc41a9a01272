"""The pairing of wishes that say how many, against every way of pairing there is; and the order of steps, against an oracle."""

from __future__ import annotations

import itertools
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from brute.eval import Call, any_order, call, only, optional, parallel
from brute.eval.callwishes import Wanted
from brute.eval.grading import grade
from brute.eval.matching import matches_arguments
from brute.eval.outcomes import ended
from tests.support.make import case, transcript

arguments = st.dictionaries(st.sampled_from("ab"), st.integers(1, 2), max_size=2)
outcomes = st.sampled_from(["ran", "failed", "denied"])
bounds = st.tuples(st.integers(0, 2), st.integers(0, 2)).filter(any)
wanted = st.one_of(
    arguments,
    st.builds(
        lambda wish, low, more, outcome: call(wish, at_least=low, at_most=low + more, outcome=outcome),
        arguments, st.integers(0, 2), st.integers(0, 1), st.sampled_from([None, "asked", "ran", "failed", "denied"]),
    ),
    st.builds(lambda wish, low: call(wish, at_least=low), arguments, st.integers(0, 2)),
)  # fmt: skip
made = st.builds(lambda given, how: Call(name="f", arguments=given, outcome=how), arguments, outcomes)


def possible(wishes: list[Any], calls: list[Call], no_others: bool) -> bool:
    """Whether one way of giving calls to wishes leaves nothing wanted, and nothing over that must not be: all ways are tried."""
    demands = [(each, None) if isinstance(each, Wanted) else (Wanted(each), 1) for each in wishes]
    fits = [
        [ended(one, want.outcome, None) and matches_arguments(want.wish, one.arguments) for want, _ in demands]
        for one in calls
    ]
    ways = [[None, *(n for n, fit in enumerate(row) if fit)] for row in fits]
    for way in itertools.product(*ways):
        counts = [way.count(number) for number in range(len(demands))]
        rooms = [want.at_most if room is None else room for want, room in demands]
        right = all(
            want.at_least <= count and (room is None or count <= room)
            for (want, _), count, room in zip(demands, counts, rooms, strict=True)
        )
        over = [row for place, row in zip(way, fits, strict=True) if place is None]
        bounded = [want.at_most is not None for want, _ in demands]
        spare = any(no_others or any(fit and b for fit, b in zip(row, bounded, strict=True)) for row in over)
        if right and not spare:
            return True
    return False


@given(st.lists(wanted, min_size=1, max_size=3), st.lists(made, max_size=5), st.booleans())
@settings(max_examples=300, deadline=None)
def test_the_verdict_is_that_of_trying_every_pairing(wishes: list[Any], calls: list[Call], no_others: bool) -> None:
    """With bounds, outcomes and no other calls; and what fails says why."""
    named = {"f": wishes}
    verdict = grade(case(calls=only(named) if no_others else named), transcript(*calls))
    assert verdict.passed == possible(wishes, calls, no_others), verdict.sentences


step = st.sampled_from("abc")
steps = st.lists(
    st.one_of(
        step,
        st.builds(optional, step),
        st.builds(lambda names: parallel(*names), st.permutations("abc").map(lambda each: each[:2])),
        st.builds(lambda names: any_order(names[:2]), st.permutations("abc")),
    ),
    min_size=1,
    max_size=4,
)


def expression(order: list[Any]) -> re.Pattern[str]:
    """The order as a regular expression over the names of calls, all in one batch; repeats in a row count once."""
    repeats = any(
        one == other and isinstance(one, (str, type(optional("a")))) for one, other in itertools.pairwise(order)
    )
    more = "" if repeats else "+"
    parts = []
    for each in order:
        if isinstance(each, str):
            parts.append(each + more)
        elif hasattr(each, "wish"):
            parts.append(f"(?:{each.wish}{more})?")
        else:
            one, other = each.items if hasattr(each, "items") else each.steps
            parts.append(f"(?:{one}{more}{other}{more}|{other}{more}{one}{more})")
    return re.compile("".join(parts))


@given(steps, st.text("abcx", max_size=6))
@settings(max_examples=300, deadline=None)
def test_steps_agree_with_a_regular_expression(order: list[Any], names: str) -> None:
    """Over the calls to the listed tools, others left out."""
    listed = {
        name for each in order for name in ([each] if isinstance(each, str) else re.findall("[abc](?=')", repr(each)))
    }
    relevant = "".join(name for name in names if name in listed)
    verdict = grade(case(order=order), transcript(*names))
    assert verdict.passed == (expression(order).fullmatch(relevant) is not None), verdict.sentences
