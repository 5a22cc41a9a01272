"""What comes part by part, each part waited for in a context of its own: who takes the parts is not in it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

Inside = Callable[[], contextlib.AbstractContextManager[Any]]


def parts_of(given: Iterator[Any], inside: Inside) -> Generator[Any, None, None]:
    """The parts, each waited for inside `inside()`."""
    over = object()
    with contextlib.ExitStack() as stack:
        if hasattr(given, "close"):
            stack.callback(given.close)
        while True:
            with inside():
                part = next(given, over)
            if part is over:
                return
            yield part


async def aparts_of(given: AsyncIterator[Any], inside: Inside) -> AsyncGenerator[Any, None]:
    """The same of what is awaited."""
    over = object()
    async with contextlib.AsyncExitStack() as stack:
        if hasattr(given, "aclose"):
            stack.push_async_callback(given.aclose)
        while True:
            with inside():
                part = await anext(given, over)
            if part is over:
                return
            yield part
