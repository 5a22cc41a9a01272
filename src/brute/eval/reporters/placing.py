"""Where the cases of a report were made, as its readers are told."""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments import Place
from .inert import inert

Places = Mapping[tuple[str, str], Place]
"""Where each case was made, by the name of its suite and its own."""
NOWHERE: Places = {}


def located(place: Place) -> str:
    """A place in a word: `evals/eval_agent.py:12`."""
    return inert(f"{place.path}:{place.line}", 500)
