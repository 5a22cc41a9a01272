"""The record of one attempt: what one turn did, from the hooks alone."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from ..errors import UsageError, did_you_mean, nearest
from ..messages import Message, Usage, reply_of
from . import jsonable
from .globs import is_glob, suits
from .judgement import Judgement
from .matching import heard, matches_arguments
from .verdict import Failure

Outcome = Literal["ran", "stubbed", "denied", "failed"]
_N = TypeVar("_N", int, float)
CALLS_OF = "calls of "
"""What stands in `blind` before the name of a tool whose calls can't be seen, where all others can; `*`: any that is not the agent's own."""
OUTCOMES: tuple[Outcome, ...] = ("ran", "stubbed", "denied", "failed")


@dataclasses.dataclass(slots=True, kw_only=True)
class Call:
    """One tool call of a turn.

    `arguments` are those that the model asked for (None: malformed, and `malformed` holds the text), `executed` those that
    the tool or the stub got. `outcome` says how it ended: `ran`, `stubbed`, `denied` or `failed`; `error` says why where it
    did not work. `iteration` counts from 1, `agent` names the sub-agent that called, `fault` is the kind
    of fault that the suite put in the place of the answer, `started` and `ended` are
    seconds since the turn began.
    """

    name: str
    arguments: dict[str, Any] | None = dataclasses.field(default_factory=dict)
    executed: dict[str, Any] | None = None
    result: Any = None
    outcome: Outcome = "ran"
    id: str = ""
    iteration: int = 1
    error: str | None = None
    malformed: str | None = None
    agent: str | None = None
    fault: str | None = None
    started: float | None = None
    ended: float | None = None


@dataclasses.dataclass(slots=True, kw_only=True)
class Request:
    """One model call of a turn: what it used (None: not reported), which model answered, and the tries that failed before."""

    iteration: int = 1
    usage: Usage | None = None
    model: str | None = None
    retries: list[str] = dataclasses.field(default_factory=list)
    error: str | None = None
    started: float | None = None
    ended: float | None = None


def _sum(numbers: Iterable[_N | None]) -> _N | None:
    """The sum, or None where one of them is not known."""
    known = list(numbers)
    if None in known:
        return None
    whole: _N = sum(known)  # type: ignore[arg-type]
    return whole if whole < float("inf") else None


@dataclasses.dataclass(slots=True, kw_only=True)
class Transcript:
    """What one turn did.

    `calls` stand in the order in which the model asked for them. `tools` are the names of the tools that the agent has, None
    where the adapter can't tell; `defaults` are those that the called tools' schemas
    have for their arguments, where the case asks for them; `blind` names what the adapter can't see. `failures` is the check's to append to,
    `judgements` are what a judge said when the turn was over.
    `stopped` says why a layer or the harness ended the turn before the model was done, and `error` holds what went wrong
    where the turn did not end by itself. `stale` says that the last message was there before the turn, so that it is no reply. Of its
    `seconds`, the event loop stood still for `held` by another attempt's code, and for `unclear` nobody knows by whose. `replayed` names what
    was answered from a recording: `model`, `tools`.

    >>> t = Transcript(calls=[Call(name="search", arguments={"query": "bank rate"})])
    >>> t.called("search", query="bank rate"), t.called("fetch"), t.counts
    (True, False, {'search': 1})
    """

    said: str | None = None
    messages: list[Message] = dataclasses.field(default_factory=list)
    calls: list[Call] = dataclasses.field(default_factory=list)
    requests: list[Request] = dataclasses.field(default_factory=list)
    iterations: int = 0
    seconds: float | None = None
    published: list[Any] = dataclasses.field(default_factory=list)
    failures: list[Failure | str] = dataclasses.field(default_factory=list)
    error: Failure | None = None
    stopped: str | None = None
    stale: bool = False
    tools: list[str] | None = None
    defaults: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    blind: list[str] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    judgements: list[Judgement] = dataclasses.field(default_factory=list)
    held: float = 0.0
    unclear: float = 0.0
    replayed: list[str] = dataclasses.field(default_factory=list)

    @property
    def reply(self) -> str:
        """The text of the last message, if the assistant wrote it and it asks for no tool; else an empty text."""
        return "" if self.stale else reply_of(self.messages)

    @property
    def names(self) -> list[str]:
        """The name of each call's tool, in order."""
        return [call.name for call in self.calls]

    @property
    def counts(self) -> dict[str, int]:
        """How often each tool was called."""
        return dict(Counter(self.names))

    @property
    def usage(self) -> Usage | None:
        """What all model calls used together; a field that one of them did not report is None, and so is all of it without a call."""
        used = [request.usage or Usage() for request in self.requests]
        return functools.reduce(operator.add, used) if used else None

    @property
    def tokens(self) -> int | None:
        """Input and output tokens of all model calls (0 without one), or None where one of them reported no usage."""
        if "usage" in self.blind:
            return None
        return _sum(None if each.usage is None else each.usage.total for each in self.requests)

    @property
    def cost(self) -> float | None:
        """US dollars for all model calls, or None where the price of one of them is not known."""
        return (
            _sum(None if each.usage is None else each.usage.cost for each in self.requests) if self.requests else None
        )

    @property
    def errors(self) -> list[str]:
        """What went wrong at the calls that did not work, in order."""
        return [call.error for call in self.calls if call.error is not None]

    def hides(self, tool: str | None = None) -> bool:
        """Whether calls can't be seen: to a tool of this name, which may mean several, or to any tool."""
        hidden = [each.removeprefix(CALLS_OF) for each in self.blind if each.startswith(CALLS_OF)]
        if tool is None or "calls" in self.blind:
            return bool(hidden) or "calls" in self.blind
        # Behind a server of the provider's may stand a tool of any name that is not the agent's own.
        foreign = "*" in hidden and (is_glob(tool) or tool not in (self.tools or ()))
        return foreign or any(suits(tool, each) for each in hidden)

    def called(self, name: str, /, **arguments: Any) -> bool:
        """Whether `name` was called, however that ended, with arguments that match (by the rules of matching one argument).

        Raises `UsageError` for a name that is no tool of the agent where a near one is: it would be False for ever; and where it was not
        seen to be called and calls can't be seen (`blind`), or a predicate raised, which tells nothing.
        """
        self._known(name)
        with heard() as raised:
            found = any(call.name == name and matches_arguments(arguments, call.arguments) for call in self.calls)
        if not found and raised:
            told = f"{type(raised[0]).__name__}: {raised[0]}"
            raise UsageError(f'whether "{name}" was called so can\'t be told: what it is asked by raised {told}')
        if not found and self.hides(name):
            raise UsageError(f"whether \"{name}\" was called can't be told: the adapter can't see the calls")
        return found

    def before(self, first: str, second: str) -> bool:
        """Whether both tools were called, and the first call to `first` stands before the first call to `second`; `UsageError` where that can't be seen."""
        self._known(first)
        self._known(second)
        if "order" in self.blind or self.hides(first) or self.hides(second):
            raise UsageError(
                f'whether "{first}" was called before "{second}" can\'t be told: the adapter can\'t see it'
            )
        names = self.names
        return first in names and second in names and names.index(first) < names.index(second)

    def _known(self, name: str) -> None:
        if self.tools is not None and name not in self.tools and name not in self.names and nearest(name, self.tools):
            raise UsageError(f'the agent has no tool "{name}"{did_you_mean(name, self.tools)}')

    def to_json(self) -> dict[str, Any]:
        """The transcript as JSON-able data, with its schema number; what JSON has no word for is kept as text."""
        return jsonable.transcript_to_json(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """The transcript that `to_json` gave `data` for; raises `UsageError` for a schema that is not known."""
        return jsonable.transcript_from_json(data)
