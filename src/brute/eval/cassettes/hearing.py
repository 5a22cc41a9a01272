"""What a judge is asked about an attempt, recorded with the rest of the attempt or answered from its cassette.

The judge is asked by the run, when the attempt has ended and its cassette is written, wherever that was made; so its answers are
put into that file afterwards.
"""

from __future__ import annotations

import contextlib
import datetime
from typing import TYPE_CHECKING

from ...leaves import in_thread
from ..attempt import Job
from ..faulty import ReplayError
from ..transcript import Transcript
from .sides import MODEL

if TYPE_CHECKING:
    from .deck import Deck
    from .tape import Tape


class Hearing:
    """The hearing of a judge about one attempt, by the deck of its suite; None where that is neither recorded nor replayed."""

    def __init__(self, deck: Deck | None, job: Job) -> None:
        self._deck = deck
        self._job = job
        self._tape: Tape | None = None

    @property
    def replays(self) -> bool:
        """Whether the judge's answers are those of the recording, for which nothing is paid."""
        return self._deck is not None and MODEL in self._deck.replay

    @property
    def missing(self) -> str:
        """The sentence about the first thing that the recording lacked; empty where nothing did."""
        fault = None if self._tape is None else self._tape.fault
        return "" if fault is None else str(fault)

    async def begin(self) -> None:
        """Take the cassette out; raises `ReplayError` where there is none that can be played."""
        if self._deck is None:
            return
        if self.replays:
            self._tape = await in_thread(self._taken)
        elif MODEL in self._deck.record:
            from .cassette import Cassette
            from .tape import Tape

            made = Cassette(self._job.case.name, self._job.number, frozenset((MODEL,)), datetime.date.today())
            self._tape = Tape(made)

    def _taken(self) -> Tape:
        assert self._deck is not None
        from . import wording
        from .cassette import Cassette
        from .tape import Tape

        found = self._deck.recorded(self._job)
        if found.judge is None:
            raise ReplayError(wording.no_judge(self._deck.shown(self._job)))
        played = Cassette(found.case, found.attempt, found.sides, found.day, model=found.judge)
        return Tape(recorded=played, frozen=self._deck.replay)

    def on(self) -> contextlib.AbstractContextManager[None]:
        """While the judge is asked."""
        return contextlib.nullcontext() if self._tape is None else self._tape.on()

    async def end(self, transcript: Transcript, why: str | None) -> str | None:
        """Put what was recorded into the attempt's cassette, where that was written and there is no reason `why` not to; what went wrong in that."""
        if self._deck is None or self._tape is None or self._tape.made is None:
            return None
        from . import wording

        self._tape.end()
        why = why or self._tape.refused
        if not any(note.startswith(wording.written("")) for note in transcript.notes):
            return None
        if why is not None:
            transcript.notes.append(wording.judge_not_recorded(why))
            return None
        wrong: str | None = await in_thread(self._written)
        return wrong

    def _written(self) -> str | None:
        assert self._deck is not None
        assert self._tape is not None
        assert self._tape.made is not None
        from . import cassette, wording

        place, shown = self._deck.place(self._job), self._deck.shown(self._job)
        try:
            found = cassette.read(place, shown)
            found.judge = self._tape.made.model
            found.write(place)
        except ReplayError as odd:
            return str(odd)
        except (OSError, ValueError) as error:
            return wording.unwritten(shown, getattr(error, "strerror", None) or str(error))
        return None
