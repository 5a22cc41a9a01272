"""The eye on a turn: it fills the transcript from the agent's hooks, and stops the turn when its budget is spent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from ..errors import TurnStopped
from ..hooks import LlmEvent, ToolEvent, TurnEvent
from ..messages import ToolCall
from . import wording
from .budget import Budget
from .grading import known_tokens
from .subject import Subject
from .transcript import Call, Request, Transcript


_CUT = "the turn was stopped before the call ended"


class Observer:
    """The eye on one turn. `clock` answers seconds; `where` says what the turn is in the middle of."""

    def __init__(self, transcript: Transcript, budget: Budget, clock: Callable[[], float] = time.perf_counter) -> None:
        self.transcript = transcript
        self.budget = budget
        self.clock = clock
        self.began = clock()
        self.ended = False
        self._env: Any = None
        self._calls: dict[tuple[int, int], Call] = {}
        self._open: list[Call] = []
        self._asking = 0
        self._requests: dict[int, Request] = {}
        self.model_error: BaseException | None = None
        self.late_in: str | None = None

    def watch(self, subject: Subject) -> Callable[[], None]:
        """Subscribe to the events of `subject`; answers a function that ends all of it."""
        ends = [
            subject.on("before_turn", self.turn_began, inline=True),
            subject.on("before_llm", self.request_began, inline=True),
            subject.on("after_llm", self.request_ended, inline=True),
            subject.on("before_tool", self.call_began, inline=True),
            subject.on("after_tool", self.call_ended, inline=True),
        ]

        def end() -> None:
            for each in ends:
                each()

        return end

    def turn_began(self, event: TurnEvent) -> None:
        """Note the env, whose messages are read when the transcript is sealed; the seconds count from here."""
        if self._env is None:
            self._env = event.env
            self.began = self.clock()

    def request_began(self, event: LlmEvent) -> None:
        """Count the iteration, and stop the turn before a model call that the budget does not allow."""
        if self.ended:
            return
        self.transcript.iterations += 1
        self._stop_if("iterations", self.transcript.iterations)
        request = Request(iteration=self.transcript.iterations, retries=event.retries, started=self.seconds)
        self.transcript.requests.append(request)
        self._requests[id(event)] = request
        self._asking += 1

    def request_ended(self, event: LlmEvent) -> None:
        """Note what the model call used and asked for, and stop the turn where that spends the budget."""
        request = self._requests.pop(id(event), None)
        if request is None or self.ended:
            return
        self._asking -= 1
        request.ended = self.seconds
        request.retries = list(event.retries)
        request.usage, request.model = event.usage, event.model
        # A later call that works takes back an earlier one's failure: the agent tried again by itself.
        self.model_error = event.error
        if event.error is not None:
            request.error = wording.exception(event.error)
            return
        for index, asked in enumerate(event.message.tool_calls if event.message else ()):
            self._asked(asked, request.iteration, (event.iteration, index))
        self._stop_if("tool_calls", len(self.transcript.calls))
        self._stop_if("tokens", known_tokens(self.transcript))

    def _asked(self, asked: ToolCall, iteration: int, key: tuple[int, int]) -> Call:
        # Until it is known how a call ended, it is one that never ran.
        call = Call(name=asked.name, id=asked.id, iteration=iteration, outcome="denied")
        call.arguments = asked.parsed()
        if call.arguments is None:
            call.malformed = str(asked.arguments)
        self._calls[key] = call
        self.transcript.calls.append(call)
        return call

    def call_began(self, event: ToolEvent) -> None:
        """Note that a call begins."""
        if self.ended:
            return
        key = (event.iteration, event.index)
        call = self._calls.get(key)
        if call is None or call.name != event.name or call.started is not None:
            # A call that no model message asked for: the agent's own code dispatched it.
            call = self._asked(event.call, self.transcript.iterations, key)
            self._stop_if("tool_calls", len(self.transcript.calls))
        call.started, call.agent = self.seconds, event.agent
        self._open.append(call)

    def call_ended(self, event: ToolEvent) -> None:
        """Note how a call ended: the arguments executed, the result, the outcome, the error."""
        call = self._calls.get((event.iteration, event.index))
        if call is None or self.ended:
            return
        call.ended, call.executed = self.seconds, event.arguments
        call.outcome = event.outcome or "failed"  # type: ignore[assignment]
        call.result = event.result if event.answered and event.error is None else None
        if isinstance(event.error, TurnStopped):
            call.outcome, call.error = "denied", str(event.error)
        elif isinstance(event.error, asyncio.CancelledError):
            call.error = _CUT
        elif event.denied is not None:
            call.error = event.denied
        elif event.error is not None:
            call.error = wording.exception(event.error)
        if call in self._open:
            self._open.remove(call)

    @property
    def where(self) -> str:
        """What the turn is in the middle of."""
        if self._open:
            names = list(dict.fromkeys(call.name for call in self._open))
            return f"tool{'s' if len(names) > 1 else ''} {wording.listed(names)}"
        return "the model call" if self._asking else "the agent's own code"

    def late(self) -> None:
        """Note where the turn is when its time is up, and end the record before the turn is told to stop."""
        self.late_in = self.where
        self.seal()

    def over(self, field: str) -> None:
        """Note that the turn is stopped because `field` of the budget is spent."""
        if self.transcript.stopped is None:
            self.transcript.stopped = f"budget.{field}"

    def seal(self) -> None:
        """End the record: what comes later, from a thread or task left behind, is not this turn's any more."""
        if self.ended:
            return
        self.ended = True
        self.transcript.seconds = self.seconds
        env = self._env
        if env is not None:
            self.transcript.messages = list(env.messages)
            self.transcript.stopped = self.transcript.stopped or env.stopped
        for call in self._open:
            call.outcome, call.error = "failed", call.error or _CUT
        for request in self._requests.values():
            request.retries, request.error = list(request.retries), "the turn was stopped before the model answered"

    def _stop_if(self, field: str, spent: float) -> None:
        limit = getattr(self.budget, field)
        if limit is not None and spent > limit:
            self.over(field)
            raise TurnStopped(f"the budget of {limit} {field} is spent")

    @property
    def seconds(self) -> float:
        """Seconds since the turn began."""
        return self.clock() - self.began
