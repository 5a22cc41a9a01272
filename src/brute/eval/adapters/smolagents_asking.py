"""The model calls of smolagents under watch, in one piece or as they come."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Iterator
from typing import Any

from smolagents import models
from smolagents.models import agglomerate_stream_deltas

from ...calling import as_text
from ...errors import ModelError
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..foreign import Turn, current
from . import smolagents_tools as tools
from .base import hosts, price, tool_offered
from .line import asking, tell

AGENT = "brute.smolagents.agent"
"""Where an env's metadata holds the agent whose turn it is."""


def generate(owner: type, plain: Any) -> Any:
    """The `generate` of a class of models, under watch."""

    def generate(self: Any, *given: Any, **named: Any) -> Any:
        turn = current.get()
        if turn is None or asking.get():
            return plain(self, *given, **named)
        event, token = _begin(turn, self), asking.set(True)
        try:
            message = plain(self, *given, **named)
        except BaseException as error:
            tell(turn, turn.said(event, error=_trouble(error)))
            raise
        finally:
            asking.reset(token)
        _end(turn, event, self, message)
        return message

    return functools.wraps(plain)(generate)


def generate_stream(owner: type, plain: Any) -> Any:
    """The `generate_stream` of a class of models, under watch."""

    def generate_stream(self: Any, *given: Any, **named: Any) -> Iterator[Any]:
        turn = current.get()
        if turn is None or asking.get():
            yield from plain(self, *given, **named)
            return
        event, deltas = _begin(turn, self), []
        try:
            parts, over = iter(plain(self, *given, **named)), object()
            while True:
                token = asking.set(True)
                try:
                    delta = next(parts, over)
                finally:
                    asking.reset(token)
                if delta is over:
                    break
                deltas.append(delta)
                yield delta
        except BaseException as error:
            tell(turn, turn.said(event, error=_trouble(error)))
            raise
        _end(turn, event, self, agglomerate_stream_deltas(deltas))

    return functools.wraps(plain)(generate_stream)


def _trouble(error: BaseException) -> BaseException:
    """What a model call raised; what smolagents stumbled over as it read the answer is the provider's, which sent none that can be read."""
    if not isinstance(error, _UNREAD):
        return error
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    if frame.f_globals.get("__name__") != models.__name__ or frame.f_code.co_name not in (
        "generate",
        "generate_stream",
    ):
        return error
    made = ModelError(f"smolagents can't read what the provider answered: {type(error).__name__}: {error}")
    made.__cause__ = error
    return made


_UNREAD = (AttributeError, TypeError, LookupError, AssertionError)


def _begin(turn: Turn, model: Any) -> LlmEvent:
    agent = turn.env.metadata.get(AGENT)
    names = [] if agent is None else [*tools.held(agent), *tools.extra(agent)]
    away = agent is not None and tools.is_out_of_reach(agent)
    beyond = [*hosted(model), *(names if away else ())]
    hosts(turn, beyond)  # also of an agent that was built in the turn
    event: LlmEvent = tell(turn, turn.asks([] if away else map(tool_offered, names), hosted=beyond))
    return event


def _end(turn: Turn, event: LlmEvent, model: Any, message: Any) -> None:
    raw = getattr(message, "raw", None)
    named = getattr(raw, "model", None)
    event.model = named if isinstance(named, str) else getattr(model, "model_id", None)
    event.usage = _usage(getattr(message, "token_usage", None), raw, event.model)
    agent = turn.env.metadata.get(AGENT)
    calls, answers = [], []
    for call in getattr(message, "tool_calls", None) or ():
        given = call.function.arguments
        asked = ToolCall(name=str(call.function.name), arguments=tools.as_arguments(given), id=str(call.id or ""))
        if agent is not None and tools.is_output(agent.tools.get(asked.name)):
            answers.append(as_text((asked.parsed() or {}).get("answer", given)))
        else:
            calls.append(asked)
    content = text_of(message.content) or ("" if calls else "\n".join(answers))
    event.message = Message(
        role="assistant", content=content, tool_calls=tuple(calls), usage=event.usage, model=event.model
    )
    tell(turn, turn.said(event))


def text_of(content: Any) -> str:
    """The text of a message's content, out of its blocks where it has some."""
    if content is None or isinstance(content, str):
        return content or ""
    blocks = content if isinstance(content, list) else []
    return "".join(str(block.get("text") or "") for block in blocks if isinstance(block, dict))


def hosted(model: Any) -> list[str]:
    """The tools that the model's provider runs, by its settings."""
    settings = getattr(model, "kwargs", None)
    if not isinstance(settings, dict):
        return []
    named = [tool for tool in settings.get("tools") or () if isinstance(tool, dict) and tool.get("type") != "function"]
    names = [str(tool.get("name") or tool.get("type")) for tool in named]
    return [*names, *(["web_search"] if settings.get("web_search_options") is not None else ())]


def _usage(used: Any, raw: Any, model: str | None) -> Usage | None:
    """What a model call used; a stream of which nothing was reported counts 0."""
    input, output = as_count(getattr(used, "input_tokens", None)), as_count(getattr(used, "output_tokens", None))
    if not input and not output:
        return None
    details = getattr(getattr(raw, "usage", None), "prompt_tokens_details", None)
    made = Usage(input=input, output=output, cache_read=as_count(getattr(details, "cached_tokens", None)))
    return price(made, model)
