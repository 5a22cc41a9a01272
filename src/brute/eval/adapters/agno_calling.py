"""How the calls of agno are run, under watch: with a double in the place of the function's body."""

from __future__ import annotations

import functools
from typing import Any

from ..claims import turn_of
from ..foreign import current
from .agno_faces import BLOCKS, face_of
from .agno_tools import Double
from .line import tell


def _double(call: Any) -> Double | None:
    """The double of a call that is made in a turn."""
    known: Double | None = getattr(call.function.entrypoint, "brute_double", None)
    if known is not None:
        return known
    turn = current.get()
    if turn is None:
        owner = getattr(call.function, "_agent", None) or getattr(call.function, "_team", None)
        turn = turn_of(owner, getattr(owner, "name", None) or call.function.name)
    return None if turn is None or call.function.entrypoint is None else Double(turn, call)


def _put(call: Any, function: Any) -> None:
    # Not by pydantic's own way, which notes besides that the field was set.
    vars(call)["function"] = function


def execute(plain: Any) -> Any:
    """How a call is run by code that blocks, under watch."""

    def execute(self: Any, *given: Any, **named: Any) -> Any:
        double, function = _double(self), self.function
        if double is None:
            return plain(self, *given, **named)
        if function.entrypoint is double.real:
            _put(self, double.function())
        try:
            result = plain(self, *given, **named)
        except Exception as error:
            tell(double.turn, double.ended(error=error))
            raise
        finally:
            _put(self, function)
        if not double.ran:
            tell(double.turn, double.ended(result))
        return result

    return functools.wraps(plain)(execute)


def aexecute(plain: Any) -> Any:
    """How a call is run, under watch."""

    async def aexecute(self: Any, *given: Any, **named: Any) -> Any:
        double, function = _double(self), self.function
        if double is None:
            return await plain(self, *given, **named)
        if function.entrypoint is double.real:
            _put(self, double.function())
        try:
            result = await plain(self, *given, **named)
        except Exception as error:
            await double.ended(error=error)
            raise
        finally:
            _put(self, function)
        await double.ended(result)
        return result

    return functools.wraps(plain)(aexecute)


def arun_function_call(plain: Any) -> Any:
    """How a model has a call run, under watch: one that blocks goes to a thread for its own body alone, where no hook could block the loop."""

    async def arun_function_call(self: Any, function_call: Any) -> Any:
        function = function_call.function
        hooked = function.tool_hooks or function.pre_hook or function.post_hook
        double = None if hooked or face_of(function.entrypoint).kind != BLOCKS else _double(function_call)
        if double is None:
            return await plain(self, function_call)
        _put(function_call, double.function(on_loop=True))
        try:
            return await plain(self, function_call)
        finally:
            _put(function_call, function)

    return functools.wraps(plain)(arun_function_call)
