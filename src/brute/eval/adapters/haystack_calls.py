"""The calls of Haystack's tools under watch: the turn is asked before a tool runs, and what it answers becomes what the framework makes of it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from typing import Any

from haystack.components.agents import Agent, State
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool
from haystack.tools.errors import ToolInvocationError

from ...calling import as_text, inside, working
from ...messages import ToolCall
from ...schemas import misfits
from ...tools import BadArguments
from ..bridging import wait
from ..foreign import Turn
from ..known import Known, served
from .line import Line
from .signatures import unfit

BLOCKING = "brute.haystack.blocking"
"""Where an env's metadata holds the line that knows the tools whose blocking code runs; what they tell goes another way."""

pending: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("brute_haystack_pending", default=None)
"""The calls that an agent is about to run, as it will."""

tasks: contextvars.ContextVar[set[Any] | None] = contextvars.ContextVar("brute_haystack_tasks", default=None)
"""The tasks in which it runs them."""

through: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_haystack_through", default=None)
"""The tool whose own `invoke` runs here, after the turn was asked."""

_ONCE, _ONCE_ASYNC = Tool.invoke, Tool.invoke_async


class Fitting(Known):
    """A tool of Haystack, which checks nothing but whether its function takes the arguments: the schema is the harness's to keep."""

    __slots__ = ("beside", "real")

    def __init__(self, tool: Any, beside: dict[str, Any]) -> None:
        super().__init__(tool.name, tool.parameters)
        self.real, self.beside = tool, beside

    def validated(self, arguments: Any) -> dict[str, Any]:
        """The arguments as they came; `BadArguments` where the function or the schema refuses them."""
        self.taken(arguments)
        wrong = misfits(self._parameters or {}, arguments)
        if wrong:
            raise BadArguments("; ".join(wrong))
        return dict(arguments)

    def taken(self, arguments: Any) -> None:
        """Raise `BadArguments` where the function would not take the arguments."""
        for function in (self.real.function, self.real.async_function):
            error = None if function is None else unfit(function, {**arguments, **self.beside})
            if error is not None:
                raise BadArguments(str(error)) from error


class Invocation:
    """One call of a tool: as the model asked for it, and what the framework hands over beside that."""

    def __init__(self, turn: Turn, tool: Any, given: dict[str, Any]) -> None:
        self.turn, self.tool, self.given = turn, tool, given
        asked = _taken(tool.name, given)
        arguments = given if asked is None else asked.arguments
        self.beside = {} if asked is None else {k: v for k, v in given.items() if v is not arguments.get(k, _UNGIVEN)}
        self.known = Fitting(tool, self.beside)
        self.asked = ToolCall(
            id="" if asked is None else id_of(asked),
            name=tool.name,
            arguments=dict(arguments) if asked is None else asked.arguments,
        )
        self.failed: list[ToolInvocationError] = []

    async def run(self, plain: Any) -> Any:
        """What the tool answers, in async code."""
        mine = tasks.get()
        if mine is not None:
            mine.add(asyncio.current_task())
        ran: list[Any] = []

        async def body(arguments: dict[str, Any]) -> Any:
            with _Body(self, plain):
                try:
                    self.known.taken(arguments)
                    if plain is _ONCE_ASYNC and self.tool.async_function is None:
                        # As it would itself, but past its `invoke`, for which the turn is asked already.
                        ran.append(await asyncio.to_thread(self._blocks, _ONCE, arguments))
                    else:
                        ran.append(await plain(self.tool, **{**arguments, **self.beside}))
                except ToolInvocationError as error:
                    self.failed.append(error)
            return self.value(ran)

        event = await self.turn.call(self.asked, body, tool=self.known)
        self.raises()
        return ran[0] if ran and event.outcome == "ran" else await _ONCE_ASYNC(self.stand_in(event), **self.given)

    def run_blocking(self, plain: Any) -> Any:
        """What the tool answers, in blocking code."""
        event, ran = wait(self.turn.begin(self.asked, tool=self.known)), []
        if event.outcome is not None:
            wait(self.turn.end(event))
            return _ONCE(self.stand_in(event), **self.given)
        try:
            with working(event), _Body(self, plain):
                self.known.taken(event.arguments or {})
                try:
                    ran.append(self._blocks(plain, event.arguments or {}))
                except ToolInvocationError as error:
                    self.failed.append(error)
            value = self.value(ran)
        except Exception as error:
            wait(self.turn.end(event, error=error))
        except BaseException as error:
            wait(self.turn.end(event, error=error))
            raise
        else:
            wait(self.turn.end(event, value))
        self.raises()
        return ran[0] if event.outcome == "ran" else _ONCE(self.stand_in(event), **self.given)

    def _blocks(self, plain: Any, arguments: dict[str, Any]) -> Any:
        """What the tool's own blocking code answers."""
        line: Line | None = self.turn.root.env.metadata.get(BLOCKING)
        with contextlib.nullcontext() if line is None else line.body(self.tool.name):
            return plain(self.tool, **{**arguments, **self.beside})

    def value(self, ran: list[Any]) -> Any:
        """What the real tool answered, as it is read; raises what it raised, without the framework's wrapping."""
        if not ran:
            raise self.failed[0].__cause__ or self.failed[0]
        message = ran[0].get("last_message") if isinstance(ran[0], dict) else None
        return (message.text or "") if isinstance(message, ChatMessage) else ran[0]

    def raises(self) -> None:
        """Raise what the framework made of what the real tool raised."""
        if self.failed:
            raise self.failed[0]

    def stand_in(self, event: Any) -> Any:
        """A tool that answers what is served, or raises it: so that the framework makes of it what it makes of the real one's."""

        def function(**given: Any) -> Any:
            answer = served(event)
            if isinstance(answer, dict) or not isinstance(getattr(self.tool, "_component", None), Agent):
                return answer
            said = ChatMessage.from_assistant(as_text(answer))
            return {"messages": [said], "last_message": said, "exit_reason": "text", "step_count": 1}

        async def async_function(**given: Any) -> Any:
            return function(**given)

        made: Any = object.__new__(Tool)
        made.name, made.function, made.async_function = self.tool.name, function, async_function
        return made


class _Body:
    """Held around a tool's own code: what runs there is none of the agent's calls, and may steer the agent by its state."""

    def __init__(self, call: Invocation, plain: Any) -> None:
        self.call = call
        # What the framework's own `invoke` runs is the user's, who may invoke the tool again.
        self.leads = None if plain in (_ONCE, _ONCE_ASYNC) else call.tool

    def __enter__(self) -> None:
        hearing = inside.get()
        if hearing is not None and any(isinstance(each, State) for each in self.call.beside.values()):
            hearing.steered = "state"
        self.tokens = (through.set(self.leads), pending.set(None), tasks.set(None))

    def __exit__(self, *error: Any) -> None:
        variables: Any = (through, pending, tasks)
        for variable, token in zip(variables, self.tokens, strict=True):
            variable.reset(token)


_UNGIVEN = object()


def _taken(name: str, given: dict[str, Any]) -> Any:
    """The call that the agent runs by these arguments, out of those that it is about to run."""
    waiting = pending.get() or []
    for call in waiting:
        if call.tool_name == name and all(
            _is(given.get(key, _UNGIVEN), value) for key, value in call.arguments.items()
        ):
            waiting.remove(call)
            return call
    return None


def _is(given: Any, asked: Any) -> bool:
    return given is asked or isinstance(given, State) or bool(given == asked)


def id_of(call: Any) -> str:
    """The id of a call, as its model gave it."""
    return str((call.extra or {}).get("call_id") or call.id or "")
