"""The tools of smolagents as generated code has them: whatever thread that runs on, they belong to the turn."""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from collections.abc import Mapping
from typing import Any

from smolagents import MultiStepAgent, Tool

from ...messages import ToolCall
from .. import unreached
from ..foreign import Turn, current
from ..known import Known
from ..stubs import StubError
from . import smolagents_tools as tools
from .line import LINE, Line, within


class Seat:
    """Whose turn the tools are in that an executor was sent; None: nobody's, since it was sent others outside any turn."""

    __slots__ = ("__weakref__", "turn")

    def __init__(self, turn: Turn) -> None:
        self.turn: Turn | None = turn

    def is_taken(self) -> bool:
        """Whether the turn is still under way, as far as can be told."""
        if self.turn is None:
            return False
        line: Line | None = self.turn.root.env.metadata.get(LINE)
        # That of another framework's agent, in whose tool this one runs, has none.
        return any(self.turn in turns for turns in [*tools.running.values()]) if line is None else not line.is_cut


class Bound:
    """A tool, a managed agent or a function as generated code has it: whatever thread that runs on, it belongs to the turn."""

    __slots__ = ("_name", "_seat", "_tool")

    def __init__(self, seat: Seat, name: str, tool: Any) -> None:
        self._seat, self._name, self._tool = seat, name, tool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call it in the turn; in nobody's, it is the tool."""
        tool, turn = self._tool, self._seat.turn
        if turn is None:
            return tool(*given, **named)
        with within(turn):
            if not isinstance(tool, (Tool, MultiStepAgent)):
                return self._function(turn, given, named)
            arguments = {
                name: value for name, value in tools.arguments_of(tool, given, named).items() if name != tools.SANITIZE
            }
            pending = tools.Pending(tool, ToolCall(name=self._name, arguments=arguments), False)
            token = tools.announced.set(pending)
            try:
                return tool(*given, **named)
            finally:
                tools.announced.reset(token)

    def _function(self, turn: Turn, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        function, signature = self._tool, None
        arguments = {**named, **({"*": list(given)} if given else {})}
        with contextlib.suppress(TypeError, ValueError):  # it has none, or is called in a way that it refuses
            signature = inspect.signature(function)
            arguments = dict(signature.bind(*given, **named).arguments)

        def run(changed: dict[str, Any] | None) -> Any:
            return function(*given, **named) if changed is None else function(**changed)

        asked = ToolCall(name=self._name, arguments=dict(arguments))
        check = tools.taken if signature is None else lambda arguments: signature.bind(**arguments)
        return tools.dispatched(turn, asked, arguments, Known(self._name, check=check), run)[0]


def bound(seat: Seat, given: Mapping[str, Any]) -> dict[str, Any]:
    """The tools as generated code has them in this turn."""
    return {name: tool if tools.is_output(tool) else Bound(seat, name, tool) for name, tool in given.items()}


_seats: dict[int, weakref.WeakSet[Seat]] = {}
"""The seats of each executor whose tools are still somewhere: in its state, in functions that generated code defined."""


def send_tools(plain: Any) -> Any:
    """How an executor is sent the tools of an agent whose run begins, under watch."""

    def send_tools(self: Any, given: Any) -> Any:
        turn, seats = current.get(), [*_seats.get(id(self), ())]
        _refuse_taken(turn, seats)
        for each in seats:
            # What an attempt left in the state belongs to whoever runs the agent now; a turn that is over keeps
            # its own until then, for a thread that it left behind must come to no tool.
            if turn is None or each.turn is None:
                each.turn = turn
        if turn is None:
            return plain(self, given)
        seat = Seat(turn)
        if id(self) not in _seats:
            _seats[id(self)] = weakref.WeakSet()
            weakref.finalize(self, _seats.pop, id(self), None)
        _seats[id(self)].add(seat)
        answer = plain(self, bound(seat, given))
        beside = getattr(self, "additional_functions", None) or {}
        self.static_tools.update(bound(seat, beside))
        return answer

    return functools.wraps(plain)(send_tools)


def _refuse_taken(turn: Turn | None, seats: list[Seat]) -> None:
    """Let no run have an executor that one of another turn has: its code would come to the wrong tools."""
    for each in seats:
        mine = each.turn
        if mine is None or (turn is not None and mine.root is turn.root) or not each.is_taken():
            continue
        stop = StubError(unreached.shared_executor())
        stopped = mine if turn is None else turn
        stopped.root.stop = stopped.root.stop or stop
        raise stop
