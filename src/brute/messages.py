"""What a conversation is made of: messages, the tool calls that they ask for, and what a model call used."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .errors import UsageError, did_you_mean, literal
from .given import MISSING, opened, put, refuse_arguments, signed, take
from .usage import Usage as Usage
from .usage import as_cost as as_cost
from .usage import as_count as as_count

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")


@signed
@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ToolCall:
    """One tool call that a model asked for; `arguments` as they came: a mapping, JSON text, or nothing."""

    name: str
    arguments: Mapping[str, Any] | str | None = None
    id: str = ""

    if TYPE_CHECKING:

        def __init__(
            self, *, name: str, arguments: Mapping[str, Any] | str | None = None, id: str | None = ""
        ) -> None: ...

    else:

        def __init__(self, *args, name=MISSING, arguments=None, id="", **odd):
            if args or odd or name is MISSING:
                refuse_arguments(ToolCall, args, odd, name=name)
            if not isinstance(name, str):
                raise UsageError(f"a tool call's name must be a text, got {literal(name)}")
            if id is None:
                id = ""
            if not isinstance(id, str):
                raise UsageError(f"a tool call's id must be a text, got {literal(id)}")
            put(self, "name", name)
            put(self, "arguments", arguments)
            put(self, "id", id)

    def parsed(self) -> dict[str, Any] | None:
        """The arguments as a dict; None when they are malformed. Nothing, `{}` and `""` are one: no arguments."""
        if isinstance(self.arguments, (dict, Mapping)):
            return dict(self.arguments)
        if self.arguments is None or (isinstance(self.arguments, str) and not self.arguments.strip()):
            return {}
        try:
            value = _read(self.arguments)
        except (TypeError, ValueError, RecursionError):
            return None
        return {} if value is None or value == "" else value if isinstance(value, dict) else None


def _read(text: Any) -> Any:
    """What the JSON text says, made anew; one that is asked for again, as when its call is noted and then made, is read once."""
    if text.__class__ is str and len(text) < 10_000:
        try:
            return _fresh(_kept(text))
        except RecursionError:  # to copy it takes more room than to read it
            pass
    return json.loads(text)


_kept = functools.lru_cache(maxsize=128)(json.loads)


def _fresh(value: Any) -> Any:
    if value.__class__ is dict:
        return {name: each if each.__class__ is str else _fresh(each) for name, each in value.items()}
    return [_fresh(each) for each in value] if value.__class__ is list else value


@signed
@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, init=False)
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

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            role: Role,
            content: str | None = "",
            tool_calls: Iterable[ToolCall] = (),
            tool_call_id: str | None = None,
            usage: Usage | None = None,
            model: str | None = None,
            failed: bool = False,
        ) -> None: ...

    else:
        # Written out, for several are made in each turn, and what a dataclass writes takes three times as long.
        def __init__(
            self,
            *args,
            role=MISSING,
            content="",
            tool_calls=(),
            tool_call_id=None,
            usage=None,
            model=None,
            failed=False,
            **odd,
        ):
            if args or odd or role is MISSING:
                refuse_arguments(Message, args, odd, role=role)
            if self.__class__ is not Message:
                take(
                    self,
                    Message(
                        role=role, content=content, tool_calls=tool_calls, tool_call_id=tool_call_id, usage=usage, model=model, failed=failed,
                    ),
                )  # fmt: skip
                return
            if role not in ROLES:
                told = f"got {literal(role)}{did_you_mean(role, ROLES)}"
                raise UsageError(f"a message's role must be one of {', '.join(ROLES)}; {told}")
            if tool_calls.__class__ is not tuple:
                tool_calls = tool_calls if isinstance(tool_calls, tuple) else _listed(tool_calls)
            put(self, "__class__", _OpenMessage)
            self.role = role
            self.content = "" if content is None else content
            self.tool_calls = tool_calls
            self.tool_call_id = tool_call_id
            self.usage = usage
            self.model = model
            self.failed = failed
            self.__class__ = Message
            # What nearly every message is, and no call for each of them.
            if self.content.__class__ is not str or tool_calls or tool_call_id is not None or usage is not None:
                self._check()

    def _check(self) -> None:
        if not isinstance(self.content, str):
            raise _refused(f"content must be a text, got {literal(self.content)}")
        for call in self.tool_calls:
            if not isinstance(call, ToolCall):
                raise _refused(f"tool_calls must be ToolCalls, got {literal(call)}")
        if self.tool_call_id is not None and not isinstance(self.tool_call_id, str):
            raise _refused(f"tool_call_id must be a text or None, got {literal(self.tool_call_id)}")
        if self.usage is not None and not isinstance(self.usage, Usage):
            raise _refused(f"usage must be a Usage or None, got {literal(self.usage)}")


_OpenMessage = opened(Message)


def plain(role: Role, content: str) -> Message:
    """A message of a text and nothing else, from arguments that need no looking at: made in half the time."""
    made: Any = _NEW(_OpenMessage)
    made.role, made.content = role, content
    made.tool_calls, made.tool_call_id, made.usage, made.model, made.failed = (), None, None, None, False
    made.__class__ = Message
    message: Message = made
    return message


_NEW: Any = object.__new__


def _listed(calls: Any) -> tuple[Any, ...]:
    if isinstance(calls, (str, ToolCall)) or not isinstance(calls, Iterable):
        raise _refused(f"tool_calls must be a list of ToolCalls, got {literal(calls)}")
    return tuple(calls)


def _refused(why: str) -> UsageError:
    return UsageError(f"a message's {why}")


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
