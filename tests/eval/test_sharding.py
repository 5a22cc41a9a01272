"""Shards: together everything, and nothing twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brute.errors import UsageError
from brute.eval.sharding import parsed, sharded, whole

cases = st.lists(
    st.tuples(st.sampled_from(["", "eval_a.py", "eval_b.py"]), st.text(max_size=5)), unique=True, max_size=30
)


@given(cases, st.integers(1, 8), st.randoms())
def test_shards_are_stable_complete_and_even(made: list[tuple[str, str]], of: int, order: object) -> None:
    """Each case is in one shard, the same in whatever order they come, and the shards are of one size."""
    shards = [sharded(made, number, of) for number in range(1, of + 1)]
    assert sorted(case for shard in shards for case in shard) == sorted(made)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1
    shuffled = list(made)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert [sharded(shuffled, number, of) for number in range(1, of + 1)] == shards


@pytest.mark.parametrize("text", ["", "1", "0/5", "6/5", "1/0", "a/b", "1/2/3", "-1/5", "1.5/2", "٢/٥"])
def test_a_shard_that_can_not_be_meant_is_refused(text: str) -> None:
    """With what it should look like."""
    with pytest.raises(UsageError, match="a shard is written as NUMBER/OF, such as 2/5 for the second of five"):
        parsed(text)


def test_what_shards_are_of_is_told_by_the_cases_and_their_number() -> None:
    """In whatever order; another case or another number of shards is another whole."""
    one, two = ("a", "b", 1), ("a", "c", 2)
    assert whole([one, two], 2) == whole([two, one], 2)
    assert len({whole([one, two], 2), whole([one], 2), whole([one, two], 3), whole([one, ("a", "c", 3)], 2)}) == 4
