"""Which rule of a stub serves a call, in one attempt: the first that fits and is not used up."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..hooks import ToolEvent
from . import rulewording
from .faulty import StubError
from .matching import heard
from .rules import Answer, Rule


@dataclasses.dataclass(frozen=True, slots=True)
class Broke:
    """A rule of which it can't be told whether it is for a call, since a predicate in it raised."""

    rule: Rule
    error: BaseException


_Places = dict[int, tuple[Any, Answer | Broke | None]]
"""For each place in a batch, the arguments asked for and what is served."""


class Ruling:
    """The rules of one stub in one attempt, and how often each has served.

    Calls of one batch are served in the order in which the model asked for them, whichever is made first.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self._served = [0] * len(rules)
        # By message, which is kept so that no other can come to have its id: an inner agent's batch may come between.
        self._batches: dict[int, tuple[Any, _Places]] = {}

    def answer_to(self, event: ToolEvent, suits: Callable[[str], bool]) -> Answer:
        """What is served for the call; `suits` says of a tool's name whether this stub is its. `StubError` where no rule fits."""
        asked, answer = self._places(event, suits).pop(event.index, (None, None))
        # What a subscriber has changed since is served by what it is now.
        if answer is None or asked != event.arguments:
            answer = self._next(event.arguments)
        if isinstance(answer, Broke):
            raise StubError(rulewording.broke(event.name, answer.rule, answer.error)) from answer.error
        if answer is None:
            each = zip(self.rules, self._served, strict=True)
            fitting = [(rule, count) for rule, count in each if rule.fits(event.arguments)]
            raise StubError(rulewording.no_rule(event.name, event.arguments, self.rules, fitting))
        return answer

    def _places(self, event: ToolEvent, suits: Callable[[str], bool]) -> _Places:
        """What is served for each call of the event's batch, in the order asked for; nothing where no batch was asked for."""
        last = event.env.messages[-1] if event.env is not None and event.env.messages else None
        calls = last.tool_calls if last is not None else ()
        if event.index >= len(calls) or calls[event.index] is not event.call:
            return {}
        if id(last) not in self._batches:
            mine = [(index, call.parsed()) for index, call in enumerate(calls) if suits(call.name)]
            self._batches[id(last)] = last, {index: (asked, self._next(asked)) for index, asked in mine}
        return self._batches[id(last)][1]

    def _next(self, arguments: Mapping[str, Any] | None) -> Answer | Broke | None:
        for index, rule in enumerate(self.rules):
            if rule.most is not None and self._served[index] >= rule.most:
                continue  # whatever it says of the call, it serves none
            with heard() as raised:
                fits = rule.fits(arguments)
            if raised and not fits:
                # The next rule might let the call through to the tool.
                return Broke(rule, raised[0])
            if fits:
                self._served[index] += 1
                return rule.answer(self._served[index] - 1)
        return None
