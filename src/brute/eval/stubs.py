"""Canned answers: what is served instead of a tool running."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ..errors import HookError, TurnStopped, UsageError
from ..hooks import ToolEvent, name_of
from ..leaves import call_leaf
from ..tools import BadArguments


class InTurn:
    """Answers for successive calls of one tool; each attempt begins with the first."""

    def __init__(self, answers: tuple[Any, ...]) -> None:
        self.answers = answers

    def __repr__(self) -> str:
        return f"in_turn({', '.join(map(repr, self.answers))})"


def in_turn(*answers: Any) -> InTurn:
    """A stub that serves `answers` one after the other: values, functions or exceptions, each for one call.

    A call for which none is left is an error that says so. Raises `UsageError` without any answer.

    >>> in_turn("first", TimeoutError("slow"))
    in_turn('first', TimeoutError('slow'))
    """
    if not answers:
        raise UsageError("in_turn needs at least one answer")
    return InTurn(answers)


class StubError(TurnStopped):
    """A fault of a stub, which is the case's and not the agent's: the turn ends, and the attempt is an error."""


class Stubs:
    """The stubs of one attempt: a subscriber to `before_tool` that answers in the tools' stead.

    Arguments that the tool's own schema refuses are answered as the tool would, so that a stub never makes a bad call good.
    """

    def __init__(self, stubs: Mapping[str, Any]) -> None:
        self.stubs = dict(stubs)
        self._served = dict.fromkeys(stubs, 0)

    async def __call__(self, event: ToolEvent) -> None:
        """Answer the call where there is a stub for it."""
        if event.name not in self.stubs or event.answered or event.denied is not None:
            return
        served = self._served[event.name]
        self._served[event.name] = served + 1
        refused = _refused(event)
        event.answer(refused if refused is not None else await self._answer(event, self.stubs[event.name], served))

    async def _answer(self, event: ToolEvent, stub: Any, served: int) -> Any:
        if isinstance(stub, InTurn):
            if served >= len(stub.answers):
                raise StubError(f"the stub for {event.name} has {len(stub.answers)} answers in turn; call {served + 1} found none left")
            return await self._answer(event, stub.answers[served], 0)
        if isinstance(stub, type) and issubclass(stub, BaseException):
            return stub()
        if not callable(stub):
            return stub
        return await _called(event, stub)


async def _called(event: ToolEvent, stub: Any) -> Any:
    arguments = event.arguments or {}
    try:
        inspect.signature(stub).bind(**arguments)
    except TypeError as error:
        raise StubError(f"the stub for {event.name} can't be called with what the tool was asked: {error}") from None
    except ValueError:  # a builtin without a signature
        pass
    try:
        return await call_leaf(stub, **arguments)
    except (TurnStopped, HookError):
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise StubError(
            f"the stub for {event.name} ({name_of(stub)}) raised {told}; to make the tool fail, give the exception as the stub"
        ) from error


def _refused(event: ToolEvent) -> BadArguments | None:
    """Why the real tool would not take these arguments, or None."""
    if event.arguments is None:
        return BadArguments(f"the arguments are not a JSON object: {event.call.arguments}")
    if event.tool is None:
        return None
    try:
        event.tool.validated(event.arguments)
    except BadArguments as refused:
        return refused
    return None
