"""What holds while a suite runs that is recorded or replayed, and what its report says of that."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import remarks
from ..showing import visible
from ..transcript import Transcript
from .sides import MODEL

if TYPE_CHECKING:
    from ..suite import Suite


@contextlib.contextmanager
def taped(suite: Suite) -> Iterator[None]:
    """While the suite runs; nothing where it is neither recorded nor replayed."""
    deck = suite.deck()
    if deck is None:
        yield
        return
    from . import keys, wires

    deck.open()
    with wires.watched(), keys.given() if MODEL in deck.replay else contextlib.nullcontext():
        yield


class Replayed:
    """How many attempts of a run were answered from recordings, and of how many the model was."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def seen(self, transcript: Transcript) -> None:
        """Count an attempt that has ended."""
        if transcript.replayed:
            self._counts.update(("attempts", *transcript.replayed))

    def note(self, suite: str) -> str:
        """What the report of this suite says; an empty text where nothing was replayed."""
        if not self._counts:
            return ""
        told = remarks.replayed(self._counts["attempts"], self._counts[MODEL])
        return f"{visible(suite)}: {told}" if suite else told
