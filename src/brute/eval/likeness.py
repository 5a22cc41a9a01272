"""The small values for what is as good as equal: a number within a tolerance (`near`), a text in other dress (`same_text`)."""

from __future__ import annotations

import dataclasses
import math
import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ..errors import UsageError
from .arguments import shown
from .matching import Wish

Show = Callable[[Any], str]


@dataclasses.dataclass(frozen=True, slots=True)
class Near(Wish):
    """A number within a tolerance."""

    number: float
    within: float | None
    percent: float | None

    def agrees(self, got: Any) -> bool:
        """Whether it is a number that is no further away, reckoned exactly as both are written."""
        if not _is_number(got):
            return False
        wanted = _exact(self.number)
        away = abs(_exact(got) - wanted)
        within = _exact(self.within) if self.within is not None else abs(wanted) * _exact(self.percent or 0) / 100
        return away <= within

    def words(self, show: Show) -> str:
        """What is wanted."""
        return (
            f"{self.number} within {self.percent} %" if self.within is None else f"{self.number} within {self.within}"
        )

    def __repr__(self) -> str:
        return (
            f"near({self.number}, {self.within})"
            if self.percent is None
            else f"near({self.number}, percent={self.percent})"
        )


def _exact(number: float) -> Fraction:
    # That of a subclass (numpy.float64) may be no number.
    return Fraction(number) if isinstance(number, int) else Fraction(float.__repr__(number))


def near(number: float, within: float | None = None, *, percent: float | None = None) -> Near:
    """A number no further from `number` than `within`, or than so many percent of it.

    >>> from brute.eval.matching import matches
    >>> matches(near(4.25, 0.01), 4.26), matches(near(200, percent=5), 211), matches(near(1, 0.5), "1")
    (True, False, False)
    """
    if not _is_number(number):
        raise UsageError(f"near takes a number, got {shown(number)}")
    if (within is None) == (percent is None):
        raise UsageError(f"near({number}) needs either within=, a number, or percent=")
    name, amount = ("within", within) if percent is None else ("percent", percent)
    if not _is_number(amount) or amount < 0:  # type: ignore[operator]
        raise UsageError(f"near({number}): {name} must be a number >= 0, got {shown(amount)}")
    return Near(number, within, percent)


def _is_number(value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or (isinstance(value, float) and math.isfinite(value))


@dataclasses.dataclass(frozen=True, slots=True)
class SameText(Wish):
    """A text, whatever its case, its spaces and its punctuation."""

    text: str

    def agrees(self, got: Any) -> bool:
        """Whether it is a text of the same words and numbers."""
        return isinstance(got, str) and bare(got) == bare(self.text)

    def words(self, show: Show) -> str:
        """What is wanted."""
        return f"the words {show(self.text)}"

    def __repr__(self) -> str:
        return f"same_text({self.text!r})"


def same_text(text: str) -> SameText:
    """A text that is equal once case, spaces and punctuation are put aside.

    >>> from brute.eval.matching import matches
    >>> matches(same_text("Bank of England"), " bank of  ENGLAND."), matches(same_text("4.25"), "425")
    (True, False)
    """
    if not isinstance(text, str):
        raise UsageError(f"same_text takes a text, got {shown(text)}")
    if not bare(text):
        raise UsageError(f"same_text takes a text with something in it that is not punctuation, got {shown(text)}")
    return SameText(text)


_PUNCTUATION = re.compile(
    # What is part of a number stays: the point, comma, colon and slash inside it, and the sign before it; so does the point that a name
    # begins with (.env), and the one inside a name (ann.lee@example.com, notes.txt), but not that of letters one by one (U.S., 5p.m.) or of a degree (Ph.D.).
    r"(?<=\d)[.,:/](?=\d)|(?<![\w)])[-.](?=\d)|(?<![\w).])\.(?=\w)"
    r"|(?<=\w\w)(?:(?<!\d[ap])\.|\.(?!m\b))(?<!\bph\.(?=d\b))(?=\w)|(?<=\w)\.(?=\w\w)(?<!\b[bm]\.(?=sc\b))"
    r"|(?P<gap>[\s\-/_]+)|(?P<gone>[.,;:!?'\"()\[\]{}`*])"
)
_ALIKE = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-", "…": "."}
)


def bare(text: str) -> str:
    """The text without case and punctuation, its words one space apart.

    >>> bare("The U.S. -- 'New-York'"), bare("-4.25 %"), bare("C++"), bare(".env")
    ('the us new york', '-4.25 %', 'c++', '.env')
    """
    folded = unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold()
    plain = _PUNCTUATION.sub(lambda m: " " if m["gap"] else "" if m["gone"] else m[0], folded)
    return " ".join(plain.split())
