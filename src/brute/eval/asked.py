"""The calls that a model asked for and no tool has heard of yet, and the results of those that ended."""

from __future__ import annotations

from ..messages import Message, ToolCall

_UNASKED = 1_000_000
"""From here on stand the places of calls that no model message asked for."""


class Asked:
    """What a turn's model asked for, call by call: iteration, place in its batch, and the call itself.

    A framework's tool hook is handed a call of its own making, which `take` finds again: by its id (a toolset may have renamed the tool),
    else by its name and arguments, else by its name; the latest batch first, since scripted models use an id twice.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[int, int, ToolCall]] = []
        self._results: list[tuple[int, int, Message]] = []
        self._unasked = _UNASKED

    def add(self, iteration: int, calls: tuple[ToolCall, ...]) -> None:
        """The model asked for these calls."""
        self.waiting += [(iteration, place, call) for place, call in enumerate(calls)]

    def take(self, asked: ToolCall, iteration: int) -> tuple[int, int, ToolCall]:
        """Where the call stands; in no batch where no model message asked for it."""
        latest = sorted(self.waiting, key=lambda each: (-each[0], each[1]))
        for same in (_same_id_and_name, _same_id, _same_arguments, _same_name):
            for each in latest:
                if same(each[2], asked):
                    self.waiting.remove(each)
                    return each
        self._unasked += 1
        return iteration, self._unasked, asked

    def result(self, iteration: int, place: int, message: Message) -> None:
        """A call's result, to stand in the order of the calls."""
        self._results.append((iteration, place, message))

    def answered(self, call: ToolCall, content: str = "") -> None:
        """The model was given an answer to a call of which no tool hook has heard: somebody ran it beside the hooks."""
        iteration, place, _ = found = next(each for each in self.waiting if each[2] is call)
        self.waiting.remove(found)
        self.result(iteration, place, Message(role="tool", content=content, tool_call_id=call.id or None))

    def results(self) -> list[Message]:
        """The results that came since this was last asked, in the order of their calls."""
        found = [message for _, _, message in sorted(self._results, key=lambda each: each[:2])]
        self._results.clear()
        return found


def _same_id_and_name(one: ToolCall, other: ToolCall) -> bool:
    return _same_id(one, other) and _same_name(one, other)


def _same_id(one: ToolCall, other: ToolCall) -> bool:
    return bool(other.id) and one.id == other.id


def _same_arguments(one: ToolCall, other: ToolCall) -> bool:
    return _same_name(one, other) and one.parsed() == other.parsed()


def _same_name(one: ToolCall, other: ToolCall) -> bool:
    return one.name == other.name
