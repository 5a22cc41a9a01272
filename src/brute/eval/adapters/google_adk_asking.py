"""The models of Google ADK: what they answer, as a turn is told of it, and those that are asked past the run's plugins."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

from google.genai import types

from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..foreign import current
from . import aside
from .base import hides, price
from .line import asking
from .patching import watch

WATCHES = "brute.google_adk.watches"
"""Where the env's metadata of a whole turn holds the watches on its runs, each with the requests that it has heard of and waits for."""


def listen(agents: list[Any], app: Any = None) -> None:
    """Put the models of the agents, and the one that sums up an app's events, under watch. Outside a turn nothing changes."""
    for model in _models(agents, app):
        watch(type(model), "generate_content_async", _generate_content_async)


def _models(agents: list[Any], app: Any) -> Iterator[Any]:
    for each in agents:
        # Of a name that no client is known for, the run itself complains.
        with contextlib.suppress(Exception):
            yield each.canonical_model
    summarizer = getattr(getattr(app, "events_compaction_config", None), "summarizer", None)
    own = getattr(summarizer, "_llm", None)
    if own is not None:
        yield own


def _generate_content_async(owner: type, plain: Any) -> Any:
    @functools.wraps(plain)
    def generate_content_async(self: Any, llm_request: Any, *given: Any, **named: Any) -> AsyncIterator[Any]:
        parts: AsyncIterator[Any] = plain(self, llm_request, *given, **named)
        turn = current.get()
        if turn is None or asking.get():
            return parts
        watches = turn.root.env.metadata.get(WATCHES, ())
        if any(llm_request is request for each in watches for _, request in each.asking.values()):
            return aside.within(parts)
        beyond = hosted_by(llm_request.config)
        hides(turn, beyond)
        return aside.heard(turn, parts, functools.partial(_ended, self), lambda part: not part.partial, beyond)

    return generate_content_async


def _ended(model: Any, event: LlmEvent, parts: list[Any]) -> None:
    event.model = getattr(model, "model", None)
    for part in parts[-1:]:
        answered(event, part, set())


def answered(event: LlmEvent, response: Any, output: set[str]) -> None:
    """Set what the model answered; `output` are the tools by which it hands over structured output, which are no calls."""
    event.model = response.model_version or event.model
    event.usage = _usage(response.usage_metadata, event.model)
    parts = (response.content.parts if response.content else None) or []
    calls = tuple(
        ToolCall(id=part.function_call.id or "", name=part.function_call.name, arguments=part.function_call.args)
        for part in parts
        if part.function_call and part.function_call.name not in output
    )
    text = text_of(response.content) if response.content else ""
    event.message = Message(role="assistant", content=text, tool_calls=calls, usage=event.usage, model=event.model)


def text_of(content: Any) -> str:
    """What was said, without what was thought."""
    return "".join(part.text or "" for part in content.parts or [] if not part.thought)


def _usage(reported: Any, model: str | None) -> Usage | None:
    if reported is None or not reported.prompt_token_count:
        return None
    made = Usage(
        input=as_count(reported.prompt_token_count),
        # What the model thought is output too, and is paid for as such.
        output=(reported.candidates_token_count or 0) + (reported.thoughts_token_count or 0),
        cache_read=as_count(reported.cached_content_token_count),
    )
    return price(made, model)


def hosted_by(config: Any) -> list[str]:
    """The tools that Google runs."""
    found = []
    for tool in config.tools or []:
        given = tool.model_dump(exclude_none=True) if isinstance(tool, types.Tool) else {}
        found += [name for name in given if name != "function_declarations"]
    return found
