"""What a conversation is made of: messages, the tool calls that they ask for, and what a model call used."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from .errors import UsageError, did_you_mean, literal

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")

_T = TypeVar("_T")


def _by_name(made: type[_T]) -> type[_T]:
    """The dataclass, which refuses arguments that it does not take in a sentence of ours."""
    plain: Any = made.__init__

    @functools.wraps(plain)
    def checked(self: Any, *args: Any, **given: Any) -> None:
        try:
            plain(self, *args, **given)
        except TypeError:
            _refuse_arguments(made, args, given)
            raise

    made.__init__ = checked  # type: ignore[method-assign]
    return made


def _refuse_arguments(made: Any, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
    """Raise `UsageError` for arguments that the dataclass does not take, or lacks."""
    fields = dataclasses.fields(made)
    names = [field.name for field in fields]
    if args:
        takes = ", ".join(f"{field.name}=" for field in fields if field.name in _FIRST)
        raise UsageError(
            f"{made.__name__} takes its arguments by name, got {literal(args[0])}; write {made.__name__}({takes})"
        )
    for name in given:
        if name not in names:
            raise UsageError(
                f'{made.__name__} has no argument "{name}"{did_you_mean(name, names)}; it takes {", ".join(names)}'
            )
    for field in fields:
        if field.name not in given and field.default is field.default_factory is dataclasses.MISSING:
            raise UsageError(f"{made.__name__} needs {field.name}=")


_FIRST = ("role", "content", "name", "arguments", "input", "output")
"""The arguments that nearly everyone gives."""


@_by_name
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

    def __post_init__(self) -> None:
        for value in (self.input, self.output, self.cache_read, self.cache_write):
            if value is not None and as_count(value) is None:
                name = next(name for name in _COUNTS if getattr(self, name) is value)
                raise UsageError(f"Usage: {name} must be a whole number >= 0 or None, got {literal(value)}")
        if self.cost is not None and as_cost(self.cost) is None:
            raise UsageError(f"Usage: cost must be a number >= 0 or None, got {literal(self.cost)}")

    def __add__(self, other: Usage) -> Usage:
        """Both together; a field that either side did not report stays unknown."""
        pairs = ((getattr(self, f), getattr(other, f)) for f in _USAGE_FIELDS)
        return Usage(
            **dict(zip(_USAGE_FIELDS, (None if a is None or b is None else a + b for a, b in pairs), strict=True))
        )


_USAGE_FIELDS = tuple(f.name for f in dataclasses.fields(Usage))
_COUNTS = tuple(name for name in _USAGE_FIELDS if name != "cost")


def as_count(value: Any) -> int | None:
    """The number of tokens that a provider reported, or None for what is no such number."""
    if value.__class__ is int:  # as nearly all are
        return value if value >= 0 else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def as_cost(value: Any) -> float | None:
    """The price that was reported or worked out, or None for what is no price."""
    right = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")
    return value if right else None


@_by_name
@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call that a model asked for; `arguments` as they came: a mapping, JSON text, or nothing."""

    name: str
    arguments: Mapping[str, Any] | str | None = None
    id: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise UsageError(f"a tool call's name must be a text, got {literal(self.name)}")
        if self.id is None:
            object.__setattr__(self, "id", "")
        if not isinstance(self.id, str):
            raise UsageError(f"a tool call's id must be a text, got {literal(self.id)}")

    def parsed(self) -> dict[str, Any] | None:
        """The arguments as a dict; None when they are malformed. Nothing, `{}` and `""` are one: no arguments."""
        if isinstance(self.arguments, (dict, Mapping)):
            return dict(self.arguments)
        if self.arguments is None or (isinstance(self.arguments, str) and not self.arguments.strip()):
            return {}
        try:
            value = json.loads(self.arguments)
        except (TypeError, ValueError, RecursionError):
            return None
        return {} if value is None or value == "" else value if isinstance(value, dict) else None


@_by_name
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
            told = f"got {literal(self.role)}{did_you_mean(self.role, ROLES)}"
            raise UsageError(f"a message's role must be one of {', '.join(ROLES)}; {told}")
        if self.content is None:
            object.__setattr__(self, "content", "")
        if not isinstance(self.content, str):
            self._refuse(f"content must be a text, got {literal(self.content)}")
        if not isinstance(self.tool_calls, tuple):
            if isinstance(self.tool_calls, (str, ToolCall)) or not isinstance(self.tool_calls, Iterable):
                self._refuse(f"tool_calls must be a list of ToolCalls, got {literal(self.tool_calls)}")
            object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        for call in self.tool_calls:
            if not isinstance(call, ToolCall):
                self._refuse(f"tool_calls must be ToolCalls, got {literal(call)}")
        if self.tool_call_id is not None and not isinstance(self.tool_call_id, str):
            self._refuse(f"tool_call_id must be a text or None, got {literal(self.tool_call_id)}")
        if self.usage is not None and not isinstance(self.usage, Usage):
            self._refuse(f"usage must be a Usage or None, got {literal(self.usage)}")

    def _refuse(self, why: str) -> None:
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
