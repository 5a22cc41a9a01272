"""The adapter for brute's own agents keeps the contract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import brute
from brute import UsageError
from brute.eval.adapters import adapt
from brute.eval.adapters.native import Native
from brute.eval.subject import Subject
from tests.eval.adapters.contract import Contract, Plan
from tests.support.agents import asks, build


class TestContract(Contract):
    """The rows that every adapter passes."""

    def make(self, plan: Plan, tools: Sequence[Callable[..., Any]]) -> Subject:
        """A scripted agent."""
        return adapt(build([step if isinstance(step, str) else asks(*step) for step in plan], tools))


def test_a_brute_agent_hides_nothing() -> None:
    """All that a case may ask about is seen."""
    assert (adapt(brute.agent()).blind, adapt(brute.agent()).tools) == ([], [])


def test_tools_of_several_layers_are_all_named() -> None:
    """Each layer declares its own."""
    from brute.middleware import Tools

    def one() -> None: ...
    def two() -> None: ...

    assert Native(brute.agent().use(Tools, [one]).use(Tools, [two])).tools == ["one", "two"]


@pytest.mark.parametrize(
    "thing", [None, 42, "agent", brute.Agent, lambda: None], ids=["none", "number", "text", "class", "function"]
)
def test_what_is_no_agent_is_refused(thing: Any) -> None:
    """In a sentence that says what it got."""
    with pytest.raises(UsageError, match="the agent must be a brute agent"):
        adapt(thing)
