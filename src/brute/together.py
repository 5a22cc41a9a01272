"""Running several things at once, with an exception that comes out as it went in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .leaves import being_cancelled


async def together(functions: Sequence[Callable[[], Awaitable[Any]]]) -> None:
    """Await all of them at once; the first that raises cancels the others, and its exception comes out bare."""
    if len(functions) == 1:
        await functions[0]()
        return
    import anyio

    raised: list[BaseException] = []

    async def one(function: Callable[[], Awaitable[Any]]) -> None:
        try:
            await function()
        except BaseException as error:
            # A cancellation that nobody asked for is an exception like any other.
            if isinstance(error, anyio.get_cancelled_exc_class()) and being_cancelled():
                raise
            raised.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for function in functions:
            group.start_soon(one, function)
    if raised:
        raise raised[0]
