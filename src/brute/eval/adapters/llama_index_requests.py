"""The model calls of LlamaIndex as the turn hears them: one of an agent's step, or one beside the steps."""

from __future__ import annotations

import contextvars
from collections.abc import Iterable, Mapping
from typing import Any

from ...calling import inside
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..foreign import Turn
from .base import hosts, price, tool_offered
from .llama_index_talk import hosted_by

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

    async def begin(self, named: Mapping[str, Any]) -> None:
        """The agent is about to ask its model."""
        await self.end(())
        hosted = list(dict.fromkeys([*self.hosted, *hosted_by(self.agent.llm, named)]))
        hosts(self.turn, hosted)
        self.event = await self.turn.asks(map(tool_offered, self.offered), hosted=hosted)

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

    async def begin(self, named: Mapping[str, Any]) -> None:
        """A model is about to be asked."""
        hosted = hosted_by(self.llm, named)
        hosts(self.turn, hosted)
        self.event = await self.turn.asks(hosted=hosted)

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
