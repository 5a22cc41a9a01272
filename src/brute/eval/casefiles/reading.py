"""Files of cases, read: `load` for the cases, `opened` for all that a file says."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from typing import Any

from ...errors import UsageError, did_you_mean
from .. import casecheck
from ..arguments import shown
from ..case import Case
from . import ENDINGS, jsons, loaded, yamls
from .fields import FIELDS, NOT_IN_FILES
from .nodes import Node, Place, known, listed, mapping, text


@dataclasses.dataclass(frozen=True, slots=True)
class CaseFile:
    """What a file of cases says: its cases, where each begins, and the agent that it names."""

    path: str
    cases: list[Case]
    places: dict[str, Place]
    agent: str | None = None


def load(path: str | os.PathLike[str], beside: str | None = None) -> list[Case]:
    """The cases of a file, which is looked for beside the file `beside` first, and then in the working folder."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise UsageError(f"Case.load takes the path of a file of cases, got {shown(path)}")
    name = os.fspath(path)
    near = os.path.join(os.path.dirname(os.path.abspath(beside)), name) if beside else name
    found = near if os.path.isfile(near) else name
    noted = loaded.get()
    if noted is not None:
        noted.append(os.path.realpath(found))
    return opened(name, os.path.abspath(found)).cases


def opened(path: str, at: str | None = None) -> CaseFile:
    """All that a file says; `UsageError` with the place of the first thing that can't be meant. `at` is where it lies."""
    at = at or os.path.abspath(path)
    node = document(path, at)
    entries, agent = _entries(node)
    cases: list[Case] = []
    places: dict[str, Place] = {}
    for each in _each(entries, at):
        case, place = case_of(each)
        if case.name in places:
            first = places[case.name]
            hint = "; {row} in the template's name tells them apart" if place.row else ""
            place.refuse(f"two cases are called {shown(case.name)}, the first in line {first.line}{hint}")
        places[case.name] = place
        cases.append(case)
    if not cases:
        raise UsageError(f"{path} holds no cases")
    return CaseFile(path, cases, places, agent)


def document(path: str, at: str) -> Node:
    """What a file says, by its ending; of JSON lines a list."""
    told = contents(path, at)
    if path.endswith(".jsonl"):
        return Node(jsons.lines(told, path), Place(path, 1, 1))
    node = jsons.parse(told, path) if path.endswith(".json") else yamls.parse(told, path)
    if node is None:
        raise UsageError(f"{path} is empty, and holds no cases")
    return node


def contents(path: str, at: str, endings: tuple[str, ...] = ENDINGS, what: str = "a file of cases") -> str:
    """The text of a file."""
    if not path.endswith(endings):
        raise UsageError(f"{path} is not {what}: such a file ends in {', '.join(endings[:-1])} or {endings[-1]}")
    try:
        with open(at, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8, at byte {error.start + 1}") from None
    except FileNotFoundError:
        raise UsageError(f"no such file: {path}{_near(at, endings)}") from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}") from None


def _near(at: str, endings: tuple[str, ...]) -> str:
    folder, name = os.path.split(at)
    try:
        names = [each for each in os.listdir(folder or ".") if each.endswith(endings)]
    except OSError:
        return ""
    return did_you_mean(name, names)


_KEYS = ("cases", "agent", "template", "rows", "$schema")


def _entries(node: Node) -> tuple[list[Node], str | None]:
    """The cases and templates of a document, not yet read, and its agent."""
    if isinstance(node.value, list):
        return node.value, None
    what = "a file of cases is a list of cases, or a mapping with cases"
    # With an underscore in front: what others are made from.
    told = {name: entry for name, entry in mapping(node, what).items() if not name.startswith("_")}
    given = dataclasses.replace(node, value=told)
    if "cases" not in told and "name" in told and "said" in told:
        node.refuse(f"{what}, got one case; write - in front of it, or cases: above it")
    known(given, _KEYS, "a file of cases")
    agent = text(told["agent"].value, "agent must be the path of an agent file") if "agent" in told else None
    entries = list(listed(told["cases"].value, "cases takes a list of cases")) if "cases" in told else []
    if "template" in told or "rows" in told:
        # A template for the whole file.
        both = {name: told[name] for name in ("template", "rows") if name in told}
        place = next(iter(both.values())).key.place
        entries.append(Node(both, place))
    elif "cases" not in told:
        node.refuse(f"{what}, or with a template and its rows; got {', '.join(told) or 'none of that'}")
    return entries, agent


def _each(entries: list[Node], at: str) -> Iterator[Node]:
    """The cases of a document, those of templates filled in."""
    from . import templates

    for node in entries:
        if isinstance(node.value, dict) and ("template" in node.value or "rows" in node.value):
            yield from templates.filled(node, at)
        else:
            yield node


def case_of(node: Node) -> tuple[Case, Place]:
    """The case that a node says, and where it begins."""
    entries = mapping(node, "a case is a mapping with at least name and said")
    for name, why in NOT_IN_FILES.items():
        if name in entries:
            entries[name].key.refuse(f"{name} {why}")
    known(node, FIELDS, "a case")
    for name in ("name", "said"):
        if name not in entries:
            about = "what it is called" if name == "name" else "the prompt handed to the agent (null: none)"
            node.refuse(f"a case needs {name}:, {about}")
    given: dict[str, Any] = {}
    for name, entry in entries.items():
        given[name] = FIELDS[name].read(entry.value)
        wrong = casecheck.wrong(name, given[name])
        if wrong:
            entry.value.refuse(wrong)
    try:
        return Case(given.pop("name"), **given), node.place
    except UsageError as error:
        node.refuse(str(error))
