"""The model calls of agno under watch, in one piece or as they come, by code that blocks or does not."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Generator, Iterable
from typing import Any

from ...calling import as_text
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..foreign import Turn, current
from .base import hosts, price, tool_offered
from .line import tell

KNOWN = "brute.agno.known"
"""Where the env's metadata of a whole turn holds the names of the tools that are known of all its agents."""

IDS = "brute.agno.ids"
"""Where it holds the ids of calls by those that agno has of them: OpenAI's responses have an item's besides the call's."""


def id_of(turn: Turn, own: Any) -> str:
    """The id of a call that agno knows by this one."""
    return str(turn.root.env.metadata.get(IDS, {}).get(own, own) or "")


def asynchronous(plain: Any) -> Any:
    """A model call, under watch."""

    async def _aprocess_model_response(self: Any, *given: Any, **named: Any) -> Any:
        turn = current.get()
        if turn is None:
            return await plain(self, *given, **named)
        event = await _begin(turn, self, named)
        try:
            answer = await plain(self, *given, **named)
        except BaseException as error:
            await turn.said(event, error=error)
            raise
        await _end(turn, event, self, named)
        return answer

    return functools.wraps(plain)(_aprocess_model_response)


def blocking(plain: Any) -> Any:
    """One of code that blocks."""

    def _process_model_response(self: Any, *given: Any, **named: Any) -> Any:
        turn = current.get()
        if turn is None:
            return plain(self, *given, **named)
        event = tell(turn, _begin(turn, self, named))
        try:
            answer = plain(self, *given, **named)
        except BaseException as error:
            tell(turn, turn.said(event, error=error))
            raise
        tell(turn, _end(turn, event, self, named))
        return answer

    return functools.wraps(plain)(_process_model_response)


def by_parts(plain: Any) -> Any:
    """One whose answer is streamed."""

    async def aprocess_response_stream(self: Any, *given: Any, **named: Any) -> AsyncGenerator[Any, None]:
        turn, parts = current.get(), plain(self, *given, **named)
        event = None if turn is None else await _begin(turn, self, named)
        try:
            async for part in parts:
                yield part
        except BaseException as error:
            if turn is not None and event is not None:
                await turn.said(event, error=error)
            raise
        if turn is not None and event is not None:
            await _end(turn, event, self, named)

    return functools.wraps(plain)(aprocess_response_stream)


def in_parts(plain: Any) -> Any:
    """One of code that blocks whose answer is streamed."""

    def process_response_stream(self: Any, *given: Any, **named: Any) -> Generator[Any, None, None]:
        turn = current.get()
        if turn is None:
            yield from plain(self, *given, **named)
            return
        event = tell(turn, _begin(turn, self, named))
        try:
            yield from plain(self, *given, **named)
        except BaseException as error:
            tell(turn, turn.said(event, error=error))
            raise
        tell(turn, _end(turn, event, self, named))

    return functools.wraps(plain)(process_response_stream)


def unkept(plain: Any) -> Any:
    """How a model's answers are kept and taken up again (`cache_response`): not in a turn, where one may rest on a stub, and one that was kept is no request."""

    def kept(self: Any, *given: Any, **named: Any) -> Any:
        return plain(self, *given, **named) if current.get() is None else None

    return functools.wraps(plain)(kept)


async def _begin(turn: Turn, model: Any, named: dict[str, Any]) -> LlmEvent:
    offered, beyond = [], _settings(model)
    for tool in named.get("tools") or ():
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if name:
            offered.append(str(name))
        elif isinstance(tool, dict):
            beyond.append(str(tool.get("name") or tool.get("type") or next(iter(tool), "tool")))
    known: list[str] = turn.root.env.metadata.get(KNOWN) or []
    hosts(turn, beyond)
    if turn.waiting:
        await answers(turn, named.get("messages") or (), offered)
    names = list(dict.fromkeys([*known, *offered, *beyond]))
    return await turn.asks(map(tool_offered, offered), hosted=beyond, names=names)


async def answers(turn: Turn, messages: Iterable[Any], offered: list[str] | None) -> None:
    """What was answered to calls of which no tool has heard: unknown ones, those that can't be read, those that are too many."""
    if not turn.waiting:
        return
    told = {id_of(turn, each.tool_call_id): each for each in messages if getattr(each, "tool_call_id", None)}
    for call in turn.waiting:
        answer = told.get(call.id)
        if answer is not None:
            exists = offered is None or call.name in offered
            await turn.refused(call, as_text(answer.content), exists=exists)


async def _end(turn: Turn, event: LlmEvent, model: Any, named: dict[str, Any]) -> None:
    said = named["assistant_message"]
    # agno hands on no other.
    event.model = model.id
    event.usage = _usage(said.metrics, model)
    ids = turn.root.env.metadata.setdefault(IDS, {})
    ids |= {call["id"]: call["call_id"] for call in said.tool_calls or () if call.get("id") and call.get("call_id")}
    calls = tuple(
        ToolCall(id=id_of(turn, call.get("id")), name=str(function.get("name")), arguments=function.get("arguments"))
        for call in said.tool_calls or ()
        if isinstance(function := call.get("function"), dict)
    )
    content = "" if said.content is None else as_text(said.content)
    event.message = Message(role="assistant", content=content, tool_calls=calls, usage=event.usage, model=event.model)
    await turn.said(event)


_SETTINGS = ("search", "grounding", "url_context", "vertexai_search", "parallel_search", "web_search_options")


def _settings(model: Any) -> list[str]:
    """The tools that the model's provider runs, by its settings."""
    return [name for name in _SETTINGS if getattr(model, name, None) and not callable(getattr(model, name))]


def _usage(used: Any, model: Any) -> Usage | None:
    """What a model call used; agno writes 0 for what was not reported."""
    input, output = getattr(used, "input_tokens", None), getattr(used, "output_tokens", None)
    if not input and not output:
        return None
    read, written = getattr(used, "cache_read_tokens", None), getattr(used, "cache_write_tokens", None)
    # These leave the cached tokens out of their input.
    apart = type(model).__module__.rpartition(".")[2] == "claude"
    made = Usage(
        input=as_count((input or 0) + (read or 0) + (written or 0) if apart else input or 0),
        output=as_count(output),
        cache_read=as_count(read) if read else None,
        cache_write=as_count(written) if written else None,
    )
    return price(made, model.id)
