"""How often a model call that failed is tried again, and how long is waited in between."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from ..errors import ModelError, UsageError, literal

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """The tries that follow a model call which failed for a passing reason.

    At most `limit` more tries. Without a word from the provider the waits double from `first` seconds up to
    `ceiling`, each shortened at random by up to a half, so that attempts which were refused together don't come back
    together. A provider's `Retry-After` is obeyed, and a tenth at most added to it for the same reason; one that asks for
    less than the first wait (0, a date that is past) gets that, and one that asks for more than `longest` seconds ends the call at once. `sleep` and `random` can be replaced, so that a test need
    not wait.
    """

    limit: int = 2
    first: float = 0.5
    ceiling: float = 8.0
    longest: float = 60.0
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep
    random: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 0:
            raise UsageError(f"retries must be a whole number of 0 or more, got {literal(self.limit)}")

    async def run(self, call: Callable[[], Awaitable[T]], record: Callable[[str], object]) -> T:
        """What `call()` answers in the end; `record` gets one sentence for each try that failed before."""
        tries = 0
        while True:
            try:
                return await call()
            except ModelError as error:
                if not error.transient or tries >= self.limit:
                    raise
                seconds = self._wait(error, tries)
                record(f"{error}; waited {_seconds(seconds)}")
            await self.sleep(seconds)
            tries += 1

    def _wait(self, error: ModelError, tries: int) -> float:
        if error.retry_after is None:
            return self._own(tries)
        if error.retry_after > self.longest:
            told = f"asked to wait {_seconds(error.retry_after)}, longer than {_seconds(self.longest)}"
            raise ModelError(
                # Whoever tried before may have given up for the same reason, and said so.
                str(error) if str(error).endswith(told) else f"{error}; {told}",
                status=error.status,
                transient=True,
                retry_after=error.retry_after,
            ) from error
        # All tries would be spent within milliseconds where nothing is asked for.
        asked = max(error.retry_after * (1 + self.random() / 10), self._own(0))
        return float(min(asked, self.longest))

    def _own(self, tries: int) -> float:
        """The seconds that nobody asked for."""
        return float(min(self.first * 2**tries, self.ceiling) * (1 - self.random() / 2))


def _seconds(number: float) -> str:
    return f"{number:.3g} s" if number < 100 else f"{number:.0f} s"
