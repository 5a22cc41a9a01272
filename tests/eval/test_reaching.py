"""What a function leads to is found without running it."""

from __future__ import annotations

from typing import Any

from brute.eval.reaching import named, reached


class Agent:
    """An agent."""

    def __init__(self, *tools: Any) -> None:
        self.tools = tools


INNER = Agent()


def by_comprehension(questions: list[str]) -> list[Any]:
    """Ask for each."""
    return [(INNER, each) for each in questions]


def by_lambda() -> Any:
    """Ask later."""
    return lambda: INNER


def by_function() -> Any:
    """Ask by a function of its own."""

    def ask() -> Any:
        return [each() for each in (lambda: INNER,)]

    return ask


def by_none() -> Any:
    """Ask nobody."""
    return [each + 1 for each in ()]


def test_an_agent_that_only_code_inside_of_a_function_names_is_found() -> None:
    """In a comprehension, a lambda, a function, to whatever depth."""
    for function in (by_comprehension, by_lambda, by_function):
        outer = Agent(function)
        assert reached(outer, Agent, lambda agent: agent.tools) == [outer, INNER]
    assert list(named(by_none)) == []
