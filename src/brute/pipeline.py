"""A stack of middleware over a terminal completion, built anew for every turn."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from .env import Env
from .errors import Unsaid
from .hooks import DONE, LlmEvent, name_of
from .leaves import call_leaf
from .messages import Message, Usage
from .tapping import tapping

App = Callable[[Env], Awaitable[Any]]
"""What a middleware stands on: the next layer, or the terminal."""

Completion = Callable[[Env], Any]
"""The terminal: one model call. It appends what the model said to `env.messages`, or answers a `Message` or a text."""


class Middleware(Protocol):
    """A layer: `(app, *options)` makes it, and `await layer(env)` passes the env through it."""

    def __init__(self, app: App, *options: Any, **named: Any) -> None: ...

    async def __call__(self, env: Env) -> Any:
        """Pass the env through: `await self.app(env)`, or decline to."""
        ...


HOSTED = "brute.hosted"
"""Where an env's metadata names the tools that the model's provider runs by itself, so that nobody can keep them from running."""

UNHEARD = "brute.unheard"
"""Where it names those of them whose calls are not told of afterwards either."""

Layer = tuple[Any, tuple[Any, ...], dict[str, Any]]


def hosted(completion: Any) -> tuple[str, ...]:
    """The names that a completion's attribute `hosted` holds; one of another meaning (`hosted = True`) names no tools, and an iterator any (`*`)."""
    said = getattr(completion, "hosted", None)
    if said is None:  # as nearly all have it
        return ()
    if isinstance(said, Iterator):  # it can be read once, and is asked for at each model call
        return ("*",)
    names = (said,) if isinstance(said, str) else said if isinstance(said, Iterable) else ()
    return tuple(name for name in names if isinstance(name, str))


def build(layers: Sequence[Layer], completion: Completion) -> App:
    """The app that the layers and the completion make, the first layer outermost."""
    app: App = Terminal(completion)
    for middleware, options, named in reversed(layers):
        app = middleware(app, *options, **named)
    return app


class Terminal:
    """The bottom of the stack: one model call with its two events."""

    __slots__ = ("completion",)

    def __init__(self, completion: Completion) -> None:
        self.completion = completion

    async def __call__(self, env: Env) -> None:
        """Make the model call, with `before_llm` and `after_llm` around it."""
        event = LlmEvent(env, env.iteration)
        hooks = env.hooks
        names = hosted(self.completion)
        if names:
            env.metadata[HOSTED] = env.metadata[UNHEARD] = list(names)
        try:
            if (later := hooks.emit("before_llm", event)) is not DONE:
                await later
            env.request = event
            before, tap = len(env.messages), tapping.get()
            if tap is None:
                answer = await call_leaf(self.completion, env)
            else:
                answer = await tap.completed(env, functools.partial(call_leaf, self.completion, env))
            self._take(env, event, answer, before)
        except BaseException as error:
            event.error = error
            raise
        finally:
            env.request = None
            if (later := hooks.emit("after_llm", event)) is not DONE:
                await later

    def _take(self, env: Env, event: LlmEvent, answer: Any, before: int) -> None:
        """Put what the completion answered to the messages, of which there were so many `before`, and note what it said."""
        messages = env.messages
        if answer.__class__ is Message and len(messages) == before and answer.role == "assistant":  # as nearly all do
            messages.append(answer)
            event.message, event.said, event.model, event.usage = answer, (answer,), answer.model, answer.usage
            return
        if isinstance(answer, str):
            answer = Message(role="assistant", content=answer)
        if isinstance(answer, Message):
            if not (len(messages) > before and messages[-1] is answer):
                messages.append(answer)
        elif answer is not None and answer is not env:
            told = f"a completion answers a Message, a text or None, got {type(answer).__name__} from {name_of(self.completion)}"
            raise Unsaid(told)
        said = [message for message in messages[before:] if message.role == "assistant"]
        if not said:
            raise Unsaid(
                f"the completion {name_of(self.completion)} added no assistant message to env.messages and answered none"
            )
        last = event.message = said[-1]
        event.said, event.model = tuple(said), last.model
        event.usage = last.usage if len(said) == 1 else _usage(said)


def _usage(said: list[Message]) -> Usage | None:
    usage = said[0].usage
    for message in said[1:]:
        usage = None if usage is None or message.usage is None else usage + message.usage
    return usage
