"""Where what a model is asked may be written down, or be answered by something else than the model."""

from __future__ import annotations

import contextvars
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .env import Env
    from .messages import Message
    from .tools import Tool

Live = Callable[[], Awaitable[Any]]
"""What asks the model itself."""


class Tap(Protocol):
    """What stands between a turn and its models."""

    async def asked(self, kind: str, asked: Callable[[], dict[str, Any]], live: Live, code: Code) -> Any:
        """What a model answers to `asked()`, plain data that says all that the answer depends on."""
        ...

    async def completed(self, env: Env, live: Live) -> Any:
        """What a completion answers, where that asks no model that is known here."""
        ...


class Code(Protocol):
    """How a model's answers are told as plain data, and made of such data again."""

    def told(self, answer: Any) -> Any:
        """The answer as plain data."""
        ...

    def heard(self, data: Any) -> Any:
        """The answer that the data was told for."""
        ...


tapping: contextvars.ContextVar[Tap | None] = contextvars.ContextVar("brute_tapping", default=None)
"""The tap on the turn that runs here."""


async def asked(kind: str, asked: Callable[[], dict[str, Any]], live: Live, code: Code) -> Any:
    """What the model answers, through the tap on this turn where there is one."""
    tap = tapping.get()
    return await live() if tap is None else await tap.asked(kind, asked, live, code)


class Messages:
    """How messages are told as plain data."""

    def told(self, answer: Message) -> dict[str, Any]:
        """The message, with what it used."""
        used = {
            name: value
            for name in ("input", "output", "cache_read", "cache_write", "cost")
            if answer.usage is not None and (value := getattr(answer.usage, name)) is not None
        }
        about = {"model": answer.model} if answer.model is not None else {}
        return {**spoken(answer), **about, **({"usage": used} if answer.usage is not None else {})}

    def heard(self, data: Any) -> Message:
        """The message."""
        from .messages import Message, ToolCall, Usage

        used, calls, content = data.get("usage"), data.get("tool_calls", ()), data.get("content", "")
        if not isinstance(content, str) or not all(isinstance(call.get("arguments"), _ARGUMENTS) for call in calls):
            raise TypeError("a message with a content that is no text, or arguments that are no object")
        return Message(
            role=data["role"],
            content=content,
            tool_calls=tuple(ToolCall(**call) for call in calls),
            tool_call_id=data.get("tool_call_id"),
            failed=data.get("failed", False),
            usage=None if used is None else Usage(**used),
            model=data.get("model"),
        )


_ARGUMENTS = (dict, str, type(None))


def spoken(message: Message) -> dict[str, Any]:
    """A message as a model reads it."""
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": _given(call.arguments)} for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    if message.failed:
        made["failed"] = True
    return made


def _given(arguments: Any) -> Any:
    return arguments if arguments is None or isinstance(arguments, str) else dict(arguments)


def conversation(env: Env) -> dict[str, Any]:
    """What a model is asked in this env: the messages, and the tools that it is offered."""
    made: dict[str, Any] = {"messages": [spoken(message) for message in env.messages]}
    if env.tools:
        made["tools"] = [_offered(tool) for tool in env.tools]
    return made


def _offered(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
