"""How a suite is told to another process: the file that it is made in, and the names in it. No object is ever sent.

An agent, a world and a case hold functions, locks and connections, which don't survive a pickle or come out as something else. So the other
process runs the suite's file again, not as a script, and finds there by name what this process has; what can't be found, or is not the
same there, is refused before anything runs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ..arguments import shown
from ..case import Case
from ..jsonable import plain
from ..world import World

if TYPE_CHECKING:
    from ..suite import Suite

HINT = 'at the top level of the file, and what is to run only as a script under if __name__ == "__main__":'


def order(suite: Suite) -> dict[str, Any]:
    """The suite as plain data; raises `UsageError` that names what can't be sent."""
    home = suite.home
    file = home.get("__file__")
    if not file or not os.path.isfile(file):
        raise UsageError(
            "a suite made outside a file (in a REPL, or by exec) can't be run in processes of its own: "
            'they have no file to find it in; leave executor="process" out'
        )
    name = _name_of(suite.original, home)
    agent = suite.builder.source
    whole = name is not None
    return {
        "argv": sys.argv,
        "file": os.path.abspath(file),
        "module": _module(home),
        "suite": name,
        "agent": agent
        if isinstance(agent, str)
        else None
        if whole and suite.builder is suite.original.builder
        else _named(agent, home, "the agent", file),
        "world": None if suite.world is World or whole else _named(suite.world, home, "the world", file),
        "cases": {case.name: fingerprint(case) for case in suite.cases},
        "deadline": suite.deadline,
        "unstubbed": suite.unstubbed,
        "faults": None if suite.faults is None else suite.faults.told(),
        "memory": suite.memory,
        "deck": None if (deck := suite.deck()) is None else deck.told(),
    }


def _module(home: Mapping[str, Any]) -> str | None:
    """The name by which the file can be imported, where it is a module of a package, whose imports may be relative."""
    spec = home.get("__spec__")
    return spec.name if spec is not None and "." in spec.name else None


def _name_of(thing: Any, home: Mapping[str, Any]) -> str | None:
    return next((name for name, each in list(home.items()) if each is thing), None)


def _named(thing: Any, home: Mapping[str, Any], what: str, file: str) -> str:
    """The name that `thing` has in the file; a name in another module as `module:name`."""
    name = _name_of(thing, home)
    if name is not None:
        return name
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    other = sys.modules.get(module or "")
    if other is not None and module != "__main__" and name and getattr(other, name, None) is thing:
        return f"{module}:{name}"
    raise UsageError(
        f"{what} {shown(thing)} can't be sent to another process: {os.path.basename(file)} has no name for it; "
        f"define it {HINT}"
    )


def fingerprint(case: Case) -> str:
    """What tells a case from another of the same name: all that it says. The number of its runs is left out, which a command may change."""
    told = {field.name: plain(_spelled(getattr(case, field.name))) for field in dataclasses.fields(case)}
    del told["runs"]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def _spelled(value: Any) -> Any:
    """A function by its name: where it stands in memory says nothing."""
    return getattr(value, "__qualname__", type(value).__qualname__) if callable(value) else value


def found(module: Mapping[str, Any]) -> Iterator[Case]:
    """The cases that stand at the top level of a file: by themselves, in lists and dicts, and in suites."""
    for thing in list(module.values()):
        if isinstance(thing, Case):
            yield thing
        elif isinstance(thing, Mapping):
            yield from (each for each in thing.values() if isinstance(each, Case))
        elif isinstance(thing, (list, tuple)):
            yield from (each for each in thing if isinstance(each, Case))
        elif not isinstance(thing, type) and hasattr(thing, "configured") and hasattr(thing, "cases"):
            yield from thing.cases
