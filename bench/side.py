"""How two things are measured side by side: interleaved, by CPU time, the median of several rounds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def interleaved(one: Callable[[], None], other: Callable[[], None], rounds: int = 5) -> tuple[float, float]:
    """The median CPU seconds (user and system, all threads) of each, run in turns after one round that warms up."""
    spent: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for function, times in zip((one, other), spent, strict=True):
            began = time.process_time()
            function()
            if number:
                times.append(time.process_time() - began)
    return statistics.median(spent[0]), statistics.median(spent[1])


def line(what: str, ours: float, theirs: float, goal: float, unit: str = "ms", name: str = "floor") -> bool:
    """Print both figures and their ratio against the goal; whether it is reached."""
    ratio = ours / theirs
    verdict = "ok" if ratio <= goal else "MISSED"
    print(
        f"{what}: {ours:.3f} {unit}, {name} {theirs:.3f} {unit}, ratio {ratio:.2f} (goal {goal:g}) {verdict}",
        flush=True,
    )
    return ratio <= goal


def at_most(what: str, value: float, goal: float, unit: str) -> bool:
    """Print a figure against its goal; whether it is reached."""
    verdict = "ok" if value <= goal else "MISSED"
    print(f"{what}: {value:.3f} {unit} (goal {goal:g} {unit}) {verdict}", flush=True)
    return value <= goal
