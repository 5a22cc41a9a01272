"""What a conversation is made of: messages, the tool calls that they ask for, and what a model call used."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one model call used, in tokens; what the provider did not report is None, never 0.

    >>> Usage(input=10, output=2).total
    12
    >>> print(Usage(input=10).total)
    None
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cost: float | None = None
    """US dollars, where the price of the model is known."""

    @property
    def total(self) -> int | None:
        """Input and output together, or None where one of them was not reported."""
        return None if self.input is None or self.output is None else self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        """Both together; a field that either side did not report stays unknown."""
        pairs = ((getattr(self, f), getattr(other, f)) for f in _USAGE_FIELDS)
        return Usage(
            **dict(zip(_USAGE_FIELDS, (None if a is None or b is None else a + b for a, b in pairs), strict=True))
        )


_USAGE_FIELDS = tuple(f.name for f in dataclasses.fields(Usage))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call that a model asked for; `arguments` as they came: a mapping, JSON text, or nothing."""

    name: str
    arguments: Mapping[str, Any] | str | None = None
    id: str = ""

    def parsed(self) -> dict[str, Any] | None:
        """The arguments as a dict; None when they are malformed. Nothing, `{}` and `""` are one: no arguments."""
        if isinstance(self.arguments, Mapping):
            return dict(self.arguments)
        if self.arguments is None or (isinstance(self.arguments, str) and not self.arguments.strip()):
            return {}
        try:
            value = json.loads(self.arguments)
        except (TypeError, ValueError, RecursionError):
            return None
        return {} if value is None or value == "" else value if isinstance(value, dict) else None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a conversation.

    `role` is one of system, user, assistant, tool. A `tool` message answers the call `tool_call_id`, and
    `failed` says that the tool did not work. An assistant message carries the `usage` of the model call that made it,
    and the name of the `model` where it is known.

    >>> Message(role="assistant", content="Hello.").content
    'Hello.'
    """

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    usage: Usage | None = None
    model: str | None = None
    failed: bool = False

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            from .errors import UsageError, did_you_mean

            raise UsageError(
                f"a message's role must be one of {', '.join(ROLES)}; got {self.role!r}{did_you_mean(self.role, ROLES)}"
            )
        if self.content is None:
            object.__setattr__(self, "content", "")
        if not isinstance(self.content, str):
            self._refuse(f"content must be a text, got {self.content!r:.80}")
        if self.tool_calls is None or isinstance(self.tool_calls, (str, ToolCall)):
            self._refuse(f"tool_calls must be a list of ToolCalls, got {self.tool_calls!r:.80}")
        if not isinstance(self.tool_calls, tuple):
            object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        for call in self.tool_calls:
            if not isinstance(call, ToolCall):
                self._refuse(f"tool_calls must be ToolCalls, got {call!r:.80}")

    def _refuse(self, why: str) -> None:
        from .errors import UsageError

        raise UsageError(f"a message's {why}")


class Messages(list[Message]):
    """A conversation: a list of messages with a word for each kind that one adds.

    >>> log = Messages().user("hi").assistant("hello")
    >>> [m.role for m in log], log.reply
    (['user', 'assistant'], 'hello')
    """

    def system(self, text: str) -> Messages:
        """Add what the model is told before everything else."""
        return self._add(Message(role="system", content=text))

    def user(self, text: str) -> Messages:
        """Add what the user said."""
        return self._add(Message(role="user", content=text))

    def assistant(self, text: str = "", tool_calls: Iterable[ToolCall] = (), *, usage: Usage | None = None) -> Messages:
        """Add what the model said, the calls that it asks for, and what saying it used."""
        return self._add(Message(role="assistant", content=text, tool_calls=tuple(tool_calls), usage=usage))

    def tool(self, text: str, tool_call_id: str | None = None, *, failed: bool = False) -> Messages:
        """Add what a tool answered to the call `tool_call_id`."""
        return self._add(Message(role="tool", content=text, tool_call_id=tool_call_id, failed=failed))

    def _add(self, message: Message) -> Messages:
        self.append(message)
        return self

    @property
    def reply(self) -> str:
        """The text of the last message, if the assistant wrote it and it asks for no tool; else an empty text."""
        return reply_of(self)


def reply_of(messages: list[Message]) -> str:
    """The text of the last message, if the assistant wrote it and it asks for no tool; else an empty text."""
    last = messages[-1] if messages else None
    return last.content if last is not None and last.role == "assistant" and not last.tool_calls else ""
