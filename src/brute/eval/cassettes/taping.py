"""The taping of one attempt: from the reading of its cassette to the writing of one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..attempt import Job
from ..observer import Observer
from ..subject import Subject
from ..transcript import Transcript
from ..verdict import Verdict
from .calls import Calls
from .deck import Deck, replayed
from .sides import MODEL, Sides
from .tape import Tape

_T = TypeVar("_T")
_A = TypeVar("_A")


class Taping:
    """The taping of one attempt, by the deck of its suite."""

    def __init__(self, deck: Deck, job: Job) -> None:
        self.deck = deck
        self.job = job
        self.tape: Tape | None = None
        self._calls: Calls | None = None

    @property
    def frozen(self) -> Sides:
        """The sides that are answered from the recording."""
        return self.deck.replay

    @property
    def freezes_model(self) -> bool:
        """Whether no model is asked, so that nothing is paid."""
        return MODEL in self.deck.replay

    def begin(self) -> None:
        """Take the cassette out; raises `ReplayError` where there is none that can be played."""
        self.tape = self.deck.tape(self.job)

    def first(self, subject: Subject, observer: Observer, refuse: bool) -> None:
        """Subscribe before the observer does."""
        assert self.tape is not None

        def failed(error: BaseException) -> None:
            if not observer.ended:
                observer.fault = observer.fault or error

        self.tape.failed = failed
        if self.tape.fault is not None:  # the agent's building had swallowed it
            failed(self.tape.fault)
        self.tape.turn_begins()
        self._calls = Calls(self.tape, refuse)
        self._calls.first(subject)

    def last(self, subject: Subject) -> None:
        """Subscribe after everyone who may change, answer or deny a call."""
        assert self._calls is not None
        self._calls.last(subject)

    async def during(self, doing: Callable[[_A], Awaitable[_T]], given: _A) -> _T:
        """What `doing(given)` answers, which builds the agent, or runs its turn."""
        assert self.tape is not None
        with self.tape.on():
            return await doing(given)

    def over(self, transcript: Transcript) -> None:
        """The turn has ended; its transcript is graded next."""
        if self._calls is not None:
            self._calls.end()
        if self.tape is not None:
            self.tape.end()
            replayed(self.tape, transcript)

    def ended(self, verdict: Verdict, transcript: Transcript) -> Verdict:
        """The attempt has ended, with this verdict."""
        return verdict if self.tape is None else self.deck.ended(self.job, self.tape, verdict, transcript)
