"""Cases, written: `dump` to a file, which `load` reads back as the same cases."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import UsageError
from ..arguments import shown
from ..case import Case
from . import ENDINGS, jsons, yamls
from .fields import FIELDS, NOT_IN_FILES
from .forms import Unwritable
from .nodes import DEEPEST

_USUAL = {
    field.name: field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
    for field in dataclasses.fields(Case)
}


def dump(cases: Iterable[Case], path: str | os.PathLike[str]) -> None:
    """Write the cases to a file; nothing is written where one of them holds what no file can."""
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"Case.dump takes the cases and then the path of a file, got {shown(path)}")
    name = os.fspath(path)
    told = text_of(cases, _ending(name))
    try:
        with open(name, "w", encoding="utf-8", newline="\n") as file:
            file.write(told)
    except OSError as error:
        raise UsageError(f"{name} can't be written: {error.strerror or error}") from None


def _ending(path: str) -> str:
    ending = os.path.splitext(path)[1]
    if ending not in ENDINGS:
        raise UsageError(f"{path} can't be told to be YAML or JSON: a file of cases ends in {', '.join(ENDINGS)}")
    return ending


def text_of(cases: Iterable[Case], ending: str) -> str:
    """The text of a file with the cases that ends so; `UsageError` names the case, the field and the value that it can't hold."""
    if isinstance(cases, Case) or not isinstance(cases, Iterable):
        raise UsageError(f"Case.dump takes a list of Cases, got {shown(cases)}")
    told = [data_of(case) for case in _named_apart(list(cases))]
    for each in told:
        # Two more are around it in the file.
        _check(each, f"case {shown(each['name'])}", ending.startswith(".y"), 3)
    if ending == ".jsonl":
        return "".join(jsons.write(each, indent=None) + "\n" for each in told)
    if ending == ".json":
        return jsons.write({"cases": told}) + "\n"
    return yamls.write({"cases": told})


def _named_apart(cases: Sequence[Any]) -> Sequence[Case]:
    if not cases:
        raise UsageError("Case.dump got no cases, and a file without any can't be read")
    names: set[str] = set()
    for case in cases:
        if not isinstance(case, Case):
            raise UsageError(f"Case.dump takes a list of Cases, got {shown(case)} in it")
        if case.name in names:
            raise UsageError(f"Case.dump: two cases are called {shown(case.name)}")
        names.add(case.name)
    return cases


def data_of(case: Case) -> dict[str, Any]:
    """The fields of a case that are not what they are anyway, as data."""
    for name in NOT_IN_FILES:
        if getattr(case, name) is not None:
            told = getattr(getattr(case, name), "__qualname__", shown(getattr(case, name)))
            raise Unwritable(f"case {shown(case.name)} can't be written to a file: its {name} is the function {told}")
    made = {}
    for name, field in FIELDS.items():
        value = getattr(case, name)
        if name in ("name", "said") or not _usual(name, value):
            try:
                made[name] = field.write(value)
            except Unwritable as error:
                raise Unwritable(f"case {shown(case.name)} can't be written to a file: {name}: {error}") from None
            except RecursionError:
                raise Unwritable(
                    f"case {shown(case.name)} can't be written to a file: its values are nested too deep"
                ) from None
    return made


def _usual(name: str, value: Any) -> bool:
    usual = _USUAL[name]
    return bool(value is usual or value == usual or (isinstance(usual, tuple) and len(value) == 0))


def _check(data: Any, what: str, yaml: bool, depth: int) -> None:
    """Refuse what would not be read back: values nested too deep, and in YAML half a character."""
    if depth > DEEPEST and isinstance(data, (dict, list)):
        raise Unwritable(f"{what} can't be written to a file: its values are nested too deep")
    if isinstance(data, str) and yaml:
        yamls.refuse_unwritable(data, what)
    elif isinstance(data, dict):
        for name, each in data.items():
            _check(name, what, yaml, depth)
            _check(each, what, yaml, depth + 1)
    elif isinstance(data, list):
        for each in data:
            _check(each, what, yaml, depth + 1)
