"""The tape of one attempt: what its models are asked goes by here, to be recorded or to be answered from a cassette."""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Callable, Iterator
from typing import Any

from ...calling import inside
from ...env import Env
from ...tapping import Code, Live, Messages, conversation, tapping
from ..faulty import ReplayError
from ..jsonable import plain
from . import comparing, values, wording
from .cassette import Cassette, Entry
from .exchange import Answer, Request
from .matching import Shelf
from .scope import current, passing
from .scope import heard as hearing
from .sides import BOTH, MODEL, Sides
from .taking import Several, Taking, as_messages, quietly, where


class Tape:
    """The tape of one attempt: `made` is what it records, `recorded` what it plays, each None where it does not.

    `frozen` are the sides that are answered from `recorded`. `fault` is the first thing that was missing there, told to `failed` when it is
    found; `refused` says why the attempt can't be recorded.
    """

    def __init__(
        self, made: Cassette | None = None, recorded: Cassette | None = None, frozen: Sides = frozenset()
    ) -> None:
        self.made = made
        self.recorded = recorded
        self.frozen = frozen
        self.fault: ReplayError | None = None
        self.failed: Callable[[ReplayError], object] = lambda error: None
        self.refused: str | None = None
        self.opened: list[str] = []
        self.today = datetime.date.today()
        self._native: set[int] = set()
        self._carried = self._ended = 0
        day = self.today if recorded is None else recorded.day
        entries = [] if recorded is None else recorded.model
        self._shelf = Shelf(entries, lambda entry: [entry["of"], comparing.content(entry["asked"])], day)

    @property
    def records(self) -> Sides:
        """The sides that are recorded."""
        return frozenset() if self.made is None else self.made.sides

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """While the agent is built, and while its turn runs."""
        token, tap = current.set(self), tapping.set(self)
        try:
            yield
        finally:
            current.reset(token)
            tapping.reset(tap)

    def turn_begins(self) -> None:
        """What was asked until now was asked while the agent was built, and is no model call of the turn."""
        self._carried = 0

    def fail(self, sentence: str) -> ReplayError:
        """Note what is missing; answers what is to be raised for it."""
        error = ReplayError(sentence)
        if self.fault is None:
            self.fault = error
            self.failed(error)
        return error

    # --- completions of ours

    async def asked(self, kind: str, asked: Callable[[], dict[str, Any]], live: Live, code: Code) -> Any:
        """What a model of ours answers."""
        heard = hearing.get()
        if heard is not None:
            heard.append(kind)
        if MODEL in self.frozen:
            return self._played(kind, plain(asked()), code)
        if MODEL not in self.records:
            return await quietly(live)
        entry = self._begun(kind, plain(asked()))
        try:
            answer = await quietly(live)
        except Exception as error:
            entry["raised"] = values.raised(error)
            raise
        except BaseException:
            self.dropped(entry)
            raise
        entry["answered"] = plain(code.told(answer))
        return answer

    async def completed(self, env: Env, live: Live) -> Any:
        """What a completion answers. One that asks no model that is known here is recorded by what it is handed and what it says."""
        self._native.add(id(env.request))
        asked = plain(conversation(env))
        if MODEL in self.frozen:
            found = self._found("completion", asked)
            if found is not None:
                *before, last = self._heard(found, Several())
                env.messages += before
                return last
            if not self._shelf.has_other_than("completion"):
                # It would ask for real: nothing that it could ask is in the recording.
                raise self._missed("completion", asked)
        heard: list[str] = []
        token, count = hearing.set(heard), len(env.messages)
        try:
            answer = await live()
        except Exception as error:
            if not heard:
                self._unheard(asked, {"raised": values.raised(error)})
            raise
        finally:
            hearing.reset(token)
        if not heard:
            said = [*env.messages[count:], *as_messages(answer, env.messages)]
            self._unheard(asked, {"answered": [Messages().told(each) for each in said]})
        return answer

    def _unheard(self, asked: Any, end: dict[str, Any]) -> None:
        """A completion that asked no model that is known here."""
        if MODEL in self.records:
            self._begun("completion", asked).update(plain(end))
        elif MODEL in self.frozen:
            raise self._missed("completion", asked)

    # --- requests over HTTP

    def http(self, request: Request) -> Answer | Taking | None:
        """The recorded answer to a request, or what records it, or None where it may go out; `ReplayError` for one that may not."""
        if passing.get():
            return None
        if request.to_tool_server or (inside.get() is not None and not request.to_model):
            if self.frozen == BOTH:
                raise self.fail(wording.beside_the_recording(request.host))
            return None
        if request.is_telemetry:
            if MODEL in self.frozen:
                raise ConnectionRefusedError("telemetry is not sent in a replay")
            return None
        heard = hearing.get()
        if heard is not None:
            heard.append("http")
        else:
            self._carried += 1
        asked = plain(request.asked())
        if MODEL in self.frozen:
            return self._answer(asked)
        return Taking(self, self._begun("http", asked)) if MODEL in self.records else None

    def _answer(self, asked: Any) -> Answer:
        found = self._found("http", asked)
        if found is None:
            raise self._missed("http", asked)
        answer: Answer = self._end(found, Answer.heard)
        return Answer(answer.status, answer.headers, answer.body, found.get("raised"))

    def said(self, event: Any) -> None:
        """A model call is over: of a framework's, it must have been seen on the wire."""
        if id(event) in self._native:
            self._native.discard(id(event))
            return
        if event.error is not None:
            return
        self._ended += 1
        if self._carried >= self._ended:
            return
        if MODEL in self.frozen:
            raise self.fail(wording.in_process())
        if MODEL in self.records:
            self.refused = (
                self.refused or "a model call was made inside this process, or over a wire that can't be recorded"
            )

    # --- the shelf

    def _begun(self, kind: str, asked: Any) -> Entry:
        assert self.made is not None
        entry: Entry = {"of": kind, "asked": asked}
        self.made.model.append(entry)
        return entry

    def end(self) -> None:
        """The turn is over: what has no answer by now, a stream that nobody read, is not recorded."""
        if self.made is not None:
            self.made.model[:] = [each for each in self.made.model if each.keys() & {"answered", "raised"}]

    def dropped(self, entry: Entry) -> None:
        """What never came to its end is not recorded."""
        if self.made is not None:
            self.made.model[:] = [each for each in self.made.model if each is not entry]

    def _found(self, kind: str, asked: Any) -> Entry | None:
        found = self._shelf.take([kind, comparing.content(asked)], self.today)
        return None if found is None else found.entry

    def _played(self, kind: str, asked: Any, code: Code) -> Any:
        found = self._found(kind, asked)
        if found is None:
            raise self._missed(kind, asked)
        return self._heard(found, code)

    def _heard(self, entry: Entry, code: Code) -> Any:
        return self._end(entry, lambda told: code.heard(json.loads(json.dumps(told))))

    def _end(self, entry: Entry, heard: Callable[[Any], Any]) -> Any:
        """What the entry's request came to: the answer, or the exception."""
        error, answer = None, None
        try:
            if "answered" in entry:
                answer = heard(entry["answered"])
            else:
                error = values.exception(entry["raised"])
        except (KeyError, TypeError, ValueError, AttributeError) as odd:
            raise self.fail(wording.odd_entry(f"{type(odd).__name__}: {odd}")) from odd
        if error is not None:
            raise error
        return answer

    def _missed(self, kind: str, asked: Any) -> ReplayError:
        """The error of a request that is not there: with the nearest that is, and where they first differ."""
        now = [kind, comparing.content(asked)]
        times = self._shelf.times(now)
        if times:
            return self.fail(wording.spent("the model", times))
        same = [(n, each) for n, each in enumerate(self._shelf.all, 1) if each.asked[0] == kind]
        if not same:
            return self.fail(wording.nothing_asked(where(asked)))
        number, nearest = max(same, key=lambda pair: (comparing.likeness(pair[1].asked, now), not pair[1].given))
        at, recorded, there = comparing.difference(nearest.asked[1], now[1]) or ("", None, None)
        path = at.removeprefix("body.") if kind == "http" else at
        return self.fail(wording.request_unlike(number, len(self._shelf.all), path, recorded, there))
