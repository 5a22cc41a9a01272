"""What a case allows itself, and what is refused."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Budget


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"iteration": 1},
            'Budget has no argument "iteration" (did you mean "iterations"?); it takes iterations, tool_calls, tokens, seconds',
        ),
        ({"iterations": 0}, "Budget: iterations must be a whole number >= 1 or None, got 0"),
        ({"iterations": 2.0}, "Budget: iterations must be a whole number >= 1 or None, got 2.0"),
        ({"tool_calls": -1}, "Budget: tool_calls must be a whole number >= 0 or None, got -1"),
        ({"tool_calls": True}, "Budget: tool_calls must be a whole number >= 0 or None, got True"),
        ({"tokens": "5"}, 'Budget: tokens must be a whole number >= 1 or None, got "5"'),
        ({"seconds": 0}, "Budget: seconds must be a number > 0 or None, got 0"),
        ({"seconds": math.inf}, "Budget: seconds must be a number > 0 or None, got inf"),
        ({"seconds": math.nan}, "Budget: seconds must be a number > 0 or None, got nan"),
    ],
    ids=str,
)
def test_what_could_not_be_meant_is_refused(given: dict[str, Any], sentence: str) -> None:
    """The argument, what is allowed, the value."""
    with pytest.raises(UsageError) as caught:
        Budget(**given)
    assert str(caught.value) == sentence


def test_arguments_go_by_name() -> None:
    """A bare number does not say what it limits."""
    with pytest.raises(UsageError, match=r"^Budget takes its arguments by name, got 3$"):
        Budget(3)  # type: ignore[misc]


def test_a_budget_is_a_value() -> None:
    """Nothing is limited that is not said."""
    made = Budget(tokens=3)
    assert made == copy.copy(made) == pickle.loads(pickle.dumps(made))
    assert Budget() == Budget(iterations=None, tool_calls=None, tokens=None, seconds=None)


def test_a_budget_shows_what_it_takes() -> None:
    """To editors and to `help`, although it refuses what it does not take in its own words."""
    parameters = inspect.signature(Budget).parameters
    assert list(parameters) == ["iterations", "tool_calls", "tokens", "seconds"]
    assert all(each.kind is each.KEYWORD_ONLY and each.default is None for each in parameters.values())
