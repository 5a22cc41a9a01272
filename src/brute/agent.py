"""The agent builder: layers, a terminal completion, and hooks; and the two doors that start a turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from .env import Env
from .errors import UsageError
from .hooks import Registry, Subscriber, TurnEvent
from .leaves import in_loop, is_async
from .messages import Message
from .pipeline import Completion, Layer, build
from .tools import Tool

F = TypeVar("F", bound=Subscriber)
Input = str | Message | Sequence[Message] | None


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

        A class that has `check(*options)` refuses bad options there, at once; what `check` answers, if anything, are the options kept.
        """
        if not callable(middleware):
            raise UsageError(f"a middleware is a class taking (app, *options), got {middleware!r}")
        check = getattr(middleware, "check", None)
        if check is not None:
            kept = check(*options, **named)
            options, named = (options, named) if kept is None else (kept, {})
        self._layers.append((middleware, options, named))
        return self

    def run(self, completion: Completion) -> Agent:
        """Set the terminal: `completion(env)`, one model call; answers the agent."""
        if not callable(completion):
            raise UsageError(f"a completion must be callable with the env, got {completion!r}")
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
        """The tools that the layers declare (a middleware class declares by `declared(*options)`)."""
        found: list[Tool] = []
        for middleware, options, named in self._layers:
            declared = getattr(middleware, "declared", None)
            found += declared(*options, **named) if declared is not None else ()
        return found

    async def ready(self) -> None:
        """Do now what the first model call would have to do first (import a client, load a model), where the completion offers
        it by an async method `ready()`, so that it does not count as the turn's time.
        """
        ready = getattr(self._completion, "ready", None)
        if ready is not None and is_async(ready):
            await ready()

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
        env = Env(messages_of(input), self.hooks)
        turn = TurnEvent(env)
        try:
            await self.hooks.emit("before_turn", turn)
            await build(self._layers, self._completion)(env)
        except BaseException as error:
            turn.error = error
            raise
        finally:
            await self.hooks.emit("after_turn", turn)
        return env


def agent() -> Agent:
    """A new agent, to be built with `.use`, `.run` and `.on`."""
    return Agent()


def messages_of(input: Input) -> list[Message]:
    """What a turn starts with: a text is what the user said; messages are copied, never extended in place."""
    if input is None:
        return []
    if isinstance(input, str):
        return [Message(role="user", content=input)]
    if isinstance(input, Message):
        return [input]
    given: list[Any] = list(input) if isinstance(input, Sequence) else [input]
    if all(isinstance(message, Message) for message in given):
        return given
    raise UsageError(f"a turn starts with a text, a Message, a list of Messages or nothing, got {input!r}")
