"""What comes part by part, each part waited for in a context of its own: who takes the parts is not in it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any

Inside = Callable[[], contextlib.AbstractContextManager[Any]]


def parts_of(given: Iterator[Any], inside: Inside) -> Generator[Any, None, None]:
    """The parts, each waited for inside `inside()`."""
    try:
        while True:
            with inside():
                try:
                    part = next(given)
                except StopIteration:
                    return
            yield part
    finally:
        if hasattr(given, "close"):
            given.close()


async def aparts_of(given: AsyncIterator[Any], inside: Inside) -> AsyncGenerator[Any, None]:
    """The same of what is awaited."""
    try:
        while True:
            with inside():
                try:
                    part = await anext(given)
                except StopAsyncIteration:
                    return
            yield part
    finally:
        if hasattr(given, "aclose"):
            await given.aclose()
