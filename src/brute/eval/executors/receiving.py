"""How a process makes again a suite that it was told of: by running the suite's file, not as a script."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import UsageError
from ...loading import frames_of, load_file, load_target, shown_path
from ..arguments import shown
from ..building import Builder
from ..case import Case
from ..casefiles import ENDINGS
from ..cassettes.deck import Deck
from ..faults import Faults
from ..world import World
from . import sending

_loading = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A suite as another process told of it; `cases` by name."""

    builder: Builder
    world: Any
    cases: Mapping[str, Case]
    deadline: float
    unstubbed: str
    faults: Faults | None
    memory: int | None
    deck: Deck | None


def refuse_while_loading() -> None:
    """Raise `UsageError` where a suite is run by its own file, which a process is just loading to make that suite again."""
    if _loading:
        raise UsageError(
            "the file runs its suite while it is loaded, and so would every process that is to run an attempt of it; "
            'put suite.run() under if __name__ == "__main__":'
        )


def received(order: Mapping[str, Any]) -> Received:
    """The suite that the order tells of; raises `UsageError` for a file that can't be loaded, and for what is not in it."""
    sys.argv[:] = order["argv"]
    with _quiet():
        home = _home(order)
    return Received(
        builder=_builder(order, home),
        world=_world(order, home),
        cases=_cases(order, home),
        deadline=order["deadline"],
        unstubbed=order["unstubbed"],
        faults=None if order["faults"] is None else Faults.heard(order["faults"]),
        memory=order["memory"],
        deck=None if order["deck"] is None else Deck.heard(order["deck"]),
    )


@contextmanager
def _quiet() -> Iterator[None]:
    global _loading
    _loading = True
    try:
        yield
    finally:
        _loading = False


def _home(order: Mapping[str, Any]) -> dict[str, Any]:
    """The names at the top level of the suite's file; a file of cases has one, for all of them."""
    if order["file"].endswith(ENDINGS):
        # Only such a file needs what reads them.
        from ..casefiles.reading import opened

        return {"CASES": opened(order["file"]).cases}
    if order["module"] is None:
        return vars(load_file(order["file"]))
    try:
        return vars(importlib.import_module(order["module"]))
    except Exception as error:
        if isinstance(error, UsageError):
            raise
        where = frames_of(error, last=1)
        told = f"{type(error).__name__}: {error}{f' ({where[0]})' if where else ''}"
        raise UsageError(f"{order['module']} could not be imported by another process: {told}") from error


def _builder(order: Mapping[str, Any], home: Mapping[str, Any]) -> Builder:
    if order["agent"] is None:
        builder: Builder = _suite(order, home).builder
        return builder
    # A path or package.module:name stays one, so that the agent's file is executed afresh for every attempt.
    target = order["agent"].endswith(".py") or ":" in order["agent"]
    return Builder(order["agent"] if target else _thing(order["agent"], order, home))


def _world(order: Mapping[str, Any], home: Mapping[str, Any]) -> Any:
    if order["world"] is not None:
        return _thing(order["world"], order, home)
    return World if order["suite"] is None else _suite(order, home).world


def _suite(order: Mapping[str, Any], home: Mapping[str, Any]) -> Any:
    return _thing(order["suite"], order, home)


def _thing(name: str, order: Mapping[str, Any], home: Mapping[str, Any]) -> Any:
    """What a name in the file, or `module:name`, stands for."""
    if ":" in name:
        return load_target(name)
    if name not in home:
        raise UsageError(_lost(f'"{name}"', order))
    return home[name]


def _cases(order: Mapping[str, Any], home: Mapping[str, Any]) -> dict[str, Case]:
    """The cases of the order, each as the file makes it here."""
    here = {(case.name, sending.fingerprint(case)): case for case in sending.found(home)}
    names = {name for name, _ in here}
    cases = {}
    for name, mark in order["cases"].items():
        if (name, mark) not in here:
            if name in names:
                raise UsageError(
                    f"case {shown(name)} can't be sent to another process: each time that "
                    f"{shown_path(order['file'])} runs it makes another case of this name"
                )
            raise UsageError(_lost(f"case {shown(name)}", order))
        cases[name] = here[name, mark]
    return cases


def _lost(what: str, order: Mapping[str, Any]) -> str:
    return (
        f"{what} can't be sent to another process: it is not there when {shown_path(order['file'])} is loaded; "
        f"define it {sending.HINT}"
    )
