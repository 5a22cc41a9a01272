"""Running several things at once, with an exception that comes out as it went in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any


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
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:
            raised.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for function in functions:
            group.start_soon(one, function)
    if raised:
        raise raised[0]
