"""Model calls that are made past a framework's hooks, by the framework itself or by a tool: each is the request of an inner agent."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from typing import Any

from ...hooks import LlmEvent
from ..foreign import Turn
from .line import asking


async def within(parts: AsyncIterator[Any]) -> AsyncGenerator[Any, None]:
    """The parts of a model's answer; what the model asks of another meanwhile is a part of it."""
    # Written out, for this is gone through for each of them: who takes them is not in it.
    given, asks, forget = aiter(parts), asking.set, asking.reset
    try:
        while True:
            token = asks(True)
            try:
                part = await anext(given)
            except StopAsyncIteration:
                return
            finally:
                forget(token)
            yield part
    finally:
        if hasattr(given, "aclose"):
            await given.aclose()


async def heard(
    turn: Turn,
    parts: AsyncIterator[Any],
    end: Callable[[LlmEvent, list[Any]], None],
    is_last: Callable[[Any], bool],
    hosted: Collection[str] = (),
) -> AsyncGenerator[Any, None]:
    """The parts of such a call's answer, told to the turn; `end(event, parts)` sets what the event of the call holds,
    and `hosted` are the tools that the provider may run in it.

    It is told before the last of them is handed on, as far as that is known: who asked may never ask for more.
    """
    mine = turn.inner(None)
    event, found, over = await mine.asks(hosted=hosted), list[Any](), False
    try:
        async with contextlib.aclosing(within(parts)) as answer:
            async for part in answer:
                found.append(part)
                if not over and is_last(part):
                    over = True
                    end(event, found)
                    await mine.said(event)
                yield part
    except BaseException as error:
        if not over:
            await mine.said(event, error=error)
        raise
    if not over:
        end(event, found)
        await mine.said(event)
