"""What the arguments of a `Suite` may be, and the sentence for what they may not."""

from __future__ import annotations

import os
from typing import Any

from ..errors import UsageError
from .arguments import shown
from .case import Case
from .faults import Faults
from .world import World


def cases(cases: Any) -> tuple[Case, ...]:
    """The cases, of which there must be some, no two of one name."""
    if isinstance(cases, Case) or not hasattr(cases, "__iter__"):
        raise UsageError(f"Suite: cases must be a list of Cases, got {shown(cases)}")
    made = tuple(cases)
    if not made:
        raise UsageError("Suite: cases is empty, and a suite that runs nothing would pass")
    names: set[str] = set()
    for case in made:
        if not isinstance(case, Case):
            raise UsageError(f"Suite: cases must hold Cases, got {shown(case)}")
        if case.name in names:
            raise UsageError(f"Suite: two cases are called {shown(case.name)}")
        names.add(case.name)
    if any(case.absent for case in made):
        # Before attempts are made in processes, each of which would import it anew.
        from . import absence as absence
    return made


def world(world: Any) -> Any:
    """A world, or what makes one."""
    if not isinstance(world, World) and not callable(world):
        raise UsageError(
            f"Suite: world must be a World, a World class or a function that makes one, got {shown(world)}"
        )
    if isinstance(world, type) and not issubclass(world, World):
        raise UsageError(f"Suite: world must be a subclass of World, got {world.__name__}")
    return world


def log(log: Any) -> Any:
    """The path of the run log, or None for none."""
    if log is not None and not isinstance(log, (str, os.PathLike)):
        raise UsageError(f"Suite: log must be the path of the run log or None, got {shown(log)}")
    return log


def out(out: Any) -> Any:
    """A text stream, or None."""
    if out is not None and not callable(getattr(out, "write", None)):
        raise UsageError(f"Suite: out must be a text stream, something with write(text), got {shown(out)}")
    return out


def unstubbed(unstubbed: Any) -> str:
    """What becomes of calls that have no stub."""
    if unstubbed not in ("run", "refuse"):
        raise UsageError(f'Suite: unstubbed must be "run" or "refuse", got {shown(unstubbed)}')
    return str(unstubbed)


def faults(faults: Any) -> Faults | None:
    """What makes calls fail, or None for nothing."""
    if faults is not None and not isinstance(faults, Faults):
        raise UsageError(f'Suite: faults must be Faults, such as Faults("timeout"), got {shown(faults)}')
    return faults


def number(name: str, value: Any, *, whole: bool) -> Any:
    """A number above 0."""
    right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not right or not 0 < value < float("inf"):
        raise UsageError(
            f"Suite: {name} must be {'a whole number >= 1' if whole else 'a number of seconds > 0'}, got {shown(value)}"
        )
    return value


def judge(judge: Any) -> Any:
    """A completion, or the name of a model, or None for no judge."""
    if isinstance(judge, str):
        from ..completion import providers  # few suites have one

        try:
            providers.parted(judge)
        except UsageError as error:
            raise UsageError(f"Suite: judge: {error}") from None
    elif judge is not None and not callable(judge):
        raise UsageError(f'Suite: judge must be a completion or a text like "openai:gpt-5", got {shown(judge)}')
    return judge


def retries(retries: Any) -> int:
    """How often an attempt may be made again."""
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise UsageError(f"Suite: retries must be a whole number >= 0, got {shown(retries)}")
    return retries
