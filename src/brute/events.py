"""What the subscribers of a turn get: the payloads of its events."""

from __future__ import annotations

import dataclasses
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .env import Env
    from .messages import Message, ToolCall, Usage
    from .tools import Tool


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
    `tool`) can't be set, or what is watched and stubbed would not be what runs. `steered` says what the tool did to its agent beside
    answering, where an adapter sees that: "control" (it hands over, or ends the turn), "state"; `lacking` what the model will be told
    where its agent has no tool of that name.
    """

    __slots__ = (
        "__weakref__", "_call", "_env", "_tool", "agent", "arguments", "denied", "error", "index", "iteration", "lacking", "outcome", "result", "steered",
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
        self.lacking: str | None = None

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

    @property
    def name(self) -> str:
        """The name of the tool that the model asked for."""
        return self._call.name

    def swap(self, tool: Tool) -> None:
        """Put another tool in the place of the one that would run: how the harness seals what must not."""
        self._tool = tool

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


if not TYPE_CHECKING:
    # Asked for some thirty times a call, and so without a step of Python's for each.
    for _name, _path in {"env": "_env", "call": "_call", "tool": "_tool", "name": "_call.name"}.items():
        setattr(ToolEvent, _name, property(operator.attrgetter(_path), doc=getattr(ToolEvent, _name).__doc__))
