"""The agent builder: layers, a terminal completion, and hooks; and the two doors that start a turn."""

from __future__ import annotations

import contextvars
import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from .env import Env
from .errors import UsageError, literal
from .hooks import DONE, Registry, Subscriber, TurnEvent
from .leaves import call_leaf, in_loop, in_thread
from .messages import Message
from .pipeline import Completion, Layer, build, hosted
from .signature import get_ready
from .tools import Tool

F = TypeVar("F", bound=Subscriber)
Input = str | Message | Sequence[Message] | None


turn_env: contextvars.ContextVar[Env | None] = contextvars.ContextVar("brute_turn", default=None)
"""The turn that runs here: an agent that is started in it is an inner one."""


class Agent:
    """What ships: a stack of middleware over a completion, with hooks that let others watch and take part.

    >>> from brute.testing import Script
    >>> Agent().run(Script(["hello"])).start("hi").reply
    'hello'
    """

    def __init__(self) -> None:
        self.hooks = Registry()
        self._layers: list[Layer] = []
        self._completion: Completion | None = None

    def use(self, middleware: Any, *options: Any, **named: Any) -> Agent:
        """Put a layer under those already there: a class taking `(app, *options)`; answers the agent.

        A class that has a static method `check_options(*options)` refuses bad options there, at once; a tuple that it answers is what
        is kept of them.
        """
        if not callable(middleware):
            raise UsageError(f"a middleware is a class taking (app, *options), got {literal(middleware)}")
        try:
            wrong = _misfit(middleware, len(options), *named)
        except (TypeError, ValueError):  # without a signature that can be read, or unhashable
            wrong = None
        if wrong is not None:  # every turn would break at it
            raise UsageError(wrong)
        check = getattr(middleware, "check_options", None)
        if check is not None:
            kept = check(*options, **named)
            if isinstance(kept, tuple):
                options, named = kept, {}
        self._layers.append((middleware, options, named))
        return self

    def run(self, completion: Completion) -> Agent:
        """Set the terminal: `completion(env)`, one model call; answers the agent."""
        if not callable(completion):
            raise UsageError(f"a completion must be callable with the env, got {literal(completion)}")
        self._completion = completion
        return self

    @overload
    def on(self, event: str) -> Callable[[F], F]: ...
    @overload
    def on(self, event: str, subscriber: Subscriber) -> Agent: ...
    def on(self, event: str, subscriber: Subscriber | None = None) -> Any:
        """Call `subscriber(payload)` at each `event` and answer the agent; without a subscriber, a decorator."""
        if subscriber is not None:
            self.hooks.on(event, subscriber)
            return self
        self.hooks.check(event)

        def decorate(function: F) -> F:
            self.hooks.on(event, function)
            return function

        return decorate

    @property
    def tools(self) -> list[Tool]:
        """The tools that the layers declare (a middleware class by a static method `declares_tools(*options)`).

        `UsageError` for one whose annotations name what there is not.
        """
        found: list[Tool] = []
        for middleware, options, named in self._layers:
            declared = getattr(middleware, "declares_tools", None)
            found += declared(*options, **named) if declared is not None else ()
        for tool in found:
            tool.resolve()
        return found

    @property
    def hosted(self) -> tuple[str, ...]:
        """The tools that the completion's provider runs by itself, as far as the completion says so."""
        return hosted(self._completion)

    async def ready(self) -> None:
        """Do now what the first model call or tool call would have to do first, so that it does not count as the turn's time.

        The completion says what that is (import a client, load a model) by a method `ready()`, sync or async; tools whose arguments are
        checked by a signature need pydantic.
        """
        if "pydantic.main" not in sys.modules and any(tool.by_signature for tool in self.tools):
            await in_thread(get_ready)
        ready = getattr(self._completion, "ready", None)
        if inspect.ismethod(ready):
            await call_leaf(ready)

    def start(self, input: Input = None) -> Env:
        """Run one turn to its end and answer its env; inside a running loop, `await agent.astart(...)`."""
        if in_loop():
            raise UsageError("start() was called inside a running event loop; write: await agent.astart(...)")
        import anyio

        return anyio.run(self.astart, input)

    async def astart(self, input: Input = None) -> Env:
        """Run one turn to its end and answer its env."""
        if self._completion is None:
            raise UsageError("this agent has no completion; add .run(completion)")
        env = Env(messages_of(input), self.hooks, turn_env.get())
        turn = TurnEvent(env)
        inside = turn_env.set(env)
        try:
            if (later := self.hooks.emit("before_turn", turn)) is not DONE:
                await later
            await build(self._layers, self._completion)(env)
        except BaseException as error:
            turn.error = error
            raise
        finally:
            turn_env.reset(inside)
            if (later := self.hooks.emit("after_turn", turn)) is not DONE:
                await later
        return env


@functools.lru_cache(maxsize=64)
def _misfit(middleware: Any, options: int, *named: str) -> str | None:
    """What is wrong with so many options, and named ones of these names; None where nothing is."""
    signature = inspect.signature(middleware)
    try:
        signature.bind(None, *range(options), **dict.fromkeys(named))
    except TypeError as error:
        called = getattr(middleware, "__name__", type(middleware).__name__)
        takes = ", ".join(map(str, list(signature.parameters.values())[1:])) or "no options"
        return f"{called} can't be used with these options: {error}; it takes {takes}"
    return None


def agent() -> Agent:
    """A new agent, to be built with `.use`, `.run` and `.on`."""
    return Agent()


def messages_of(input: Input) -> list[Message]:
    """What a turn starts with: a text is what the user said; messages are copied, never extended in place."""
    if isinstance(input, str):
        return [Message(role="user", content=input)]
    if input is None:
        return []
    if isinstance(input, Message):
        return [input]
    given: list[Any] = list(input) if isinstance(input, (list, Sequence)) else [input]
    for each in given:
        if not isinstance(each, Message):
            told = f"a turn starts with a text, a Message, a list of Messages or nothing, got {literal(input)}"
            raise UsageError(told)
    return given
