"""What an eval file offers: its suites."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator
from typing import Any

from ...errors import UsageError, did_you_mean
from ...loading import load_file, split_target
from ..arguments import Made, Place, made, shown
from ..case import Case
from ..casefiles import ENDINGS
from ..suite import Suite
from ..world import World
from .loads import LOADED, loaded
from .lost import Selected, refuse_lost
from .reporting import placed

OPTION = ", or pass --agent"
"""The other way out, where the options are those of `brute eval`."""


def offered(
    path: str, agent: str | None = None, at: str | None = None, seconds: float = LOADED
) -> list[tuple[str, Suite]]:
    """The suites of the file, each with its name in it: its `Suite` objects, or one made of `CASES`, `AGENT` and `WORLD`.

    Cases made with `@Case(...)` need not be listed in `CASES`. `agent` stands for `AGENT` where it is given; `at` is where the file
    lies, if another has changed the working folder since. It is loaded within so many `seconds`. Raises `UsageError`, also for what would
    silently not run.
    """
    at = at or os.path.abspath(path)
    if path.endswith(ENDINGS):
        return [("", _of_cases(path, agent, at))]
    module, noted = _loaded(at, seconds)
    suites = list(_suites(module))
    cases = _cases(path, module)
    if suites:
        for _, suite in suites:
            suite.home = vars(module)  # though it may have been made by a function of another module
            suite.places = placed(suite.cases, noted)
        inside = [case for _, suite in suites for case in suite.cases]
        _refuse_outside(path, cases, {case.name for case in inside})
        refuse_lost(path, module, noted, Selected(inside, [suite for _, suite in suites]))
        return suites
    refuse_lost(path, module, noted, Selected(cases.values()))
    if not cases and hasattr(module, "CASES"):
        raise UsageError(f"{path}: CASES is empty, and a suite that runs nothing would pass")
    if not cases:
        raise UsageError(
            f"{path} offers no suite; it must define a Suite, or CASES with AGENT{_slip(module, 'CASES', 'Suite')}"
        )
    source = agent if agent is not None else _agent(path, module, os.path.dirname(at))
    try:
        suite = Suite(agent=source, cases=list(cases.values()), world=getattr(module, "WORLD", World))
        suite.home = vars(module)
        suite.places = placed(suite.cases, noted)
        return [("", suite)]
    except UsageError as error:
        raise UsageError(f"{path}: {str(error).removeprefix('Suite: ')}") from error


def _of_cases(path: str, agent: str | None, at: str) -> Suite:
    """The suite of a file of cases, with the agent of the command line, or the one that the file names."""
    from ..casefiles.reading import opened

    told = opened(path, at)
    if agent is None and told.agent is None:
        raise UsageError(f"{path} has cases and no agent; add agent: agent.py to it{OPTION}")
    source = agent if agent is not None else beside(path, told.agent, os.path.dirname(at), "agent", "file")
    suite = Suite(agent=source, cases=told.cases)
    # Where another process finds the cases again.
    suite.home = {"__file__": at, "CASES": told.cases}
    suite.places = {name: Place(at, place.line) for name, place in told.places.items()}
    return suite


def _loaded(path: str, seconds: float) -> tuple[types.ModuleType, list[Made]]:
    """The file's module, and the cases and suites that were made while it was loaded."""
    noted: list[Made] = []
    token = made.set(noted)
    try:
        return loaded(load_file, path, seconds), noted
    finally:
        made.reset(token)


def _suites(module: types.ModuleType) -> Iterator[tuple[str, Suite]]:
    seen: set[int] = set()
    for name, thing in vars(module).items():
        if isinstance(thing, Suite) and id(thing) not in seen:
            seen.add(id(thing))
            yield name, thing


def _cases(path: str, module: types.ModuleType) -> dict[int, Case]:
    """The cases of `CASES`, then those that stand in the file by themselves, by identity.

    A name with an underscore in front marks a case that others are made from; under `@Case(...)` it says nothing.
    """
    cases = {id(case): case for case in _listed(path, module)}
    for name, thing in vars(module).items():
        if isinstance(thing, Case) and (not name.startswith("_") or _decorated(thing, module)):
            cases.setdefault(id(thing), thing)
    return cases


def _listed(path: str, module: types.ModuleType) -> list[Case]:
    listed = getattr(module, "CASES", [])
    if not isinstance(listed, (list, tuple)):
        raise UsageError(f"{path}: CASES must be a list of Cases, got {shown(listed)}")
    for index, case in enumerate(listed):
        if not isinstance(case, Case):
            raise UsageError(f"{path}: CASES must be a list of Cases, and CASES[{index}] is {shown(case)}")
    return list(listed)


def _decorated(case: Case, module: types.ModuleType) -> bool:
    return getattr(case.check, "__globals__", None) is vars(module)


def _refuse_outside(path: str, cases: dict[int, Case], known: set[str]) -> None:
    """Refuse a case that stands in the file and is in none of its suites."""
    for case in cases.values():
        if case.name not in known:
            raise UsageError(f"{path}: case {shown(case.name)} is in no suite of this file, and would not run")


def _agent(path: str, module: types.ModuleType, folder: str) -> Any:
    """What `AGENT` names; the path of an agent file is meant from the eval file's own folder."""
    if not hasattr(module, "AGENT"):
        raise UsageError(f'{path} has cases and no AGENT; add AGENT = "agent.py"{OPTION}{_slip(module, "AGENT")}')
    return beside(path, module.AGENT, folder, "AGENT", "eval file")


def beside(path: str, agent: Any, folder: str, called: str, where: str) -> Any:
    """The agent that a file names; the path of an agent file is meant from the file's own folder."""
    if not isinstance(agent, (str, os.PathLike)):
        return agent
    target = os.fspath(agent)
    file, _ = split_target(target)
    if not file.endswith(".py"):
        return target
    if not os.path.isfile(os.path.join(folder, file)):
        near = did_you_mean(file, [name for name in os.listdir(folder) if name.endswith(".py")])
        raise UsageError(f"{path}: no such agent file: {file}{near}; {called} is a path from the folder of the {where}")
    return os.path.join(folder, target)


def _slip(module: types.ModuleType, *wanted: str) -> str:
    """The hint that a name of the file is a slip for one of those wanted."""
    # A module that the file imported is no slip.
    others = (type, types.ModuleType)
    names = [name for name, thing in vars(module).items() if not name.startswith("_") and not isinstance(thing, others)]
    for want in wanted:
        hint = did_you_mean(want.lower(), {name.lower() for name in names})
        for name in names:
            if f'"{name.lower()}"' in hint:
                return f' (it defines "{name}": did you mean "{want}"?)'
    return ""
