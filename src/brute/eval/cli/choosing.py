"""The choice of cases by name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from ..case import Case
from ..reporters.inert import inert
from ..wording import both, quote


def wanted(texts: Sequence[str], case: Case) -> bool:
    """Whether the case's name holds one of the texts, whatever the letters' case; without a text, every case is wanted."""
    return not texts or any(text.casefold() in case.name.casefold() for text in texts)


def none_wanted(texts: Sequence[str], names: Sequence[str]) -> str:
    """The sentence for a choice that no case meets, with the nearest name, or all of them where none is near."""
    asked = " or ".join(map(quote, texts))
    near = max(names, key=lambda name: _likeness(texts, name), default=None)
    if near is not None and _likeness(texts, near) >= 0.6:
        return f"no case has {asked} in its name (did you mean {inert(quote(near))}?)"
    return f"no case has {asked} in its name; cases are {inert(both(map(quote, names)), 1000)}"


def _likeness(texts: Sequence[str], name: str) -> float:
    """How much one of the texts is like the name, or like a word of it (one asks for a case by a word)."""
    words = [name.casefold(), *name.casefold().split()]
    return max(difflib.SequenceMatcher(None, text.casefold(), word).ratio() for text in texts for word in words)
