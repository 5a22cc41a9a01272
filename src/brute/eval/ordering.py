"""Whether the calls came in the order that a case wants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from . import callwording, countwording, steps, wording
from .case import Case
from .globs import suits
from .outcomes import reached
from .steps import Group, groups, is_plain, names
from .transcript import Call, Transcript
from .verdict import Failure


def order(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The calls to the listed tools are exactly this list; repeats in a row count once unless the list has some.

    Denied calls count as asked for, so they may break the order; but each step needs a call that got there.
    """
    if case.order is None:
        return
    if "order" in transcript.blind or any(map(transcript.hides, steps.names(case.order))):
        yield Failure("error.blind", wording.blind("the order of the calls"))
    elif is_plain(case.order):
        yield from _plain([*steps.names(case.order)], transcript)
    else:
        yield from _stepped(case.order, transcript)


def _plain(wanted: list[str], transcript: Transcript) -> Iterator[Failure]:
    tools = transcript.tools
    got = ordered(wanted, transcript.names)
    if got != wanted:
        if transcript.error is None or got != wanted[: len(got)]:
            yield Failure("order", callwording.order_wrong(wanted, got, tools), expected=wanted, actual=got)
    elif ordered(wanted, [call.name for call in transcript.calls if reached(call, tools)]) != wanted:
        denied = [call.name for call in transcript.calls if call.name in wanted and not reached(call, tools)]
        sentence = callwording.order_denied(wanted, list(dict.fromkeys(denied)), tools)
        yield Failure("order", sentence, expected=wanted, actual=got)


def ordered(wanted: Sequence[str], names: Sequence[str]) -> list[str]:
    """The calls to the listed tools, as the order is compared with them.

    >>> ordered(["read", "write"], ["read", "read", "list", "write"])
    ['read', 'write']
    """
    got = [name for name in names if name in wanted]
    repeats = any(one == other for one, other in itertools.pairwise(wanted))
    return got if repeats else [name for name, _ in itertools.groupby(got)]


def _stepped(order: Sequence[Any], transcript: Transcript) -> Iterator[Failure]:
    """The order with steps that mean several tools, may be left out, or come at once."""
    listed, wanted = list(names(order)), groups(order)
    if any(group.at_once for group in wanted) and "iterations" in transcript.blind:
        yield Failure("error.blind", wording.blind("which calls were asked for at once"))
        return
    calls = [call for call in transcript.calls if any(suits(name, call.name) for name in listed)]
    got = [name for name, _ in itertools.groupby(call.name for call in calls)]
    walked = Walk(wanted).through(calls)
    expected = [str(step) if isinstance(step, str) else repr(step) for step in order]
    if not walked.ended and (transcript.error is None or not walked.alive):
        loose = [Group(each.names, each.loose) for each in wanted]
        apart = Walk(loose, repeats=_repeats(wanted)).through(calls).ended
        sentence = countwording.steps_wrong(wanted, got, calls, apart, transcript.tools)
        yield Failure("order", sentence, expected=expected, actual=got)
    elif walked.ended and not Walk(wanted).through([call for call in calls if reached(call, transcript.tools)]).ended:
        denied = [call.name for call in calls if not reached(call, transcript.tools)]
        sentence = countwording.steps_denied(wanted, list(dict.fromkeys(denied)), transcript.tools)
        yield Failure("order", sentence, expected=expected, actual=got)


def _repeats(wanted: Sequence[Group]) -> bool:
    return any(one == other and one.single for one, other in itertools.pairwise(wanted))


State = tuple[int, int, int, Any]
"""Which group, which of its steps were made (as bits), which was made last (-1: none), and in which batch it is made."""


class Walk:
    """A walk through the steps along the calls, on all ways at once that the calls leave open."""

    def __init__(self, wanted: Sequence[Group], repeats: bool | None = None) -> None:
        self.wanted = wanted
        self.repeats = _repeats(wanted) if repeats is None else repeats
        self._states: set[State] = set()
        self._reach((0, 0, -1, None))

    @property
    def alive(self) -> bool:
        """Whether what was called could still become the order."""
        return bool(self._states)

    @property
    def ended(self) -> bool:
        """Whether what was called is the order."""
        return any(group == len(self.wanted) for group, _, _, _ in self._states)

    def through(self, calls: Sequence[Call]) -> Walk:
        """Go on along the calls."""
        for call in calls:
            before, self._states = self._states, set()
            for state in before:
                self._step(state, call)
        return self

    def _step(self, state: State, call: Call) -> None:
        at, made, last, batch = state
        if at == len(self.wanted):
            return
        group = self.wanted[at]
        here = (call.iteration, call.agent) if group.at_once else None
        if batch is not None and batch != here:
            return
        for index, name in enumerate(group.names):
            again = index == last and not self.repeats
            if (again or not made & 1 << index) and suits(name, call.name):
                self._reach((at, made | 1 << index, index, here))

    def _reach(self, state: State) -> None:
        """Be in this state, and in those that need no further call."""
        self._states.add(state)
        at, made, _, _ = state
        while at < len(self.wanted):
            group = self.wanted[at]
            if not all(loose or made & 1 << index for index, loose in enumerate(group.loose)):
                return
            at, made = at + 1, 0
            self._states.add((at, 0, -1, None))
