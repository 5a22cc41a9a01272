"""The functions that the code of a `Flex` of DSPy calls, under watch: those that are no tools would come to its interpreter as they are."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

import dspy

from ..known import Known
from . import dspy_parts as parts
from .dspy_tools import Body, Whose
from .signatures import unfit


def watch_every_flex(whose: Whose) -> None:
    """Have the turn asked before a function runs that the code of a `Flex` calls: `whose(function, name)` tells which turn."""
    if not hasattr(dspy, "Flex"):
        return
    kind = importlib.import_module("dspy.predict.flex.bridge").BridgeRuntime
    plain = kind._tool_callables

    def callables(self: Any) -> Any:
        given = parts.bridged(self._flex)
        return {
            name: function if isinstance(given.get(name), dspy.Tool) else _bridged(function, name, whose)
            for name, function in plain(self).items()
        }

    kind._tool_callables = functools.wraps(plain)(callables)


def _bridged(function: Any, name: str, whose: Whose) -> Any:
    @functools.wraps(function)
    def entry(**given: Any) -> Any:
        turn = whose(function, name)
        if turn is None:
            return function(**given)
        body = Body(turn, dspy.Tool(function, name=name), given)
        # Nothing but the function itself refuses arguments here.
        body.known = Known(name, check=functools.partial(_refuse, function))
        return (body.awaited if inspect.iscoroutinefunction(function) else body.blocking)(**given)

    @functools.wraps(function)
    async def entry_async(**given: Any) -> Any:
        return await entry(**given)

    return entry_async if inspect.iscoroutinefunction(function) else entry


def _refuse(function: Any, arguments: dict[str, Any]) -> None:
    error = unfit(function, arguments)
    if error is not None:
        raise error
