"""The agents that an agent's tools may start: those that their functions name, found without running anything."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def reached(agent: Any, kind: type | tuple[type, ...], functions: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """The agent, and every agent of this kind that `functions(agent)` are, or name in their closures and globals, and those that theirs do.

    >>> class Agent:
    ...     def __init__(self, *tools): self.tools = tools
    >>> inner = Agent()
    >>> def ask(question): return inner
    >>> len(reached(Agent(ask), Agent, lambda agent: agent.tools))
    2
    """
    found: list[Any] = []
    waiting = [agent]
    while waiting:
        each = waiting.pop(0)
        if any(each is known for known in found):
            continue
        found.append(each)
        for function in functions(each):
            things = [function] if isinstance(function, kind) else named(function)
            waiting += [thing for thing in things if isinstance(thing, kind)]
    return found


def named(function: Any, depth: int = 2) -> Iterator[Any]:
    """What a function names from outside itself, and what the functions that it names do, a little deeper."""
    while isinstance(function, functools.partial):
        function = function.func
    owner = getattr(function, "__self__", None)
    if owner is not None and not inspect.ismodule(owner):
        yield from vars(owner).values() if hasattr(owner, "__dict__") else ()
    function = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(function, "__code__", None)
    if code is None:
        return
    found = [function.__globals__[name] for name in _names(code) if name in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    yield from found
    if depth:
        for each in found:
            if inspect.isfunction(each) and each.__module__ == function.__module__:
                yield from named(each, depth - 1)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code uses from outside, and those that the functions inside it do."""
    yield from code.co_names
    for inside in code.co_consts:
        if isinstance(inside, types.CodeType):
            yield from _names(inside)
