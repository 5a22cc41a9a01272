"""The events of a turn, and the registry that fires them: how an agent is watched and taken part in.

Rules (DESIGN.md section 3): one table of events, anything else is refused at once; every `after_` fires in `finally`
and carries the error if there was one; a subscriber takes part by acting on the payload, never by what it returns; a
subscriber that raises stops the turn with a `HookError` that names it.
"""

from __future__ import annotations

import contextvars
import itertools
import re
from collections.abc import Awaitable, Callable, Generator, Iterable
from typing import Any

from .errors import HookError, TurnStopped, UsageError, did_you_mean, literal
from .events import UNSET as UNSET
from .events import LlmEvent as LlmEvent
from .events import ToolEvent as ToolEvent
from .events import TurnEvent as TurnEvent
from .events import Unset as Unset
from .leaves import call_leaf, is_async

EVENTS: dict[str, str] = {
    "before_turn": "a TurnEvent, before the first layer",
    "after_turn": "the same TurnEvent, when the turn is over, with `error` if it raised",
    "before_llm": "an LlmEvent, before each model call",
    "after_llm": "the same LlmEvent, with `message` and `usage`, or `error`",
    "before_tool": "a ToolEvent, before each tool call; `answer(result)` serves a result, `deny(reason)` refuses it",
    "approve_tool": "the same ToolEvent, asked for answered calls too; `deny(reason)` refuses it",
    "after_tool": "the same ToolEvent, with `result` and `outcome`, or `error`",
}
"""Every event there is, with the payload that its subscribers get."""

Subscriber = Callable[[Any], Any]


_CALLED, _AWAITED, _ON_A_THREAD = range(3)  # whatever is not just called is true


_NOBODY: dict[str, Any] = dict.fromkeys(EVENTS, ())


class Registry:
    """The subscribers of one agent, by event, in the order in which they came; `given` says by whom the agent was handed out.

    >>> Registry().on("befor_tool", print)
    Traceback (most recent call last):
    brute.errors.UsageError: no event "befor_tool" (did you mean "before_tool"?); events are before_turn, ...
    """

    __slots__ = ("__weakref__", "_subscribers", "given")

    def __init__(self) -> None:
        self.given: tuple[object, ...] = ()
        # Never changed in place: whoever comes or goes while an event is fired is heard from the next one on.
        self._subscribers: dict[str, tuple[tuple[Subscriber, int], ...]] = _NOBODY.copy()

    def on(self, event: str, subscriber: Subscriber, *, inline: bool = False) -> Callable[[], None]:
        """Call `subscriber(payload)` at each `event`; answers a function that ends it.

        A sync subscriber runs on a worker thread, so that it cannot block other turns; `inline=True` promises that it
        is quick, and calls it where it stands.
        """
        if event.__class__ is not str or event not in EVENTS:
            self.check(event)
        if not callable(subscriber):
            raise UsageError(f"a subscriber to {event} must be callable, got {literal(subscriber)}")
        # Looked at once, and not at each event.
        entry = (subscriber, _CALLED if inline else _AWAITED if is_async(subscriber) else _ON_A_THREAD)
        self._subscribers[event] += (entry,)

        def end() -> None:
            self._subscribers[event] = tuple(each for each in self._subscribers[event] if each is not entry)

        return end

    def on_all(self, subscribers: Iterable[tuple[str, Subscriber]]) -> None:
        """Call each of them inline at its event, for as long as the agent lives: what the harness asks for in one go."""
        own = self._subscribers
        for event, subscriber in subscribers:
            own[event] += ((subscriber, _CALLED),)

    def clear(self, event: str) -> None:
        """Call none of those any more that are called at the event now."""
        self._subscribers[event] = ()

    def check(self, event: str) -> None:
        """Raise `UsageError` unless `event` is in the table."""
        if not isinstance(event, str) or event not in EVENTS:
            hint = did_you_mean(event, EVENTS)
            raise UsageError(f'no event "{event}"{hint}; events are {", ".join(EVENTS)}')

    def emit(self, event: str, payload: Any) -> Awaitable[None]:
        """Call every subscriber of `event`, one after the other, and those of the watch that is kept on this turn around them.

        To be awaited at once: the inline subscribers up to the first that is not have been called when it answers.
        """
        watch, subscribers, stopped = watching.get(), self._subscribers[event], None
        if watch is not None:
            subscribers = watch.first._subscribers[event] + subscribers + watch.last._subscribers[event]
        if not subscribers:
            return DONE
        left = iter(subscribers)
        for subscriber, how in left:
            if how:
                # Most events end before this, and spare themselves the coroutine.
                return _emitted(event, payload, watch, itertools.chain(((subscriber, how),), left), stopped)
            try:
                subscriber(payload)
            except (Exception, TurnStopped) as error:
                stop = _stopped(event, subscriber, error, watch)
                stopped = stopped or stop
        if stopped is not None:
            raise stopped
        return DONE


async def _emitted(
    event: str,
    payload: Any,
    watch: Watch | None,
    left: Iterable[tuple[Subscriber, int]],
    stopped: TurnStopped | HookError | None,
) -> None:
    """The rest of an event, from the first subscriber on that is to be awaited."""
    for subscriber, how in left:
        try:
            if how == _CALLED:
                subscriber(payload)
            elif how == _AWAITED:
                await subscriber(payload)
            else:
                await call_leaf(subscriber, payload)
        except (Exception, TurnStopped) as error:
            stop = _stopped(event, subscriber, error, watch)
            stopped = stopped or stop
    if stopped is not None:
        raise stopped


def _stopped(
    event: str, subscriber: Subscriber, error: Exception | TurnStopped, watch: Watch | None
) -> TurnStopped | HookError:
    """What a subscriber's exception ends the turn with, where the rest is to hear of the event all the same; raises it elsewhere."""
    if isinstance(error, (TurnStopped, HookError)):
        stop = error
    else:
        stop = HookError(f"the {event} subscriber {name_of(subscriber)} raised {type(error).__name__}: {error}")
        stop.__cause__ = error
    if watch is not None and isinstance(stop, HookError):
        watch.fault = watch.fault or stop
    # What ends is told to all: whoever heard the beginning is owed the end.
    if event.startswith("after_"):
        return stop
    raise stop


class _Done:
    """What is awaited when there is nothing left to wait for."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, Any, None]:
        return _NOTHING


_NOTHING: Generator[Any, Any, None] = iter(())  # type: ignore[assignment]  # an iterator is all that is asked for
DONE = _Done()
"""What `emit` answers when nobody has to be waited for; whoever fires many events spares itself the awaiting."""


class Watch:
    """A watch that is kept on a whole turn, on the agents that its tools and layers start as well.

    `first` hears each event before the agent's own subscribers, so that it sees what happened as it happened; `last` hears it
    after them. `fault` is the first exception of any subscriber, kept because a layer may swallow it and go on. `kept` says that it is the watch
    on an agent's turn; until the agent is built it is nobody's.
    """

    __slots__ = ("fault", "first", "kept", "last")

    def __init__(self) -> None:
        self.first, self.last = Registry(), Registry()
        self.fault: HookError | None = None
        self.kept = False


watching: contextvars.ContextVar[Watch | None] = contextvars.ContextVar("brute_watching", default=None)
"""The watch that is kept on the turn that runs here."""


def name_of(function: Any) -> str:
    """The dotted name of a function, for sentences."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    # A file that was loaded afresh is a module with a number, which says nothing to whoever wrote it.
    module = re.sub(r"^brute_file_\d+_", "", getattr(function, "__module__", None) or "")
    return f"{module}.{name}" if module and module != "__main__" else str(name)
