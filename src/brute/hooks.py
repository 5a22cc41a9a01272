"""The events of a turn, and the registry that fires them: how an agent is watched and taken part in.

Rules (DESIGN.md section 3): one table of events, anything else is refused at once; every `after_` fires in `finally`
and carries the error if there was one; a subscriber takes part by acting on the payload, never by what it returns; a
subscriber that raises stops the turn with a `HookError` that names it.
"""

from __future__ import annotations

import contextvars
import dataclasses
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import HookError, TurnStopped, UsageError, did_you_mean, literal
from .leaves import call_leaf, is_async

if TYPE_CHECKING:
    from .env import Env
    from .messages import Message, ToolCall, Usage
    from .tools import Tool

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


class Unset:
    """The type of `UNSET`, which stands where no answer was given, so that None, False and "" can be answers."""

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET = Unset()


@dataclasses.dataclass(slots=True, eq=False)
class TurnEvent:
    """The payload of `before_turn` and `after_turn`."""

    env: Env
    error: BaseException | None = None


@dataclasses.dataclass(slots=True, eq=False)
class LlmEvent:
    """The payload of `before_llm` and `after_llm`: one model call.

    `message` is what the model said, `said` all that it said where a completion makes several messages of it, `usage` what this
    call used (None: not reported), `retries` one sentence for each try that failed before. `queued` is the time (`time.perf_counter`) since
    which the call waits for its place among all calls to its provider, None while it does not.
    """

    env: Env
    iteration: int
    message: Message | None = None
    usage: Usage | None = None
    model: str | None = None
    error: BaseException | None = None
    retries: list[str] = dataclasses.field(default_factory=list)
    said: tuple[Message, ...] = ()
    queued: float | None = None


class ToolEvent:
    """The payload of the three tool events: one tool call, and the place to take part in it.

    `call` is the call as the model made it, `index` its place in its batch; `arguments` are those that will be executed (None:
    malformed) and may be changed; `tool` is None for a name that the agent does not have. What the event is about (`env`, `call`,
    `tool`) can't be set, or what is watched and stubbed would not be what runs. `steered`: the tool did more than answer ("control", "state").
    """

    __slots__ = (
        "__weakref__", "_call", "_env", "_tool", "agent", "arguments", "denied", "error", "index", "iteration", "outcome", "result", "steered",
    )  # fmt: skip

    def __init__(
        self,
        env: Env,
        call: ToolCall,
        iteration: int,
        index: int = 0,
        tool: Tool | None = None,
        arguments: dict[str, Any] | None = None,
        *,
        agent: str | None = None,
    ) -> None:
        self._env, self._call, self._tool = env, call, tool
        self.iteration, self.index, self.arguments, self.agent = iteration, index, arguments, agent
        self.result: Any = UNSET
        self.outcome: str | None = None
        self.error: BaseException | None = None
        self.denied: str | None = None
        self.steered: str | None = None

    @property
    def env(self) -> Env:
        """The env of the turn."""
        return self._env

    @property
    def call(self) -> ToolCall:
        """The call as the model made it."""
        return self._call

    @property
    def tool(self) -> Tool | None:
        """The tool that would run."""
        return self._tool

    def swap(self, tool: Tool) -> None:
        """Put another tool in the place of the one that would run: how the harness seals what must not."""
        self._tool = tool

    @property
    def name(self) -> str:
        """The name of the tool that the model asked for."""
        return self.call.name

    @property
    def answered(self) -> bool:
        """Whether a subscriber gave the result, so that the tool will not run."""
        return self.result is not UNSET or self.error is not None

    def answer(self, result: Any) -> None:
        """Serve `result` instead of running the tool; None, False and "" are results; an exception is raised as the tool's own."""
        if isinstance(result, BaseException):
            self.error = result
        else:
            self.result, self.error = result, None

    def deny(self, reason: str = "") -> None:
        """Refuse the call: the tool does not run, and the model reads `reason`."""
        self.denied = reason or "denied"


_CALLED, _AWAITED, _ON_A_THREAD = range(3)


class Registry:
    """The subscribers of one agent, by event, in the order in which they came.

    >>> Registry().on("befor_tool", print)
    Traceback (most recent call last):
    brute.errors.UsageError: no event "befor_tool" (did you mean "before_tool"?); events are before_turn, ...
    """

    __slots__ = ("__weakref__", "_subscribers")

    def __init__(self) -> None:
        # Never changed in place: whoever comes or goes while an event is fired is heard from the next one on.
        self._subscribers: dict[str, tuple[tuple[Subscriber, int], ...]] = dict.fromkeys(EVENTS, ())

    def on(self, event: str, subscriber: Subscriber, *, inline: bool = False) -> Callable[[], None]:
        """Call `subscriber(payload)` at each `event`; answers a function that ends it.

        A sync subscriber runs on a worker thread, so that it cannot block other turns; `inline=True` promises that it
        is quick, and calls it where it stands.
        """
        self.check(event)
        if not callable(subscriber):
            raise UsageError(f"a subscriber to {event} must be callable, got {literal(subscriber)}")
        # Looked at once, and not at each event.
        entry = (subscriber, _CALLED if inline else _AWAITED if is_async(subscriber) else _ON_A_THREAD)
        self._subscribers[event] += (entry,)

        def end() -> None:
            self._subscribers[event] = tuple(each for each in self._subscribers[event] if each is not entry)

        return end

    def check(self, event: str) -> None:
        """Raise `UsageError` unless `event` is in the table."""
        if not isinstance(event, str) or event not in EVENTS:
            hint = did_you_mean(event, EVENTS)
            raise UsageError(f'no event "{event}"{hint}; events are {", ".join(EVENTS)}')

    async def emit(self, event: str, payload: Any) -> None:
        """Call every subscriber of `event`, one after the other, and those of the watch that is kept on this turn around them."""
        watch, subscribers, stopped = watching.get(), self._subscribers[event], None
        if watch is not None:
            subscribers = watch.first._subscribers[event] + subscribers + watch.last._subscribers[event]
        if not subscribers:
            return
        for subscriber, how in subscribers:
            try:
                if how == _CALLED:
                    subscriber(payload)
                elif how == _AWAITED:
                    await subscriber(payload)
                else:
                    await call_leaf(subscriber, payload)
            except HookError:
                raise
            except TurnStopped as stop:
                # What ends is told to all: whoever heard the beginning is owed the end.
                if not event.startswith("after_"):
                    raise
                stopped = stopped or stop
            except Exception as error:
                raise _fault(event, subscriber, error, watch) from error
        if stopped is not None:
            raise stopped


def _fault(event: str, subscriber: Subscriber, error: Exception, watch: Watch | None) -> HookError:
    fault = HookError(f"the {event} subscriber {name_of(subscriber)} raised {type(error).__name__}: {error}")
    if watch is not None:
        watch.fault = watch.fault or fault
    return fault


class Watch:
    """A watch that is kept on a whole turn, on the agents that its tools and layers start as well.

    `first` hears each event before the agent's own subscribers, so that it sees what happened as it happened; `last` hears it
    after them. `fault` is the first exception of any subscriber, kept because a layer may swallow it and go on.
    """

    __slots__ = ("fault", "first", "last")

    def __init__(self) -> None:
        self.first, self.last = Registry(), Registry()
        self.fault: HookError | None = None


watching: contextvars.ContextVar[Watch | None] = contextvars.ContextVar("brute_watching", default=None)
"""The watch that is kept on the turn that runs here."""


def name_of(function: Any) -> str:
    """The dotted name of a function, for sentences."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    # A file that was loaded afresh is a module with a number, which says nothing to whoever wrote it.
    module = re.sub(r"^brute_file_\d+_", "", getattr(function, "__module__", None) or "")
    return f"{module}.{name}" if module and module != "__main__" else str(name)
