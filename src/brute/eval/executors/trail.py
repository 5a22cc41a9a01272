"""How a turn is told of as it goes on, so that what was seen of it outlives the process that it runs in."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable
from typing import Any

from .. import wording
from ..case import Case
from ..jsonable import plain, transcript_from_json
from ..observer import Observer
from ..runner import Runner
from ..stages import BUILDING, CLOSING, MAKING, PREPARING, STUBBING, Stage
from ..subject import Subject, Watcher
from ..transcript import Transcript
from ..underway import Underway
from ..world import World

Tell = Callable[[dict[str, Any]], None]

CHECKING = Stage("error.check", "the check crashed", "the check")
STAGES = {stage.name: stage for stage in (MAKING, BUILDING, PREPARING, STUBBING, CLOSING, CHECKING)}

TURN, OVER = b'{"stage":null}', b'{"over":true}'
"""What is told when the turn begins, and when it is over."""

_TOLD_AT = ("before_turn", "before_llm", "after_llm", "before_tool", "after_tool")


class TellingRunner(Runner):
    """A runner whose attempts tell `tell` where they are and what has come of them."""

    tell: Tell

    def begun(self, case: Case) -> Underway:
        """One attempt that tells of itself."""
        return _Underway(self, case, self.tell)

    async def _close(self, under: Underway, world: World) -> None:
        self.tell({"over": True})
        await super()._close(under, world)
        if under.case.check is not None:
            self.tell({"stage": CHECKING.name})


class _Underway(Underway):
    def __init__(self, runner: Runner, case: Case, tell: Tell) -> None:
        self._tell = tell
        self._stage: Stage | None = None
        super().__init__(runner, case)
        self.observer = _Observer(self.transcript, case.budget, runner.clock, tell)

    @property
    def stage(self) -> Stage | None:
        return self._stage

    @stage.setter
    def stage(self, stage: Stage | None) -> None:
        self._stage = stage
        self._tell({"stage": None if stage is None else stage.name})


class _Observer(Observer):
    """An eye that tells of what has grown since it last did; each message, call and request is told of when it comes and when it ends."""

    def __init__(self, transcript: Transcript, budget: Any, clock: Callable[[], float], tell: Tell) -> None:
        super().__init__(transcript, budget, clock)
        self._tell = tell
        self._messages = 0
        self._latest: Any = None
        self._settled = {"calls": 0, "requests": 0}

    def watch_first(self, subject: Subject, must_not_run: Callable[[str], bool] = lambda tool: False) -> list[Watcher]:
        return [*super().watch_first(subject, must_not_run), *((event, self._grown) for event in _TOLD_AT)]

    def watch_last(self) -> list[Watcher]:
        return [*super().watch_last(), ("approve_tool", self._grown)]

    def _grown(self, event: Any) -> None:
        if self.ended or self._env is None:
            return
        told = {
            "seconds": self.seconds,
            "iterations": self.transcript.iterations,
            "tools": self.transcript.tools,
            "stopped": self.transcript.stopped,
            "messages": self._messages_since(self._env.messages),
            "calls": self._since("calls", self.transcript.calls),
            "requests": self._since("requests", self.transcript.requests),
            "notes": self.transcript.notes,
        }
        self._tell({name: value for name, value in told.items() if value})

    def _messages_since(self, messages: list[Any]) -> list[Any]:
        """Where the new ones begin, and what they are; all of them where a layer has rewritten the conversation."""
        start = self._messages
        if start > len(messages) or (start and messages[start - 1] is not self._latest):
            start = 0
        if start == len(messages):
            return []
        self._messages, self._latest = len(messages), messages[-1]
        return [start, [plain(self.bound.message(message)) for message in messages[start:]]]

    def _since(self, what: str, all: list[Any]) -> list[Any]:
        """Where those begin that had not ended when they were last told of, and what they are."""
        start = self._settled[what]
        told = [plain(each) for each in all[start:]]
        while self._settled[what] < len(all) and all[self._settled[what]].ended is not None:
            self._settled[what] += 1
        return [start, told] if told else []


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of an attempt: its transcript, what it was doing beside the turn (None: the turn), and where in the turn it was."""

    transcript: Transcript
    stage: Stage | None
    where: str


def seen(case: Case, told: Iterable[bytes], blind: bool = False) -> Seen:
    """What all that an attempt told of comes to."""
    lists: dict[str, list[Any]] = {"messages": [], "calls": [], "requests": []}
    fields: dict[str, Any] = {"said": case.said}
    stage: str | None = MAKING.name
    for each in map(json.loads, told):
        if "stage" in each:
            stage = each["stage"]
            continue
        for name, value in each.items():
            if name in lists:
                start, new = value
                lists[name][start:] = new
            else:
                fields[name] = value
    transcript = transcript_from_json({"schema": 1, **fields, **lists})
    return Seen(transcript, None if stage is None else STAGES[stage], _cut(transcript))


def _cut(transcript: Transcript) -> str:
    """Note which calls and requests never ended, and answer what the turn was in the middle of."""
    running = [call for call in transcript.calls if call.started is not None and call.ended is None]
    asking = [request for request in transcript.requests if request.ended is None]
    for call in running:
        call.outcome, call.error = "failed", wording.CUT_CALL
    for request in asking:
        request.error = wording.CUT_REQUEST
    names = list(dict.fromkeys(call.name for call in running))
    if names:
        return f"tool{'s' if len(names) > 1 else ''} {wording.listed(names)}"
    return "the model call" if asking else "the agent's own code"
