"""The adapter for DSPy: every LM, tool and module that runs in a turn is heard, and tools run as doubles that ask the turn first."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
from typing import Any

import dspy

from ...leaves import in_thread
from ..cassettes import lm15_wire
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..guarding import Near
from . import dspy_asking as asking
from . import dspy_parts as parts
from .base import Foreign, hosts
from .dspy_flex import watch_every_flex
from .dspy_tools import watch_every_tool

OWN = "brute.dspy.own"
"""Where an env's metadata holds the module with tools that the turn is of; one that runs beside or in it is an inner agent."""

NAMES = "brute.dspy.names"
"""Where it holds what the modules are called."""


class DSPy(Foreign):
    """A program of DSPy: `ReAct`, or any other `Module`, with the modules in it and those that its tools run."""

    def __init__(self, program: Any) -> None:
        super().__init__(program)
        _watch_everything()
        self._fields = parts.Fields(program)
        self._async = parts.is_async(type(program))
        self._modules = parts.modules(program)
        found = [module for module, _ in self._modules.values()]
        tools = [tool for module in found for tool in parts.held(module)]
        bridged = [pair for module in found for pair in parts.bridged(module).items()]
        # Where there are none, they may be made while the program runs.
        self.names = list(dict.fromkeys([*(tool.name for tool in tools), *(name for name, _ in bridged)])) or None
        self._claims = [*found, *tools, *(tool for _, tool in bridged)]
        self._beyond = [name for module in found for name in parts.beyond(module)]
        if self._beyond:
            self.blind.append("calls")

    async def play(self, turn: Turn) -> None:
        """Run the program once."""
        given = self._fields.given(turn.env.messages)
        turn.env.metadata |= {
            NAMES: {key: name for key, (_, name) in self._modules.items()},
            asking.BEYOND: [Near(name) for name in self._beyond],
        }
        with claimed(turn, self._claims):
            if self._async:
                answer = await self.agent.acall(**given)
            else:
                answer = await in_thread(functools.partial(self.agent, **given))
        await asking.unheard(turn, self.names or [])
        turn.reply(self._fields.reply(answer))


@functools.cache
def _watch_everything() -> None:
    """Put models, adapters, tools and modules under watch. Outside a turn nothing changes."""
    watch_every_tool(turn_of)
    watch_every_flex(turn_of)
    with contextlib.suppress(ImportError):  # older ones have no client of their own
        lm15_wire.watch(importlib.import_module("dspy._vendor.lm15.transports"))
    asking.watch_every_model(current.get)
    blocking, asynchronous = dspy.Module.__call__, dspy.Module.acall

    def call(self: Any, *args: Any, **named: Any) -> Any:
        before = _enter(self)
        try:
            return blocking(self, *args, **named)
        finally:
            _leave(before)

    async def acall(self: Any, *args: Any, **named: Any) -> Any:
        before = _enter(self)
        try:
            return await asynchronous(self, *args, **named)
        finally:
            _leave(before)

    dspy.Module.__call__ = functools.wraps(blocking)(call)
    dspy.Module.acall = functools.wraps(asynchronous)(acall)
    if hasattr(dspy, "CodeAct"):
        _watch_code(dspy.CodeAct)


def _watch_code(kind: Any) -> None:
    plain = kind.forward

    def forward(self: Any, *args: Any, **named: Any) -> Any:
        _hands_on(self, turn_of(self, type(self).__name__))  # also where it was not called as a module is
        return plain(self, *args, **named)

    kind.forward = functools.wraps(plain)(forward)


def _hands_on(module: Any, turn: Turn | None) -> None:
    """Note the tools that a module hands on as text, which may have been made in the turn: the next model call looks whether they may run."""
    names = [] if turn is None else parts.beyond(module)
    if turn is not None and names:
        hosts(turn, names)
        known = turn.root.env.metadata.setdefault(asking.BEYOND, [])
        known += [Near(name) for name in names if name not in known]


_Before = tuple[contextvars.Token[Any], contextvars.Token[Any]] | None
"""What was before a module began to run; None outside any turn."""


def _enter(module: Any) -> _Before:
    """A module runs. One with tools is an agent: the first in a turn is the turn's own, any other an inner one."""
    turn = turn_of(module, type(module).__name__)
    if turn is None:
        return None
    _hands_on(module, turn)
    asking.hear_all(current.get)  # of classes that were made since
    running = asking.module.get()
    if parts.has_tools(module):
        seen = turn.root.env.metadata
        if seen.setdefault(OWN, module) is not module or turn.env.outer is not None:
            turn = turn.inner(seen.get(NAMES, {}).get(id(module), type(module).__name__))
        running = module
    return current.set(turn), asking.module.set(running)


def _leave(before: _Before) -> None:
    """It has run."""
    if before is not None:
        turn, running = before
        asking.module.reset(running)
        current.reset(turn)
