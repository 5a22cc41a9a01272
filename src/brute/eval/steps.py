"""The steps of `order`: names, and what is said of several at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import UsageError
from .arguments import shown
from .globs import is_glob
from .wishes import AnyOrder, Optional

MOST = 10
"""How many steps may be in one group: which of them were made is tried in every way."""


@dataclasses.dataclass(frozen=True, slots=True)
class Parallel:
    """Steps that are asked for at once: in one batch of calls, in any order."""

    steps: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"parallel({', '.join(map(repr, self.steps))})"


def parallel(*steps: Any) -> Parallel:
    """Steps of `order` that the model is to ask for at once: in one batch of calls, in any order within it.

    >>> parallel("read", "list")
    parallel('read', 'list')
    """
    if len(steps) < 2:
        raise UsageError(f"parallel takes at least two tools, got {shown(list(steps))}")
    for each in steps:
        wrong = _wrong_name(each.wish if isinstance(each, Optional) else each)
        if wrong:
            raise UsageError(f"parallel {wrong}")
    if len(steps) > MOST:
        raise UsageError(f"parallel takes at most {MOST} tools, got {len(steps)}")
    return Parallel(steps)


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """One step, or several that come in any order among themselves: the names, which of them may be left out, and whether at once."""

    names: tuple[str, ...]
    loose: tuple[bool, ...]
    at_once: bool = False
    single: bool = True


def wrong(step: Any) -> str:
    """Why a step could not be meant; an empty text where it can."""
    inside = step.items if isinstance(step, AnyOrder) else (step,)
    if not inside:
        return "has an any_order of nothing; leave it out"
    if len(inside) > MOST:
        return f"takes at most {MOST} tools in any order, got {len(inside)}"
    if isinstance(step, Parallel):
        return ""
    return next(filter(None, (_wrong_name(each.wish if isinstance(each, Optional) else each) for each in inside)), "")


def _wrong_name(name: Any) -> str:
    return "" if isinstance(name, str) and name.strip() else f"takes tool names, got {shown(name)}"


def groups(order: Iterable[Any]) -> list[Group]:
    """The steps, each as a group."""
    made = []
    for step in order:
        several = isinstance(step, (AnyOrder, Parallel))
        inside = step.items if isinstance(step, AnyOrder) else step.steps if isinstance(step, Parallel) else (step,)
        loose = tuple(isinstance(each, Optional) for each in inside)
        names = tuple(each.wish if isinstance(each, Optional) else each for each in inside)
        made.append(Group(names, loose, isinstance(step, Parallel), not several))
    return made


def names(order: Iterable[Any]) -> Iterator[str]:
    """Every name in the order, as often as it stands there."""
    for step in order:
        if isinstance(step, str):
            yield step
        else:
            yield from groups([step])[0].names


def is_plain(order: Iterable[Any]) -> bool:
    """Whether all steps are names that mean one tool each."""
    return all(isinstance(step, str) and not is_glob(step) for step in order)
