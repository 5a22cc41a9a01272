"""What a tape hears of an attempt's hooks: tool calls are recorded as they end, or answered where a stub would answer."""

from __future__ import annotations

import asyncio
from typing import Any

from ...calling import called, inside
from ...hooks import LlmEvent, Registry, ToolEvent
from ...messages import ToolCall
from ...tools import BadArguments
from ..jsonable import plain
from ..known import Known
from ..sealing import Sealed
from ..subject import Subject
from . import comparing, values, wording
from .cassette import Entry
from .matching import Shelf
from .sides import TOOLS
from .tape import Tape


class Calls:
    """The tool calls of one attempt, on their way to its tape or from it.

    A tool in which an agent works (one that asks a model in its turn) is not frozen: it runs, and what that agent asks is answered. A call
    that a tool makes of another tool is told again before the tool's own answer is given, so that it is seen as it was.
    """

    def __init__(self, tape: Tape, refuse: bool) -> None:
        self.tape = tape
        self.refuse = refuse
        self._open: dict[int, tuple[ToolEvent, Entry]] = {}
        self._played: dict[int, ToolEvent] = {}
        entries, day = ([], tape.today) if tape.recorded is None else (tape.recorded.tools, tape.recorded.day)
        self._shelf = Shelf(entries, lambda entry: [entry["tool"], comparing.arguments(entry["arguments"])], day)

    def first(self, subject: Subject) -> None:
        """Hear each event before all others."""
        for event in ("before_llm", "before_tool"):
            subject.on(event, self._stop_if_missed, inline=True, first=True)
        subject.on("before_llm", self._agent_inside, inline=True, first=True)
        subject.on("after_llm", self.tape.said, inline=True, first=True)
        subject.on("before_tool", self._call_inside, inline=True, first=True)
        # What stood for the tool was no stub: it is seen as it was.
        subject.on("after_tool", self._ended, inline=True, first=True)

    def last(self, subject: Subject) -> None:
        """Hear of a call when nobody else will change, answer or deny it; but before who keeps tools from running."""
        if TOOLS in self.tape.frozen:
            subject.on("approve_tool", self._play)
        elif TOOLS in self.tape.records:
            subject.on("approve_tool", self._begun, inline=True)

    def _stop_if_missed(self, event: Any) -> None:
        if self.tape.fault is not None:
            raise self.tape.fault

    # --- recording

    def _begun(self, event: ToolEvent) -> None:
        if event.answered or event.denied is not None or event.tool is None or event.arguments is None:
            return
        entry: Entry = {"tool": event.name, "arguments": plain(event.arguments)}
        assert self.tape.made is not None
        self.tape.made.tools.append(entry)
        self._open[id(event)] = event, entry

    def _agent_inside(self, event: LlmEvent) -> None:
        entry = self._parent()
        if entry is not None:
            entry["opened"] = True

    def _call_inside(self, event: ToolEvent) -> None:
        entry = self._parent()
        if entry is not None:
            entry.setdefault("calls", []).append({"tool": event.name, "arguments": plain(event.arguments)})

    def _parent(self) -> Entry | None:
        """The recording of the call whose tool runs here."""
        outer = inside.get()
        return None if outer is None else self._open.get(id(outer), (None, None))[1]

    def _ended(self, event: ToolEvent) -> None:
        if self._played.pop(id(event), None) is not None:
            event.outcome = "ran" if event.error is None else "failed"
            return
        _, entry = self._open.pop(id(event), (None, None))
        if entry is None:
            return
        entry |= {"steered": True} if event.steered == "state" else {}
        if entry.get("opened") or event.steered == "control":
            entry["opened"] = True
            entry.pop("calls", None)
        elif event.outcome == "ran":
            entry |= values.kept(event.result)
        elif event.outcome == "failed" and event.error is not None and _is_the_tools(event.error):
            entry["raised"] = values.raised(event.error)
        else:
            self._forget(entry)

    def _forget(self, entry: Entry) -> None:
        """A call that did not come to the tool, or not to its end."""
        if self.tape.made is not None:
            self.tape.made.tools[:] = [each for each in self.tape.made.tools if each is not entry]

    def end(self) -> None:
        """What still runs is not recorded."""
        for _, entry in self._open.values():
            self._forget(entry)
        self._open.clear()

    # --- replaying

    async def _play(self, event: ToolEvent) -> None:
        """Answer the call as it was answered; `ReplayError` where it was not."""
        if event.answered or event.denied is not None or event.tool is None:
            return
        if self.refuse and isinstance(event.tool, Sealed):
            return  # refused by who keeps it from running
        try:
            asked = [event.name, comparing.arguments(plain(_taken(event)))]
        except BadArguments as refused:
            self._answer(event, refused)
            return
        found = self._shelf.take(asked, self.tape.today)
        if found is None:
            raise self._missed(event.name, asked)
        if found.entry.get("opened"):
            self._let_run(event)
            return
        if found.entry.get("steered"):
            raise self.tape.fail(wording.steered(event.name))
        for call in found.entry.get("calls", ()):
            await _again(call)
        self._answer(event, self._end(found.entry))

    def _answer(self, event: ToolEvent, answer: Any) -> None:
        event.answer(answer)
        self._played[id(event)] = event

    def _end(self, entry: Entry) -> Any:
        try:
            return values.exception(entry["raised"]) if "raised" in entry else values.restored(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as odd:
            raise self.tape.fail(wording.odd_entry(f"{type(odd).__name__}: {odd}")) from odd

    def _let_run(self, event: ToolEvent) -> None:
        if event.name not in self.tape.opened:
            self.tape.opened.append(event.name)
        if isinstance(event.tool, Sealed):
            event.tool.opened = True
            event.swap(event.tool.real)

    def _missed(self, name: str, asked: Any) -> BaseException:
        times = self._shelf.times(asked)
        if times:
            return self.tape.fail(wording.spent(wording.call_again(name, asked[1]), times))
        same = [each for each in self._shelf.all if each.asked[0] == name]
        if not same:
            return self.tape.fail(
                wording.never_recorded(name, list(dict.fromkeys(e.asked[0] for e in self._shelf.all)))
            )
        nearest = max(same, key=lambda each: (comparing.likeness(each.asked[1], asked[1]), not each.given))
        where, recorded, now = comparing.difference(nearest.asked[1], asked[1]) or ("", None, None)
        return self.tape.fail(wording.unlike(name, asked[1], nearest.asked[1], where, recorded, now))


def _taken(event: ToolEvent) -> Any:
    """The arguments, where the tool would take them; `BadArguments` where it would not."""
    if event.arguments is None:
        raise BadArguments(f"the arguments are not a JSON object: {event.call.arguments!s:.200}")
    if event.tool is not None:
        event.tool.validated(event.arguments)
    return event.arguments


def _is_the_tools(error: BaseException) -> bool:
    """Whether the tool itself raised it: not what its signature refuses, nor what ended the turn."""
    return isinstance(error, Exception) and not isinstance(error, (BadArguments, asyncio.CancelledError))


async def _again(call: Entry) -> None:
    """A call that a tool made of another, told as it was then; whoever answers tools answers this one too."""
    nowhere: Any = None
    asked = ToolCall(name=call["tool"], arguments=dict(call["arguments"] or {}))
    event = ToolEvent(nowhere, asked, 0, tool=Known(call["tool"], check=dict), arguments=dict(call["arguments"] or {}))
    await called(event, Registry(), [call["tool"]])
