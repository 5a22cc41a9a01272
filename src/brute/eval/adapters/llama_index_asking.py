"""The model calls of LlamaIndex under watch: those of an agent's step, and those that tools and the rest of the framework make."""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Any

from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.llms.structured_llm import StructuredLLM

from ...calling import inside
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..bridging import wait
from ..claims import turn_of
from ..foreign import Turn
from ..known import Known
from .base import price

asking: contextvars.ContextVar[bool] = contextvars.ContextVar("brute_llama_asking", default=False)
"""Whether a model is asked here already: one method of a client calls another."""

stepping: contextvars.ContextVar[Step | None] = contextvars.ContextVar("brute_llama_step", default=None)
"""The step that an agent takes here."""


class Step:
    """One step of an agent: a model call, which is over once the agent has read what calls it asks for."""

    def __init__(self, turn: Turn, agent: Any, tools: Iterable[Any], hosted: list[str]) -> None:
        self.turn, self.agent = turn, agent
        self.offered = [tool.metadata.get_name() for tool in tools]
        self.hosted = hosted
        self.event: LlmEvent | None = None
        self.response: Any = None

    async def begin(self) -> None:
        """The agent is about to ask its model."""
        await self.end(())
        self.event = await self.turn.asks(map(_known, self.offered), hosted=self.hosted)

    async def end(self, calls: Iterable[Any], error: BaseException | None = None) -> None:
        """The agent has read the answer, or failed."""
        event, self.event = self.event, None
        if event is None:
            return
        if self.response is None:
            await self.turn.said(event, error=error)
            return
        response, self.response = self.response, None
        heard(event, response, self.agent.llm, calls)
        await self.turn.said(event)


class Aside:
    """A model call beside an agent's steps: a tool's, or the framework's for structured output or a summary."""

    def __init__(self, turn: Turn, llm: Any) -> None:
        hearing = inside.get()
        self.turn = turn.inner(hearing.name if hearing is not None else turn.agent)
        self.llm = llm
        self.event: LlmEvent | None = None

    async def begin(self) -> None:
        """A model is about to be asked."""
        self.event = await self.turn.asks()

    async def over(self, response: Any) -> None:
        """It answered."""
        if self.event is not None:
            heard(self.event, response, self.llm, ())
            await self.turn.said(self.event)


def heard(event: LlmEvent, response: Any, llm: Any, calls: Iterable[Any]) -> None:
    """Note what a model answered."""
    raw = getattr(response, "raw", None)
    event.model = _of(raw, "model") or getattr(llm.metadata, "model_name", None)
    event.usage = _usage(raw, getattr(response, "additional_kwargs", None) or {}, event.model)
    message = getattr(response, "message", None)
    text = getattr(response, "text", "") if message is None else message.content
    event.message = Message(
        role="assistant",
        content=text or "",
        tool_calls=tuple(ToolCall(id=c.tool_id or "", name=c.tool_name, arguments=c.tool_kwargs) for c in calls),
        usage=event.usage,
        model=event.model,
    )


async def _begun(llm: Any) -> Step | Aside | None:
    turn = None if asking.get() else turn_of(llm, type(llm).__name__)
    if turn is None:
        return None
    step = stepping.get()
    own = step is not None and step.turn is turn and step.agent.llm is llm
    request: Step | Aside = step if own and step is not None else Aside(turn, llm)
    await request.begin()
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
        request = wait_for(_begun, self)
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
        request = await _begun(self)
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
        request = wait_for(_begun, self)
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
        request = await _begun(self)
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


def wait_for(begin: Any, llm: Any) -> Any:
    """What begins a model call, in blocking code."""
    return None if asking.get() or turn_of(llm, type(llm).__name__) is None else wait(begin(llm))


@functools.lru_cache(maxsize=1024)
def _known(name: str) -> Known:
    # The same for all turns, since nothing but its name is asked for.
    return Known(name)


def _of(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def _usage(raw: Any, beside: dict[str, Any], model: str | None) -> Usage | None:
    """What a model call used, as the providers name it."""
    used = _of(raw, "usage") or _of(raw, "usage_metadata") or beside
    input = _first(used, "prompt_tokens", "input_tokens", "prompt_token_count")
    output = _first(used, "completion_tokens", "output_tokens", "candidates_token_count")
    if not input and not output:
        return None
    details = _first(used, "prompt_tokens_details", "input_tokens_details")
    read, written = _first(used, "cache_read_input_tokens"), _first(used, "cache_creation_input_tokens")
    made = Usage(
        input=as_count(None if input is None else input + (read or 0) + (written or 0)),
        output=as_count(output),
        cache_read=as_count(read if read is not None else _of(details, "cached_tokens")),
        cache_write=as_count(written),
    )
    return price(made, model)


def _first(used: Any, *names: str) -> Any:
    return next((_of(used, name) for name in names if isinstance(_of(used, name), int) or _of(used, name)), None)
