"""The eye on a turn: it fills the transcript from the agent's hooks, and stops the turn when its budget is spent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from ..errors import HookError, TurnStopped
from ..hooks import LlmEvent, ToolEvent, TurnEvent
from ..messages import Message
from . import unhooked, wording
from .bounding import Bound
from .budget import Budget
from .callbook import Callbook, why
from .copying import copied
from .grading import known_tokens
from .stubs import StubError
from .subject import Subject, Watcher
from .transcript import Call, Request, Transcript

INNER = "inner agent"
"""What stands for the name of an agent that the agent under test starts in its turn."""


class Observer:
    """The eye on one turn.

    `clock` answers seconds. `fault` is what a stub or a subscriber raised, `model_error` how a model call failed that no later one made
    good: both are kept because the agent may catch them and go on, and what it then says is no answer of the agent that ships. `asking` are
    the model calls under way. `halt` is called when the turn is told to stop, and `expecting` says that the next turn to begin is the one. `unseen` is
    what others learn in the turn that can't be seen, beside what the subject says.
    """

    def __init__(self, transcript: Transcript, budget: Budget, clock: Callable[[], float] = time.perf_counter) -> None:
        self.transcript = transcript
        self.budget = budget
        self.clock = clock
        self.began: float | None = None
        self.ended = False
        self.fault: BaseException | None = None
        self._troubles: dict[str, tuple[BaseException, int]] = {}
        self._subject: Subject | None = None
        self._must_not_run: Callable[[str], bool] = lambda tool: False
        self._env: Any = None
        self._earlier: list[Message] = []
        self._asked = Callbook(transcript.calls)
        self.bound = Bound(transcript)
        self.running: dict[int, Call] = {}
        self.asking: dict[int, tuple[LlmEvent, Request]] = {}
        self.expecting = True
        self.unseen: list[str] = []
        self.halt: Callable[[], object] = lambda: None

    def watch_first(self, subject: Subject, must_not_run: Callable[[str], bool] = lambda tool: False) -> list[Watcher]:
        """Who is to hear of the turn before everyone else; `must_not_run` says which tools have a stub, or must have one.

        They are never taken back: what the turn leaves running must not come to the real tools once it is over.
        """
        self._subject, self._must_not_run = subject, must_not_run
        return [
            ("before_turn", self.turn_began),
            ("before_llm", self.request_began),
            ("after_llm", self.request_ended),
            ("before_tool", self.call_began),
            ("after_tool", self.call_ended),
        ]

    def watch_last(self) -> list[Watcher]:
        """Who is to see a call as it will be executed: after everyone who may change it."""
        return [("approve_tool", self.call_settled)]

    def turn_began(self, event: TurnEvent) -> None:
        """Note the env, whose messages are read when the transcript is sealed; the seconds count from here."""
        if self.expecting and self._env is None and not self.ended:
            self._env = event.env
            self._earlier = list(event.env.messages)
            self.began = self.clock()

    def request_began(self, event: LlmEvent) -> None:
        """Count the iteration, and stop the turn before a model call that the budget does not allow."""
        if self.ended:
            raise unhooked.left_running()
        self._know(event.env)
        self.transcript.iterations += 1
        if self.budget.iterations is not None:
            self._stop_if("iterations", self.transcript.iterations)
        request = Request(iteration=self.transcript.iterations, retries=event.retries, started=self.seconds)
        self.transcript.requests.append(request)
        self.asking[id(event)] = event, request

    def request_ended(self, event: LlmEvent) -> None:
        """Note what the model call used and asked for, and stop the turn where that spends the budget."""
        _, request = self.asking.pop(id(event), (None, None))
        if request is None or self.ended:
            return
        request.ended = self.seconds
        request.retries = list(event.retries)
        request.usage, request.model = event.usage, event.model
        if event.error is not None:
            self._request_failed(event, request, event.error)
            return
        if self._troubles:
            self._made_good(unhooked.whose(event.env), request.iteration)
        for message in event.said or (event.message,):
            # Those of all but the last message, the completion has dispatched by itself.
            last = message is event.message
            for index, asked in enumerate(message.tool_calls if message is not None else ()):
                place = index if last else -1 - len(self.transcript.calls)
                self._asked.add(asked, request.iteration, (event.env, event.iteration, place))
        if self.budget.tool_calls is not None:
            self._stop_if("tool_calls", len(self.transcript.calls))
        if self.budget.tokens is not None:
            self._stop_if("tokens", known_tokens(self.transcript))

    def _request_failed(self, event: LlmEvent, request: Request, error: BaseException) -> None:
        self._found(error)
        if isinstance(error, asyncio.CancelledError):
            # The agent gave up on it by itself (a timeout, a race of two): it did not fail.
            request.error = wording.CUT_REQUEST
            return
        self._troubles[unhooked.whose(event.env)] = error, self.transcript.iterations
        request.error = wording.exception(error)

    def call_began(self, event: ToolEvent) -> None:
        """Note that a call begins."""
        if self.ended:
            raise unhooked.left_running()
        call = self._asked.begun(event)
        if call is None:
            # No model message asked for it: the agent's own code dispatched it.
            key = (event.env, event.iteration, event.index)
            call = self._asked.add(event.call, self.transcript.iterations, key)
            self._stop_if("tool_calls", len(self.transcript.calls))
        call.started = self.seconds
        call.agent = event.agent or (INNER if event.env is not None and event.env.outer is not None else None)
        self.running[id(event)] = call

    def call_settled(self, event: ToolEvent) -> None:
        """Note the arguments that the tool or the stub gets."""
        call = self.running.get(id(event))
        if call is not None and not self.ended:
            call.executed = copied(event.arguments)

    def call_ended(self, event: ToolEvent) -> None:
        """Note how a call ended: the result, the outcome, the error."""
        if event.error is not None:
            self._found(event.error)
        call = self.running.pop(id(event), None)
        if call is None or self.ended:
            return
        call.ended = self.seconds
        call.outcome = event.outcome or "failed"  # type: ignore[assignment]
        if event.answered and event.error is None:
            call.result = self.bound.result(call.name, event.result)
        if call.outcome == "ran":
            if self._troubles:
                self._made_good(f"tool {call.name}", call.iteration)
        elif call.outcome == "failed" and unhooked.asked_a_model(event.error):
            # A model that was down behind a tool: the agent may take the tool's error for "there is nothing".
            self._troubles[f"tool {call.name}"] = event.error, call.iteration  # type: ignore[assignment]
        call.error = why(event, event.error)

    @property
    def tools(self) -> str:
        """The tools that run just now; empty where none does."""
        names = list(dict.fromkeys(call.name for call in self.running.values()))
        return f"tool{'s' if len(names) > 1 else ''} {wording.listed(names)}" if names else ""

    @property
    def where(self) -> str:
        """What the turn is in the middle of."""
        return self.tools or ("the model call" if self.asking else "the agent's own code")

    def over(self, field: str) -> None:
        """Note that the turn is stopped because `field` of the budget is spent."""
        if self.transcript.stopped is None:
            self.transcript.stopped = f"budget.{field}"
        self.halt()

    def _found(self, error: BaseException) -> None:
        """Keep what a stub or a subscriber raised: the turn has to end of it, in whatever task of the agent's it was raised."""
        if isinstance(error, (StubError, HookError)):
            self.fault = self.fault or error
            self.halt()

    def seal(self) -> None:
        """End the record: what comes later, from a thread or task left behind, is not this turn's any more."""
        if self.ended:
            return
        self.ended = True
        self.transcript.seconds = None if self.began is None else self.seconds
        env = self._env
        if env is not None:
            messages = list(env.messages)
            self.transcript.messages = self.bound.messages(messages)
            # Nobody said anything in this turn: what stands last is an earlier one's reply.
            last = messages[-1] if messages else None
            if last is not None and last.role == "assistant":
                self.transcript.stale = id(last) in map(id, self._earlier)
            self.transcript.stopped = self.transcript.stopped or env.stopped
        for call in self.running.values():
            call.outcome, call.error = "failed", call.error or wording.CUT_CALL
        for _, request in self.asking.values():
            request.retries, request.error = list(request.retries), wording.CUT_REQUEST
        if self._subject is not None:
            self.fault = self.fault or self._subject.fault
            # Some tell only in the turn what they report, in a list that they make anew.
            self.transcript.blind = list(dict.fromkeys([*self._subject.blind, *self.unseen]))
        # After what the subscribers raised, of which a call that never began may be a shadow. By whom it was answered, nobody saw.
        for call in unhooked.beside(self._asked, self._earlier, self.transcript.stopped):
            if self._must_not_run(call.name):
                self.fault = self.fault or StubError(wording.unhooked(call.name))
        # The env holds the hooks that hold this: let go of, all of it is freed at once, and not by the collector some time.
        self._env = self._subject = None
        self.halt = lambda: None
        self._earlier = []
        self._asked.clear()

    def _know(self, env: Any) -> None:
        """Note the tools that the model is offered, of which the layers may have declared none."""
        known = self.transcript.tools
        if known is not None and env is not None:
            for tool in env.tools:
                if tool.name not in known:
                    known.append(tool.name)

    def _made_good(self, key: str, iteration: int) -> None:
        # One that began later and worked takes back an earlier failure: the agent tried again by itself.
        if key in self._troubles and iteration > self._troubles[key][1]:
            del self._troubles[key]

    @property
    def model_error(self) -> BaseException | None:
        """How the first model call failed that no later one made good."""
        return next(iter(self._troubles.values()))[0] if self._troubles else None

    def _stop_if(self, field: str, spent: float) -> None:
        limit = getattr(self.budget, field)
        if limit is not None and spent > limit:
            self.over(field)
            raise TurnStopped(f"the budget of {limit} {field} is spent")

    @property
    def seconds(self) -> float:
        """Seconds since the turn began."""
        return 0.0 if self.began is None else self.clock() - self.began
