"""What an eval file holds and would not run: a case or a suite that nobody hears of is worse than one that fails."""

from __future__ import annotations

import types
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...errors import UsageError
from ..arguments import Made, shown
from ..case import Case
from ..suite import Suite

_DEEP = 4
"""How deep lists, dicts and classes are looked into."""


class Selected:
    """What a file's run will hold: its cases and suites."""

    def __init__(self, cases: Iterable[Case], suites: Sequence[Suite] = ()) -> None:
        self.cases = list(cases)
        self.ids = {id(thing) for thing in (*self.cases, *suites)}
        self.names = {case.name for case in self.cases}
        # A suite that was configured anew is another, of the same builder.
        self.builders = {id(suite.builder) for suite in suites}
        self.where = "a suite of this file" if suites else "CASES"

    def holds(self, thing: Any) -> bool:
        """Whether it will run, as it is or in another form."""
        if isinstance(thing, Suite):
            return id(thing) in self.ids or id(thing.builder) in self.builders
        return id(thing) in self.ids or thing.name in self.names


def refuse_lost(path: str, module: types.ModuleType, noted: Sequence[Made], selected: Selected) -> None:
    """Raise `UsageError` for the first case or suite of the file that would not run."""
    here = [one for one in noted if one.scope is vars(module) or _checks_here(one.thing, module)]
    decorated = [one for one in here if one.function]
    times = Counter(one.thing.name for one in decorated)
    for one in decorated:
        if id(one.thing) not in selected.ids and (times[one.thing.name] > 1 or not selected.holds(one.thing)):
            now = vars(module).get(one.function)
            if times[one.thing.name] == 1 and now is not None and not isinstance(now, (Case, types.FunctionType)):
                raise UsageError(
                    f"{path}:{one.line}: case {shown(one.thing.name)} would not run: {one.function} is a "
                    f"{type(now).__name__} by now; what else stands over the function belongs under @Case(...)"
                )
            raise UsageError(
                f"{path}:{one.line}: case {shown(one.thing.name)} would not run: its function {one.function} is defined "
                "again; give each a name of its own, or keep the cases in a list, CASES"
            )
    for name, thing in vars(module).items():
        if not name.startswith("_"):
            _refuse_held(path, name, thing, module, selected)
    spared = {id(each) for name, thing in vars(module).items() for _, each in _held(name, thing, module)}
    for one in here:
        if one.outermost and not one.function and id(one.thing) not in spared and not selected.holds(one.thing):
            what = "a Suite" if isinstance(one.thing, Suite) else f"case {shown(one.thing.name)}"
            raise UsageError(
                f"{path}:{one.line}: {what} would not run: nothing of this file holds it any more; "
                f"give each a name of its own, or put it into {'one Suite' if what == 'a Suite' else selected.where}"
            )


def _checks_here(thing: Any, module: types.ModuleType) -> bool:
    return getattr(getattr(thing, "check", None), "__globals__", None) is vars(module)


def _refuse_held(path: str, name: str, thing: Any, module: types.ModuleType, selected: Selected) -> None:
    for place, each in _held(name, thing, module):
        if place == name or selected.holds(each):  # what stands by itself is selected, or refused elsewhere
            continue
        if isinstance(each, Suite):
            raise UsageError(f"{path}: the Suite in {place} would not run; give it a name of its own in the file")
        raise UsageError(
            f"{path}: case {shown(each.name)} in {place} would not run; put it into {selected.where}, "
            f"or call {name} _{name} if it only holds what others are made from"
        )


def _held(place: str, thing: Any, module: types.ModuleType, depth: int = 0) -> Iterator[tuple[str, Case | Suite]]:
    """The cases and suites in a value, however they are kept, each with its place."""
    if isinstance(thing, (Case, Suite)):
        yield place, thing
    elif depth > _DEEP:
        return
    elif isinstance(thing, Mapping):
        for key, each in list(thing.items()):
            yield from _held(f"{place}[{shown(key)}]", each, module, depth + 1)
    elif isinstance(thing, (list, tuple, deque)):
        for index, each in enumerate(thing):
            yield from _held(f"{place}[{index}]", each, module, depth + 1)
    elif isinstance(thing, (set, frozenset)):
        for each in thing:
            yield from _held(f"{place}{{}}", each, module, depth + 1)
    elif isinstance(thing, type) and thing.__module__ == module.__name__:
        for name, each in list(vars(thing).items()):
            if not name.startswith("_"):
                yield from _held(f"{place}.{name}", each, module, depth + 1)
