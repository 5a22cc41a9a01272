"""What a whole run may spend, shared by all of its attempts, and what it has spent so far."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Iterator

from ..errors import TurnStopped, UsageError
from ..hooks import LlmEvent
from ..messages import Usage
from . import remarks
from .arguments import shown
from .spent import Spent as Spent


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What a run may spend: US dollars, tokens, seconds of wall time; None is no cap.

    >>> Caps(tokens=0)
    Traceback (most recent call last):
    brute.errors.UsageError: max_tokens must be a whole number > 0, got 0
    """

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        _check("max_cost", self.cost, "a number of US dollars")
        _check("max_tokens", self.tokens, "a whole number", whole=True)
        _check("max_seconds", self.seconds, "a number of seconds")


class Meter:
    """What a run has spent so far, and the caps on it; `within` is that of the command which the run is a part of.

    Every model call is counted when its usage comes in, those of tries and attempts that came to nothing too. `reached` is a
    sentence that says which cap was reached, None before that. What is not known counts as nothing, so that a cap may be passed
    unseen: `notes` says so.
    """

    def __init__(
        self, caps: Caps | None = None, within: Meter | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.caps = caps or Caps()
        self.within = within
        self.clock = clock
        self.began: float | None = None
        self.calls = self.uncounted = self.unpriced = 0
        self.tokens = 0
        self.cost = 0.0
        self._reached: str | None = None
        self._counting = self.caps.cost is not None or self.caps.tokens is not None
        self._stop: Callable[[], object] | None = None

    @property
    def reached(self) -> str | None:
        """Which cap was reached, the command's own or that of the run alone."""
        return self._reached or (self.within.reached if self.within is not None else None)

    def used(self, usage: Usage | None) -> bool:
        """Count a model call (None: it reported nothing); whether a cap is reached."""
        given, answered, cost = (None, None, None) if usage is None else (usage.input, usage.output, usage.cost)
        self.calls += 1
        if given is None or answered is None:
            self.uncounted += 1
        self.tokens += (given or 0) + (answered or 0)
        if cost is None:
            self.unpriced += 1
        else:
            self.cost += cost
        if self._counting:
            self._look()
        if self.within is None:
            return self._reached is not None
        self.within.used(usage)
        return self.reached is not None

    def _look(self) -> None:
        if self.caps.cost is not None and self.cost >= self.caps.cost:
            self._reach(remarks.cap_of_cost(self.caps.cost, self.cost))
        if self.caps.tokens is not None and self.tokens >= self.caps.tokens:
            self._reach(remarks.cap_of_tokens(self.caps.tokens, self.tokens))

    def had(self, spent: Spent) -> None:
        """Count what the run had spent before it was gone on with; `within` hears of that by itself."""
        self.calls += spent.calls
        self.uncounted += spent.uncounted
        self.unpriced += spent.unpriced
        self.tokens += spent.tokens
        self.cost += spent.cost
        self._look()

    @property
    def spent(self) -> Spent:
        """What was spent so far."""
        return Spent(self.calls, self.uncounted, self.unpriced, self.tokens, self.cost)

    @property
    def counts(self) -> bool:
        """Whether it matters here, or to the command, what was spent."""
        own = self.caps.cost is not None or self.caps.tokens is not None
        return own or (self.within is not None and self.within.counts)

    def heard(self, event: LlmEvent) -> None:
        """The subscriber that counts the model calls of a turn, and stops it when a cap is reached."""
        if self.used(event.usage):
            raise TurnStopped("a cap of the whole run is reached")

    @contextlib.contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """Call `stop` when a cap is reached while this lasts; the seconds count from the first time on."""
        import asyncio

        loop = asyncio.get_running_loop()
        self.began = self.clock() if self.began is None else self.began
        timer = None
        if self.caps.seconds is not None:
            left = self.caps.seconds - (self.clock() - self.began)
            timer = loop.call_later(max(left, 0), self._reach, remarks.cap_of_seconds(self.caps.seconds))
        self._stop = stop
        try:
            with self.within.stopping(stop) if self.within is not None else contextlib.nullcontext():
                yield
        finally:
            self._stop = None
            if timer is not None:
                timer.cancel()

    def _reach(self, sentence: str) -> None:
        if self._reached is not None:
            return
        self._reached = sentence
        if self._stop is not None:
            self._stop()

    def notes(self) -> list[str]:
        """What these caps could not see; `within` tells of its own, once for all of its runs."""
        notes = []
        if self.caps.cost is not None and self.unpriced:
            notes.append(remarks.cap_blind("cost", self.unpriced, self.calls))
        if self.caps.tokens is not None and self.uncounted:
            notes.append(remarks.cap_blind("tokens", self.uncounted, self.calls))
        return notes


def _check(name: str, given: object, allowed: str, *, whole: bool = False) -> None:
    right = isinstance(given, int if whole else (int, float)) and not isinstance(given, bool)
    if given is not None and not (right and 0 < given < math.inf):  # type: ignore[operator]
        raise UsageError(f"{name} must be {allowed} > 0, got {shown(given)}")
