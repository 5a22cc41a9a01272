"""How many calls to one provider are under way at a time: fewer when it says that it is asked too much, and then slowly more again."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel

from ..errors import ModelError

if TYPE_CHECKING:
    from ..hooks import LlmEvent

CROWDED = frozenset({429, 503, 529})
"""The statuses by which a provider says that it is asked too much."""

PATIENCE = 5.0
"""Seconds at the least for which a call that waits for its answer has its place, where others wait for one."""

TIMES = 4
"""How many times longer than usual a call may take and keep its place."""

MOST = 64
"""How many providers are kept apart on one loop; of more, those that nobody is asking are forgotten."""


class Limiter:
    """The calls to one provider: as many as one likes until it is asked too much.

    Then half as many as were under way, once for all that were sent before that, and one more each time that so many have been
    answered: additive increase, multiplicative decrease. `narrowed` counts the halvings, `narrowest` is the least that it came to.

    A call that takes much longer than is usual gives its place back: a few that the provider never answers would hold up all others for ever.
    """

    def __init__(self) -> None:
        self.narrowed = 0
        self.narrowest = math.inf
        self._slots = anyio.CapacityLimiter(math.inf)
        self._room: float = math.inf
        self._answered = 0
        self._usual = 0.0
        self._placed: dict[object, float] = {}

    @contextlib.asynccontextmanager
    async def call(self, event: LlmEvent | None = None) -> AsyncIterator[None]:
        """One call's turn; waits for it where too many are under way, which its event tells meanwhile."""
        borrower = object()
        await self._acquire(borrower, event)
        age = self.narrowed
        began = self._placed[borrower] = time.perf_counter()
        if self._room < math.inf:
            self._let_go_later(borrower)
        try:
            yield
        except ModelError as error:
            # Those that were sent before it was last narrowed say nothing new.
            if error.status in CROWDED and error.transient and age == self.narrowed:
                self._narrow()
            raise
        else:
            took = time.perf_counter() - began
            self._usual = took if not self._usual else 0.8 * self._usual + 0.2 * took
            self._widen()
        finally:
            self._let_go(borrower)

    async def _acquire(self, borrower: object, event: LlmEvent | None) -> None:
        if event is not None:
            event.queued = time.perf_counter()
        # Cancelled, it still waits for its place: that it did is why it was never sent.
        await self._slots.acquire_on_behalf_of(borrower)
        if event is not None:
            event.queued = None

    def _let_go_later(self, borrower: object) -> None:
        import asyncio

        patience = max(PATIENCE, TIMES * self._usual)
        left = self._placed[borrower] + patience - time.perf_counter()
        asyncio.get_running_loop().call_later(max(left, 0.0), self._let_go, borrower)

    def _let_go(self, borrower: object) -> None:
        """Give its place to another, unless it was given already."""
        if self._placed.pop(borrower, None) is not None:
            self._slots.release_on_behalf_of(borrower)

    @property
    def busy(self) -> int:
        """How many calls are under way."""
        return self._slots.borrowed_tokens

    def _narrow(self) -> None:
        self.narrowed += 1
        self._answered = 0
        unlimited = self._room == math.inf
        self._set(max(1, self.busy // 2))
        self.narrowest = min(self.narrowest, self._room)
        if unlimited:
            for borrower in self._placed:
                self._let_go_later(borrower)

    def _widen(self) -> None:
        self._answered += 1
        if self._answered >= self._room:
            self._answered = 0
            self._set(self._room + 1)

    def _set(self, room: float) -> None:
        self._room = room
        self._slots.total_tokens = room


_limiters: anyio.lowlevel.RunVar[dict[Any, Limiter]] = anyio.lowlevel.RunVar("brute_limiters")


def limiter(provider: str, base_url: str | None) -> Limiter:
    """The limiter of a provider at an address, for all that runs on this loop."""
    kept = _kept()
    key = (provider, base_url)
    if key not in kept and len(kept) >= MOST:
        for idle in [each for each, made in kept.items() if not made.busy][: MOST // 2]:
            del kept[idle]
    return kept.setdefault(key, Limiter())


def narrowed() -> list[tuple[str, int, int]]:
    """The providers that were asked too much on this loop: the address or name, how often it was narrowed, and to how many calls.

    Whoever asks is told once: the counts begin anew.
    """
    told = []
    for (provider, base_url), made in _kept().items():
        if made.narrowed:
            told.append((base_url or provider, made.narrowed, int(made.narrowest)))
            made.narrowed, made.narrowest = 0, math.inf
    return told


def _kept() -> dict[Any, Limiter]:
    try:
        return _limiters.get()
    except LookupError:
        kept: dict[Any, Limiter] = {}
        _limiters.set(kept)
        return kept
