"""Which rule of a stub serves a call, in one attempt: the first that fits and is not used up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..hooks import ToolEvent
from . import rulewording
from .faulty import StubError
from .rules import Answer, Rule


class Ruling:
    """The rules of one stub in one attempt, and how often each has served.

    Calls of one batch are served in the order in which the model asked for them, whichever is made first.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self._served = [0] * len(rules)
        self._batch: Any = None
        self._places: dict[int, tuple[Any, Answer | None]] = {}

    def answer_to(self, event: ToolEvent, suits: Any) -> Answer:
        """What is served for the call; `suits` says of a tool's name whether this stub is its. `StubError` where no rule fits."""
        last = event.env.messages[-1] if event.env is not None and event.env.messages else None
        calls = last.tool_calls if last is not None else ()
        if event.index < len(calls) and calls[event.index] is event.call:
            if last is not self._batch:
                self._batch, self._places = last, {}
                for index, call in enumerate(calls):
                    if suits(call.name):
                        self._places[index] = call.parsed(), self._next(call.parsed())
            asked, answer = self._places.pop(event.index, (None, None))
            # What a subscriber has changed since is served by what it is now.
            if answer is not None and asked == event.arguments:
                return answer
        answer = self._next(event.arguments)
        if answer is None:
            fitting = [
                (rule, count)
                for rule, count in zip(self.rules, self._served, strict=True)
                if rule.fits(event.arguments)
            ]
            raise StubError(rulewording.no_rule(event.name, event.arguments, self.rules, fitting))
        return answer

    def _next(self, arguments: Mapping[str, Any] | None) -> Answer | None:
        for index, rule in enumerate(self.rules):
            if rule.fits(arguments) and (rule.most is None or self._served[index] < rule.most):
                self._served[index] += 1
                return rule.answer(self._served[index] - 1)
        return None
