"""The tools of CrewAI under watch: whichever way one is called in a turn, a double of it asks the turn before its body runs."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from crewai.tools import BaseTool
from crewai.tools.structured_tool import CrewStructuredTool

from ...calling import working
from ...hooks import ToolEvent
from ...messages import ToolCall
from ..bridging import wait
from ..foreign import Turn, current
from ..known import served
from .base import tool_accepting
from .crewai_parts import name_of

asking: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_crewai_asking", default=None)
"""The model call that goes on here: what a model asks in its turn is a part of it, but not what a tool does that the model runs."""

T = TypeVar("T")
Whose = Callable[[Any, str], Turn | None]

DONE = "brute.crewai.done"
"""Where the env's metadata holds what calls came to, which CrewAI answers out of its cache when they are made again."""

RUNNING = "brute.crewai.running"
"""Where it holds the tasks of async tools, each with its loop, which are cancelled when the turn is over."""

_COUNTING = ("_claim_usage", "has_reached_max_usage_count", "_increment_usage_count")
"""By what CrewAI counts a tool's uses, which several threads may do at once: on the tool itself, and no double."""

_BLOCKING, _ASYNC = ("run", "invoke"), ("arun", "ainvoke")
_RUNS = (*_BLOCKING, *_ASYNC)


def watch_tools(whose: Whose) -> None:
    """Let doubles run in the place of tools, of as many classes as there are by now, in a turn: `whose(tool, name)` tells in which."""
    waiting: list[Any] = [BaseTool, CrewStructuredTool]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        own = vars(kind)
        if own.keys().isdisjoint(_RUNS):
            continue  # as most
        for name in _RUNS:
            plain = own.get(name)
            if plain is None or hasattr(plain, "brute_watches"):
                continue
            made = _blocking(plain, whose) if name in _BLOCKING else _async(plain, whose)
            made.brute_watches = True
            setattr(kind, name, made)


def _blocking(plain: Any, whose: Whose) -> Any:
    @functools.wraps(plain)
    def run(self: Any, *args: Any, **named: Any) -> Any:
        turn = None if _is_double(self) else whose(self, name_of(self))
        if turn is None:
            return plain(self, *args, **named)
        body = Body(turn, self, _given(args, named))
        double = body.double()
        try:
            answer = plain(double, *args, **named)
        except Exception as error:
            if not body.ran:
                wait(turn.refused(body.asked, str(error)))
            raise
        finally:
            body.count(double)
        if not body.ran:
            wait(turn.refused(body.asked, str(answer)))  # it was used often enough
        return answer

    return run


def _async(plain: Any, whose: Whose) -> Any:
    @functools.wraps(plain)
    async def arun(self: Any, *args: Any, **named: Any) -> Any:
        turn = None if _is_double(self) else whose(self, name_of(self))
        if turn is None:
            return await plain(self, *args, **named)
        body = Body(turn, self, _given(args, named))
        double = body.double()
        try:
            answer = await plain(double, *args, **named)
        except Exception as error:
            if not body.ran:
                await turn.refused(body.asked, str(error))
            raise
        finally:
            body.count(double)
        if not body.ran:
            await turn.refused(body.asked, str(answer))
        return answer

    return arun


def _given(args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """What the tool was called with: by keywords, or, in the text way, as one mapping."""
    given = args[0] if args else named.get("input")
    if isinstance(given, (dict, str)):
        return given
    return dict(named)


def of(turn: Turn, name: str, kind: type[T]) -> T:
    """What the turn holds under this name; that of another framework's agent, in whose tool this one runs, has none yet."""
    held: T = turn.root.env.metadata.setdefault(name, kind())
    return held


def _is_double(tool: Any) -> bool:
    return "brute_body" in tool.__dict__


class Body:
    """What runs in the place of a tool's body: the turn is asked first. `ran`: it was come to."""

    def __init__(self, turn: Turn, tool: Any, given: Any) -> None:
        self.turn = turn
        self.tool = tool
        self.asked = ToolCall(id="", name=name_of(tool), arguments=given)
        self.known = tool_accepting(self.asked.name)
        self.ran = False
        self.used = 0

    def double(self) -> Any:
        """A copy of the tool with another body; the check of arguments and the count of its uses stay the framework's."""
        made = self.tool.model_copy()
        self.used = made.current_usage_count
        made.__dict__["brute_body"] = self
        for name in _COUNTING:
            counts = getattr(self.tool, name, None)
            if counts is not None:
                made.__dict__[name] = counts
        if "func" in type(self.tool).model_fields:
            made.__dict__["func"] = functools.partial(self, self.tool.func)
        else:
            object.__setattr__(made, "__class__", _doubles(cast("Any", type(self.tool))))
        return made

    def count(self, double: Any) -> None:
        """Count on the tool what a class with a way of its own has counted on the double."""
        more = double.current_usage_count - self.used
        if more:
            self.tool.__dict__["current_usage_count"] += more

    def __call__(self, real: Any, /, *args: Any, **given: Any) -> Any:
        """Run the real body, or serve what stands for its answer."""
        self.ran = True
        if inspect.iscoroutinefunction(real):
            return self._awaited(real, given)
        event = wait(self._begun(given))
        if event.outcome is not None:
            return self._noted(event)
        try:
            with working(event), _within(self.turn):
                answer = real(*args, **(event.arguments or {}))
        except BaseException as error:
            wait(self.turn.end(event, error=error))
            raise
        if asyncio.iscoroutine(answer):
            return self._finished(event, answer)
        wait(self.turn.end(event, answer))
        return self._noted(event)

    async def _begun(self, given: dict[str, Any]) -> ToolEvent:
        """The event of the call, which is over already where the tool must not run: each wait for another thread costs something."""
        event = await self.turn.begin(self.asked, tool=self.known, arguments=given)
        if event.outcome is not None:
            await self.turn.end(event)
        return event

    async def _awaited(self, real: Any, given: dict[str, Any]) -> Any:
        event = await self._begun(given)
        if event.outcome is not None:
            return self._noted(event)
        return await self._finished(event, real(**(event.arguments or {})))

    async def _finished(self, event: ToolEvent, answer: Any) -> Any:
        running = of(self.turn, RUNNING, list)
        entry = asyncio.get_running_loop(), asyncio.current_task()
        running.append(entry)
        try:
            with working(event), _within(self.turn):
                result = await answer
        except BaseException as error:
            await self.turn.end(event, error=error)
            raise
        finally:
            running.remove(entry)
        await self.turn.end(event, result)
        return self._noted(event)

    def _noted(self, event: ToolEvent) -> Any:
        answer = served(event)
        of(self.turn, DONE, dict)[key_of(event.call)] = event.outcome, answer
        return answer


@functools.cache
def _doubles(kind: Any) -> Any:
    def _run(self: Any, *args: Any, **given: Any) -> Any:
        body: Body = self.__dict__["brute_body"]
        return body(body.tool._run, *args, **given)

    async def _arun(self: Any, *args: Any, **given: Any) -> Any:
        body: Body = self.__dict__["brute_body"]
        answer = body(body.tool._arun, *args, **given)
        return await answer if inspect.isawaitable(answer) else answer

    return type(kind.__name__, (kind,), {"_run": _run, "_arun": _arun, "__module__": kind.__module__})


@contextlib.contextmanager
def _within(turn: Turn) -> Iterator[None]:
    # CrewAI hands some tools to threads without their context.
    before, asked = current.set(turn), asking.set(None)
    try:
        yield
    finally:
        asking.reset(asked)
        current.reset(before)


def key_of(call: ToolCall) -> tuple[str, str]:
    """By what a call is known that is made again."""
    return call.name, json.dumps(call.parsed(), sort_keys=True, default=str)
