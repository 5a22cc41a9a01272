"""How two things are measured side by side: interleaved, by CPU time, the median of several rounds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Beside(NamedTuple):
    """What two things took: the median CPU seconds (user and system, all threads) of each, and the median of each round's ratio."""

    one: float
    other: float
    ratio: float


def interleaved(one: Callable[[], None], other: Callable[[], None], rounds: int = 5) -> Beside:
    """What the two take, in turns after one round that warms up; each round begins with the one that the last ended with.

    The ratio is that of the two in one round, which are seconds apart: between rounds a shared machine changes its pace by more than
    there is to be measured.
    """
    spent: tuple[list[float], list[float]] = ([], [])
    sides = list(zip((one, other), spent, strict=True))
    for number in range(rounds + 1):
        for function, times in sides:
            began = time.process_time()
            function()
            if number:
                times.append(time.process_time() - began)
        sides.reverse()
    ratios = [ours / theirs if theirs else float("inf") for ours, theirs in zip(*spent, strict=True)]
    return Beside(*map(statistics.median, (*spent, ratios)))


def compared(what: str, found: Beside, count: int, goal: float, name: str = "floor") -> bool:
    """Print the milliseconds of each of `count` attempts on both sides, and the ratio against the goal; whether it is reached."""
    ours, theirs = (1000 * seconds / count for seconds in found[:2])
    return _told(what, ours, theirs, found.ratio, goal, "ms", name)


def line(what: str, ours: float, theirs: float, goal: float, unit: str = "ms", name: str = "floor") -> bool:
    """Print both figures and their ratio against the goal; whether it is reached."""
    return _told(what, ours, theirs, ours / theirs, goal, unit, name)


def _told(what: str, ours: float, theirs: float, ratio: float, goal: float, unit: str, name: str) -> bool:
    verdict = "ok" if ratio <= goal else "MISSED"
    print(
        f"{what}: {ours:.3f} {unit}, {name} {theirs:.3f} {unit}, ratio {ratio:.3f} (goal {goal:g}) {verdict}",
        flush=True,
    )
    return ratio <= goal


def at_most(what: str, value: float, goal: float, unit: str) -> bool:
    """Print a figure against its goal; whether it is reached."""
    verdict = "ok" if value <= goal else "MISSED"
    print(f"{what}: {value:.3f} {unit} (goal {goal:g} {unit}) {verdict}", flush=True)
    return value <= goal
