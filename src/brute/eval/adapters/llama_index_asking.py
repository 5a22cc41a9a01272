"""The model calls of LlamaIndex under watch: whichever method of whatever client asks, whole or in parts, async or blocking."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.llms.structured_llm import StructuredLLM

from ..bridging import wait
from ..claims import turn_of
from .llama_index_requests import Aside, Step, asking, stepping


async def _begun(llm: Any, named: Mapping[str, Any]) -> Step | Aside | None:
    turn = None if asking.get() else turn_of(llm, type(llm).__name__)
    if turn is None:
        return None
    step = stepping.get()
    own = step is not None and step.turn is turn and step.agent.llm is llm
    request: Step | Aside = step if own and step is not None else Aside(turn, llm)
    await request.begin(named)
    return request


async def _answered(request: Step | Aside, response: Any) -> None:
    if isinstance(request, Step):
        request.response = response
    else:
        await request.over(response)


async def _failed(request: Step | Aside, error: BaseException) -> None:
    event, request.event = request.event, None
    if event is not None:
        await request.turn.said(event, error=error)


@contextlib.contextmanager
def _within() -> Iterator[None]:
    token = asking.set(True)
    try:
        yield
    finally:
        asking.reset(token)


def watch_every_model() -> None:
    """Put the calls of all models under watch. Outside a turn nothing changes."""
    waiting: list[Any] = [BaseLLM]
    while waiting:
        kind = waiting.pop()
        if kind is not StructuredLLM:  # which asks another
            _watch_class(kind)
        waiting += kind.__subclasses__()


@functools.cache
def _watch_class(kind: Any) -> None:
    for name in ("chat", "complete"):
        for prefix, watch in (("", _once), ("a", _once_async), ("stream_", _parts), ("astream_", _parts_async)):
            plain = vars(kind).get(prefix + name)
            if plain is not None and not getattr(plain, "__isabstractmethod__", False):
                setattr(kind, prefix + name, functools.wraps(plain)(watch(plain)))


def _once(plain: Any) -> Any:
    def ask(self: Any, *given: Any, **named: Any) -> Any:
        own = plain.__get__(self, type(self))
        request = wait_for(_begun, self, named)
        if request is None:
            return own(*given, **named)
        try:
            with _within():
                response = own(*given, **named)
        except BaseException as error:
            wait(_failed(request, error))
            raise
        wait(_answered(request, response))
        return response

    return ask


def _once_async(plain: Any) -> Any:
    async def ask(self: Any, *given: Any, **named: Any) -> Any:
        own = plain.__get__(self, type(self))
        request = await _begun(self, named)
        if request is None:
            return await own(*given, **named)
        try:
            with _within():
                response = await own(*given, **named)
        except BaseException as error:
            await _failed(request, error)
            raise
        await _answered(request, response)
        return response

    return ask


def _parts(plain: Any) -> Any:
    def ask(self: Any, *given: Any, **named: Any) -> Any:
        own = plain.__get__(self, type(self))
        request = wait_for(_begun, self, named)
        if request is None:
            return own(*given, **named)

        def parts() -> Iterator[Any]:
            last, over = None, object()
            try:
                with _within():
                    stream = iter(own(*given, **named))
                while True:
                    with _within():
                        part = next(stream, over)
                    if part is over:
                        break
                    last = part
                    yield part
            except BaseException as error:
                wait(_failed(request, error))
                raise
            wait(_answered(request, last))

        return parts()

    return ask


def _parts_async(plain: Any) -> Any:
    async def ask(self: Any, *given: Any, **named: Any) -> Any:
        own = plain.__get__(self, type(self))
        request = await _begun(self, named)
        if request is None:
            return await own(*given, **named)

        async def parts() -> AsyncGenerator[Any, None]:
            last, over = None, object()
            try:
                with _within():
                    stream = await own(*given, **named)
                async with contextlib.aclosing(stream):
                    while True:
                        with _within():
                            part = await anext(stream, over)
                        if part is over:
                            break
                        last = part
                        yield part
            except BaseException as error:
                await _failed(request, error)
                raise
            await _answered(request, last)

        return parts()

    return ask


def wait_for(begin: Any, llm: Any, named: Mapping[str, Any]) -> Any:
    """What begins a model call, in blocking code."""
    return None if asking.get() or turn_of(llm, type(llm).__name__) is None else wait(begin(llm, named))
