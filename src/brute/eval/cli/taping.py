"""What a command line says of recordings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from ...errors import did_you_mean
from ..arguments import shown
from ..suite import Suite
from .refusal import Refusal

_SIDES = ("both", "model", "tools")


def taped(paths: tuple[str, ...], settings: dict[str, Any]) -> tuple[str, ...]:
    """The paths, with the one that stands behind `--record` or `--replay` where no side does; what can't be meant is refused."""
    for option in ("record", "replay"):
        given = settings[option]
        if given is None or given in _SIDES:
            continue
        if not os.path.exists(given):
            near = did_you_mean(given, _SIDES[1:])
            raise Refusal([f"--{option} takes model or tools, or nothing for both, got {shown(given)}{near}"])
        # `--record eval_x.py` means the file, and both sides.
        paths, settings[option] = (given, *paths), "both"
    if settings["record"] and settings["replay"]:
        raise Refusal(["--record and --replay exclude each other; record what is real first, then replay it"])
    return paths


def keyless(replay: str | None) -> contextlib.AbstractContextManager[None]:
    """A while in which agents can be loaded without their models' keys, where no model is asked."""
    if replay not in ("both", "model"):
        return contextlib.nullcontext()
    from ..cassettes import keys

    return keys.given()


def refuse_shared(suites: Sequence[Suite]) -> None:
    """Refuse two suites whose cases would be recorded in the same cassettes."""
    taken: dict[Any, str] = {}
    for suite in suites:
        deck = suite.deck()
        for job in suite.plan() if deck is not None else ():
            place = deck.place(job)
            other = taken.setdefault(place, suite.name)
            if other != suite.name:
                what = f"the suites {shown(other)} and {shown(suite.name)} would share the recording of case {shown(job.case.name)}"
                raise Refusal([f"{what}; give each suite a name of its own: Suite(name=...)"])
