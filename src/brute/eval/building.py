"""How an agent is built afresh for every attempt: from a path, or by a factory."""

from __future__ import annotations

import functools
import inspect
import os
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from ..agent import Agent
from ..errors import UsageError, literal
from ..leaves import in_thread
from ..loading import load_target, split_target
from .factories import Factory
from .frameworks import framework_of, is_shared, refuse_shared

Source = str | os.PathLike[str] | Callable[..., Any]


class Builder:
    """How a suite's agent is built: `source` is an agent file, `package.module:factory`, a factory, or an agent that attempts may share.

    A factory that takes a parameter named `world` is handed the attempt's world. Raises `UsageError` at once for what can't
    be a source, and when a factory hands out an object that it handed out before.
    """

    def __init__(self, source: Any, beside: str | None = None) -> None:
        self.source = _checked(source, beside)
        # Looked at once, and not for every attempt.
        self._makes = callable(self.source) and _makes(self.source)
        self._wants_world = self._makes and "world" in _parameters(self.source)
        self._factory = Factory()
        self._given: dict[int, weakref.ref[Any]] = {}
        # What an agent of ours is marked with when it is handed out; not this, which may hold the agent.
        self._mark = object()

    def __str__(self) -> str:
        return (
            self.source if isinstance(self.source, str) else getattr(self.source, "__qualname__", literal(self.source))
        )

    async def build(self, world: Any) -> Any:
        """A fresh agent."""
        thing, makes, wants = self.source, self._makes, self._wants_world
        if isinstance(thing, str):
            thing = await in_thread(functools.partial(load_target, thing))
            makes = _makes(thing)
            if makes:
                _check_callable(thing, str(self))
                wants = "world" in _parameters(thing)
        if makes:
            thing = await self._factory.call(thing, **({"world": world} if wants else {}))
            if thing is None:
                raise UsageError(f"{self} built nothing: the function returned None, and must return the agent")
        elif thing is None:
            raise UsageError(f"the agent in {self} is None")
        self._check_fresh(thing)
        return thing

    def _check_fresh(self, thing: Any) -> None:
        """Refuse an agent that was handed out before, or that shares its hooks with one (as a shallow copy does).

        Attempts may share one of another framework where its adapter says that a run leaves nothing behind on it.
        """
        if not isinstance(thing, Agent) and is_shared(thing):
            return
        if isinstance(thing, Agent):
            given = thing.hooks.given
            if self._mark in given:
                raise self._shared()
            thing.hooks.given = (*given, self._mark)
            return
        key, known = id(thing), self._given.get(id(thing))
        if known is not None and known() is thing:
            raise self._shared()
        try:
            self._given[key] = weakref.ref(thing, lambda _: self._given.pop(key, None))
        except TypeError:  # not weakly referable: then it can't be told
            pass

    def _shared(self) -> UsageError:
        return UsageError(
            f"{self} handed out the same agent twice, so that attempts would share it; build it inside the function"
        )


def _makes(thing: Any) -> bool:
    """Whether it is a function that builds an agent, and no agent itself."""
    return not isinstance(thing, Agent) and framework_of(thing) is None and callable(thing)


def _parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _check_callable(function: Any, called: str) -> None:
    """Refuse a factory that asks for more than the world."""
    for name, parameter in _parameters(function).items():
        optional = parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        )
        if name != "world" and not optional:
            raise UsageError(f"the function that builds the agent may take only `world`; {called} needs {name!r}")


def _checked(source: Any, beside: str | None) -> Any:
    if isinstance(source, Agent):
        raise UsageError(
            "the agent was built already, so that attempts would share it; hand in a function that builds it: "
            "Suite(agent=lambda: brute.agent()...), or the path of its file"
        )
    if isinstance(source, (str, os.PathLike)):
        return _path(os.fspath(source), beside)
    known = framework_of(source)
    if known is not None:
        if not is_shared(source):
            raise refuse_shared(known)
        return source
    if not callable(source):
        raise UsageError(
            f"agent must be a path (agent.py, agent.py:name, package.module:name) or a function, got {literal(source)}"
        )
    _check_callable(source, getattr(source, "__qualname__", literal(source)))
    return source


def _path(target: str, beside: str | None) -> str:
    """The path, found beside the file that made the suite, or in the working folder."""
    path, name = split_target(target)
    if not path.endswith(".py"):
        if ":" not in target:
            raise UsageError(f"agent {literal(target)} is no path (agent.py, agent.py:name, package.module:name)")
        return target
    places = [os.path.join(beside, path)] if beside and not os.path.isabs(path) else []
    for place in (*places, os.path.abspath(path)):
        if os.path.isfile(place):
            return f"{place}:{name}"
    looked = (
        f" (looked in {beside} and {os.getcwd()})" if places and os.path.abspath(beside or "") != os.getcwd() else ""
    )
    raise UsageError(f"no such agent file: {path}{looked}")
