"""How a home-made loop tells what it does: its tool calls, which can be stubbed then, and its model calls.

```python
from brute.eval import trace

async def agent(messages):
    while True:
        async with trace.model_call("gpt-5") as request:
            answer = await client.chat(messages)
            request.used(input=answer.usage.input, output=answer.usage.output)
        if not answer.calls:
            return answer.text
        for asked in answer.calls:
            async with trace.tool_call(asked.name, asked.arguments, id=asked.id) as call:
                result = await call.run(TOOLS[asked.name])
            messages.append({"role": "tool", "content": result, "tool_call_id": asked.id})
```

Outside an attempt none of it does anything: `call.run` runs the tool. A turn that reported nothing is one of which nothing was seen,
unless the function is marked with `@trace.agent(tools=[...])`, which promises that what it does is reported, and names its tools.
"""

from __future__ import annotations

import contextlib
import contextvars
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..calling import inside
from ..errors import UsageError, literal
from ..hooks import UNSET, LlmEvent, ToolEvent
from ..leaves import call_leaf
from ..messages import Message, ToolCall, Usage
from . import unreached
from .foreign import Turn, current
from .frameworks import MARK
from .known import Known, served
from .stubs import StubError

F = TypeVar("F", bound=Callable[..., Any])

REPORTED = "brute.reported"
"""Where a turn notes what kinds of things it reported."""


def agent(*, tools: Iterable[str]) -> Callable[[F], F]:
    """Mark a function as an agent that reports each of its calls, and has these tools.

    >>> @agent(tools=["search"])
    ... async def news(said: str) -> str: ...
    """
    names = [tools] if isinstance(tools, str) else list(tools)
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"trace.agent: tools are names, got {literal(name)}")

    def mark(function: F) -> F:
        setattr(function, MARK, names)
        return function

    return mark


def tool_call(name: str, arguments: Mapping[str, Any] | str | None = None, *, id: str = "") -> TracedCall:
    """A tool call, to be held around what runs the tool: `async with trace.tool_call(name, arguments) as call`."""
    return TracedCall(ToolCall(name=name, arguments=arguments, id=id))


def model_call(model: str | None = None) -> TracedRequest:
    """A model call, to be held around it: `async with trace.model_call("gpt-5") as request`."""
    return TracedRequest(model)


class TracedCall:
    """A tool call under way.

    `answered` says that the tool must not run, `result` is then what stands for what it would have answered; the agent sets
    `result` where it ran the tool by itself. A stub that raises does so as the `async with` begins, as the tool would.
    """

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.answered = False
        self._result: Any = UNSET
        self._turn: Turn | None = None
        self._event: ToolEvent | None = None
        self._inside: contextvars.Token[ToolEvent | None] | None = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that the tool gets."""
        event = self._event
        given = self.call.parsed() if event is None else event.arguments
        return dict(given or {})

    @property
    def result(self) -> Any:
        """What the tool answered, or what was served in its stead; None before that."""
        return None if self._result is UNSET else self._result

    @result.setter
    def result(self, value: Any) -> None:
        if self.answered and value is not self._result:
            stop = StubError(unreached.ran_beside(self.call.name))
            if self._turn is not None:
                self._turn.root.stop = self._turn.root.stop or stop
            raise stop
        self._result = value

    async def run(self, function: Callable[..., Any]) -> Any:
        """What was served, or else what `function(**arguments)` answers, be it sync or async; refused in an attempt outside of the `async with`."""
        turn = current.get()
        if turn is not None and self._event is None:
            turn.root.stop = turn.root.stop or StubError(unreached.never_entered(self.call.name))
            raise turn.root.stop
        if not self.answered:
            self._result = await call_leaf(function, **self.arguments)
        return self._result

    async def __aenter__(self) -> TracedCall:
        """The call begins."""
        turn = self._turn = current.get()
        if turn is None:
            return self
        turn.env.metadata.setdefault(REPORTED, set()).update(("calls", "order"))
        self._event = event = await turn.begin(self.call, tool=Known(self.call.name))
        if event.outcome is not None:
            self.answered = True
            await turn.end(event)
            self._result = served(event)
        else:
            self._inside = inside.set(event)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trail: types.TracebackType | None
    ) -> None:
        """The call is over."""
        if self._inside is not None:
            with contextlib.suppress(ValueError):  # ended in another context than it began in
                inside.reset(self._inside)
        if self._turn is not None and self._event is not None and not self.answered:
            await self._turn.end(self._event, self._result, error=error)


class TracedRequest:
    """A model call under way: `used(...)` says what it used, `said(...)` what the model said, as far as the agent wants that known."""

    def __init__(self, model: str | None = None) -> None:
        self.model = model
        self.usage: Usage | None = None
        self._message: Message | None = None
        self._turn: Turn | None = None
        self._event: LlmEvent | None = None

    def used(self, *, input: int | None = None, output: int | None = None, **more: Any) -> None:
        """Note the tokens (`input` and `output` count all, `cache_read` and `cache_write` say how many of the input) and the `cost` in dollars."""
        self.usage = Usage(input=input, output=output, **more)

    def said(self, text: str = "", calls: Iterable[tuple[str, Any] | ToolCall] = ()) -> None:
        """Note what the model said, and the calls that it asked for, as (name, arguments)."""
        made = tuple(
            each if isinstance(each, ToolCall) else ToolCall(name=each[0], arguments=each[1]) for each in calls
        )
        self._message = Message(role="assistant", content=text, tool_calls=made)

    async def __aenter__(self) -> TracedRequest:
        """The call begins."""
        turn = self._turn = current.get()
        if turn is not None:
            turn.env.metadata.setdefault(REPORTED, set()).update(("calls", "order", "usage", "iterations"))
            self._event = await turn.asks()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trail: types.TracebackType | None
    ) -> None:
        """The call is over."""
        if self._turn is not None and self._event is not None:
            event = self._event
            event.usage, event.model, event.message = self.usage, self.model, self._message
            await self._turn.said(event, error=error)
