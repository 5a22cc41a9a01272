"""The models of Strands: what a call of one used, and those that are asked past the hooks of any agent."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from typing import Any

from ...hooks import LlmEvent
from ...messages import Message, Usage, as_count
from ..foreign import current
from . import aside
from .base import hosts, price
from .line import asking
from .patching import watch

RUN = "brute.strands.run"
"""Where an env's metadata holds the run."""


def listen(kind: type) -> None:
    """Put what models of this class are asked under watch. Outside a turn nothing changes."""
    watch(kind, "stream", lambda owner, plain: _watched(plain, "metadata"))
    watch(kind, "structured_output", lambda owner, plain: _watched(plain, "output"))


def _watched(plain: Any, last: str) -> Any:
    @functools.wraps(plain)
    def ask(self: Any, *given: Any, **named: Any) -> AsyncIterator[Any]:
        parts: AsyncIterator[Any] = plain(self, *given, **named)
        turn = current.get()
        run = None if turn is None else turn.env.metadata.get(RUN)
        if turn is None or run is None or asking.get():
            return parts
        if run.asking is not None and not run.is_asked:
            run.is_asked = True
            return aside.within(parts)
        beyond = hosted(self)
        hosts(turn, beyond)
        return aside.heard(turn, parts, functools.partial(_ended, self), lambda part: last in part, beyond)

    return ask


def _ended(model: Any, event: LlmEvent, parts: list[Any]) -> None:
    """Set what a model answered that no hook told of."""
    event.model = model.get_config().get("model_id")
    text = "".join((part.get("contentBlockDelta") or {}).get("delta", {}).get("text", "") for part in parts)
    used = next((part["metadata"].get("usage") for part in reversed(parts) if "metadata" in part), None)
    event.usage = usage_of(used, model, event.model)
    event.message = Message(role="assistant", content=text, usage=event.usage, model=event.model)


def usage_of(reported: Any, model: Any, name: str | None) -> Usage | None:
    """What a model call used; Strands writes 0 for what was not reported."""
    if not reported or not (reported["inputTokens"] or reported["outputTokens"]):
        return None
    read, written = reported.get("cacheReadInputTokens"), reported.get("cacheWriteInputTokens")
    # These two leave the cached tokens out of their input.
    apart = type(model).__module__.rpartition(".")[2] in ("anthropic", "bedrock")
    made = Usage(
        input=as_count(reported["inputTokens"] + ((read or 0) + (written or 0) if apart else 0)),
        output=as_count(reported["outputTokens"]),
        cache_read=as_count(read),
        cache_write=as_count(written),
    )
    return price(made, name)


def hosted(model: Any) -> list[str]:
    """The tools that the model's provider runs, by its settings."""
    settings = model.get_config()
    more, claude, gemini = settings.get("params"), settings.get("anthropic_tools"), settings.get("gemini_tools")
    if not (more or claude or gemini):
        return []
    given = [*((more or {}).get("tools") or ()), *(claude or ())]
    names = [str(tool.get("name") or tool.get("type")) for tool in given if isinstance(tool, dict)]
    for tool in gemini or ():
        names += list(tool.model_dump(exclude_none=True))
    return names
