"""The model calls of the Claude CLI, put together from what it says of them: those of the main thread, and those of each sub-agent."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio

from ...errors import ModelError
from ...hooks import LlmEvent, ToolEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..foreign import Turn
from ..known import Known
from .base import price

OUTPUT = "StructuredOutput"
"""The tool by which the model hands over structured output."""

_PASSING = {"rate_limit", "server_error", "overloaded", "unknown"}
"""What the CLI calls trouble with the model that another try may cure."""


class Lane:
    """One thread of model calls and their tools. `asks()` begins a request of its turn; `named(tool)` is what a tool is called here.

    The CLI tells each block of a message as it is whole, and may run its tool then. Of the main thread it tells the events of the
    stream too, by which the message is known to be complete; of sub-agents it does not, nor how many tokens they were answered with. `tokens` are those that were counted.
    """

    def __init__(self, turn: Turn, asks: Callable[[Turn], Awaitable[LlmEvent]], named: Callable[[str], str]) -> None:
        self.turn = turn
        self._asks = asks
        self._named = named
        self._asking: LlmEvent | None = None
        self._one = anyio.Lock()
        self._id: str | None = None
        self._open = self._streams = self._counted = False
        self._model: str | None = None
        self._usage: dict[str, Any] = {}
        self._blocks: list[Mapping[str, Any]] = []
        self._whole = anyio.Event()
        self.tokens = 0

    async def asks(self) -> None:
        """A model call begins, if none is under way."""
        async with self._one:
            if self._asking is None:
                self._asking = await self._asks(self.turn)

    async def streamed(self, event: Mapping[str, Any]) -> None:
        """An event of the stream in which the model answers."""
        kind = event.get("type")
        if kind == "message_start":
            await self._begins(event["message"], streams=True)
        elif kind == "message_delta":
            self._usage |= {name: value for name, value in (event.get("usage") or {}).items() if value is not None}
            self._counted = True
        elif kind == "message_stop":
            await self.ends()

    async def adds(self, message: Mapping[str, Any]) -> None:
        """A part of a message, or all of it."""
        if message.get("id") != self._id:
            await self._begins(message, streams=False)
        if self._open:
            self._blocks += message["content"]
        else:
            self._late(message["content"])

    async def fails(self, text: str, kind: str, status: int | None = None) -> None:
        """The model could not be asked, and the CLI gives up."""
        self._open = False
        asked, self._asking = self._asking, None
        self._whole.set()
        if asked is not None:
            await self.turn.said(asked, error=ModelError(text, status=status, transient=kind in _PASSING))

    @property
    def is_streaming(self) -> bool:
        """Whether a message is under way of which it will be told when it is complete."""
        return self._open and self._streams

    async def whole(self) -> None:
        """Wait until the message under way is complete; one that is not streamed is taken as it stands."""
        if self.is_streaming:
            await self._whole.wait()
        else:
            await self.ends()

    async def ends(self) -> None:
        """The message under way is complete."""
        if not self._open:
            return
        self._open = False
        asked, self._asking = self._asking, None
        assert asked is not None
        asked.model, asked.usage = self._model, self._used()
        self.tokens += (asked.usage.total or 0) if asked.usage is not None else 0
        text = "".join(block["text"] for block in self._blocks if block["type"] == "text")
        asked.message = Message(
            role="assistant", content=text, tool_calls=self._calls(), usage=asked.usage, model=asked.model
        )
        try:
            await self.turn.said(asked)
            for block in self._blocks:
                if block["type"].endswith("_tool_use"):
                    await self.turn.hosted(ToolCall(id=block["id"], name=block["name"], arguments=block.get("input")))
        finally:
            # Those who wait go on: what stops the turn is raised to them as well.
            self._whole.set()

    async def refused(self, asked: ToolCall, why: str) -> None:
        """A call that never came to its tool, kept from it by the user's own hook or permission: no stub is asked for an answer."""
        turn = self.turn
        iteration, place, call = turn.asked.take(asked, turn.iteration)
        event = ToolEvent(turn.env, call, iteration, place, Known(call.name), call.parsed(), agent=turn.agent)
        event.denied, event.outcome = why, "failed"
        try:
            await turn.emit("before_tool", event)
        finally:
            message = Message(role="tool", content=why, tool_call_id=call.id or None, failed=True)
            turn.asked.result(iteration, place, message)
            await turn.emit("after_tool", event)

    async def left(self) -> None:
        """The run is over: what is still asked for was given up."""
        await self.ends()
        asked, self._asking = self._asking, None
        if asked is not None:
            await self.turn.said(asked, error=asyncio.CancelledError())

    async def _begins(self, message: Mapping[str, Any], *, streams: bool) -> None:
        await self.ends()
        await self.asks()
        self._id, self._model = message.get("id"), message.get("model")
        self._usage, self._blocks = dict(message.get("usage") or {}), []
        self._open, self._streams, self._counted = True, streams, False
        self._whole = anyio.Event()

    def _calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(id=block["id"], name=self._named(block["name"]), arguments=block["input"])
            for block in self._blocks
            if block["type"] == "tool_use" and block["name"] != OUTPUT
        )

    def _late(self, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Blocks of a message that was taken for complete when its first tool began."""
        messages = self.turn.env.messages
        at = next((n for n, each in reversed(list(enumerate(messages))) if each.role == "assistant"), None)
        before = self._calls()
        self._blocks += blocks
        calls = (*before, *self._calls()[len(before) :])
        if at is not None:
            said = messages[at]
            # The calls that are known stay the very ones.
            calls = (*said.tool_calls, *calls[len(before) :])
            messages[at] = dataclasses.replace(said, tool_calls=calls)
        for place, call in list(enumerate(calls))[len(before) :]:
            self.turn.asked.waiting.append((self.turn.iteration, place, call))

    def _used(self) -> Usage | None:
        used = self._usage
        given = [used.get(name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")]
        if as_count(given[0]) is None:
            return None
        made = Usage(
            input=sum(as_count(each) or 0 for each in given),
            # What a message begins with is no count of what it came to.
            output=as_count(used.get("output_tokens")) if self._counted else None,
            cache_read=as_count(given[1]),
            cache_write=as_count(given[2]),
        )
        return price(made, self._model, "anthropic")
