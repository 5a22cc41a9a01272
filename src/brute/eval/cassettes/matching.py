"""The recorded answers of one side that have not been given yet, and how the right one is found: by what was asked, then by occurrence."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

from .cassette import Entry
from .comparing import key, undated


class Recorded:
    """One recorded answer: what was asked for it, as it counts, and whether it has been given."""

    __slots__ = ("asked", "entry", "exact", "given", "loose")

    def __init__(self, entry: Entry, asked: Any, day: datetime.date) -> None:
        self.entry = entry
        self.asked = asked
        self.exact = key(asked)
        self.loose = undated(self.exact, day)
        self.given = False


class Shelf:
    """The answers of one side. `asked` says of an entry what it was asked for; `day` is when they were recorded."""

    def __init__(self, entries: Sequence[Entry], asked: Callable[[Entry], Any], day: datetime.date) -> None:
        self.day = day
        self.all = [Recorded(entry, asked(entry), day) for entry in entries]

    def take(self, asked: Any, today: datetime.date) -> Recorded | None:
        """The next answer to what is asked; None where there is none, or none any more.

        What is the same but for the day's own date, on each side, is the same: many a prompt says what day it is.
        """
        exact = key(asked)
        found = self._next(lambda each: each.exact == exact)
        if found is None:
            # What a recorded answer said of its day comes back in the next request.
            loose = undated(undated(exact, today), self.day)
            if loose == exact:
                return None
            found = self._next(lambda each: each.loose == loose)
        if found is not None:
            found.given = True
        return found

    def _next(self, fits: Callable[[Recorded], bool]) -> Recorded | None:
        return next((each for each in self.all if not each.given and fits(each)), None)

    def has_other_than(self, kind: str) -> bool:
        """Whether an answer of another kind has not been given yet."""
        return any(not each.given and each.asked[0] != kind for each in self.all)

    def times(self, asked: Any) -> int:
        """How often exactly this was recorded."""
        exact = key(asked)
        return sum(each.exact == exact for each in self.all)
