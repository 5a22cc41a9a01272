"""Templates: one case with holes, and the rows of a table that fill them."""

from __future__ import annotations

import csv
import dataclasses
import io
import os
import re
from collections.abc import Callable, Iterator
from typing import NoReturn

from ...errors import UsageError, did_you_mean
from ..arguments import shown
from . import jsons, patterns
from .composing import add
from .nodes import Entry, Node, Place, known, listed, mapping

TABLES = (".csv", ".tsv", ".jsonl", ".json")
"""How a table ends."""

_HOLE = re.compile(r"\{\{([^{}\n]+)\}\}|\{([^{}\n]+)\}")
_NAME = re.compile(r"[^\W\d][\w .-]*(?::json)?")
NUMBER = "row"
"""The hole that every table fills: the number of the row, from 1, unless a column is called so."""


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One row of a table: its columns, and what it is called."""

    columns: dict[str, Node]
    called: str


def filled(node: Node, at: str) -> Iterator[Node]:
    """The cases that a template and its rows come to; a path of rows is meant from the folder of the file."""
    known(node, ("template", "rows"), "a template")
    for name, what in (("template", "a case with holes"), ("rows", "a table, or a list of rows")):
        if name not in node.value:
            node.refuse(f"a template and its rows stand together: {name}: is missing, {what}")
    template = node.value["template"].value
    mapping(template, "template takes a case with holes, such as {name: ..., said: ...}")
    rows = list(_rows(node.value["rows"].value, at))
    if not rows:
        node.value["rows"].value.refuse("there are no rows, and so no cases")
    for row in rows:
        yield fill(template, row)


def _rows(node: Node, at: str) -> Iterator[Row]:
    if not isinstance(node.value, str):
        yield from _listed(listed(node, "rows takes the path of a table, or a list of rows"), "row {}")
        return
    from .reading import contents

    path = os.path.join(os.path.dirname(at), node.value)
    try:
        told = contents(node.value, path, TABLES, "a table of rows")
    except UsageError as error:
        node.refuse(str(error))
    if node.value.endswith((".csv", ".tsv")):
        yield from _of_csv(told, node.value)
        return
    table = None if node.value.endswith(".jsonl") else jsons.parse(told, node.value)
    rows = jsons.lines(told, node.value) if table is None else listed(table, "a table of rows is a list")
    yield from _listed(rows, f"row {{}} of {node.value}")


def _listed(rows: list[Node], called: str) -> Iterator[Row]:
    for number, row in enumerate(rows, 1):
        columns = {name: entry.value for name, entry in mapping(row, "a row is a mapping of columns to values").items()}
        yield _numbered(columns, number, called.format(number), row.place)


def _numbered(columns: dict[str, Node], number: int, called: str, place: Place) -> Row:
    return Row({NUMBER: Node(number, place, str(number)), **columns}, called)


def _of_csv(told: str, file: str) -> Iterator[Row]:
    """The rows of a CSV whose first line names its columns; every value is a text."""
    reader = csv.reader(io.StringIO(told, newline=""), delimiter="\t" if file.endswith(".tsv") else ",", strict=True)

    def refuse(sentence: str) -> NoReturn:
        raise UsageError(f"{file}:{max(reader.line_num, 1)}: {sentence}")

    names: list[str] = []
    number, begins = 0, 1
    try:
        for cells in reader:
            begins = reader.line_num + 1
            if not cells:
                continue
            if not names:
                names = _names(cells, refuse)
                continue
            if len(cells) != len(names):
                refuse(f"this row and the first line differ in length: {len(cells)} and {len(names)}")
            number += 1
            place = Place(file, reader.line_num, 1)
            columns = {name: Node(cell, place, cell) for name, cell in zip(names, cells, strict=True)}
            yield _numbered(columns, number, f"row {number} of {file}", place)
    except csv.Error as error:
        if "field limit" in str(error):
            refuse(f"a cell has more than {csv.field_size_limit():,} characters; JSON lines hold as many as one likes")
        since = f", in the row that begins in line {begins}" if begins < reader.line_num else ""
        refuse(f"this is no CSV: {error}{since}")


def _names(cells: list[str], refuse: Callable[[str], NoReturn]) -> list[str]:
    names = [cell.strip() for cell in cells]
    for index, name in enumerate(names):
        if not name or name in names[:index]:
            wrong = f"{shown(name)} stands twice in it" if name else f"column {index + 1} has no name"
            refuse(f"the first line names the columns, and {wrong}")
    return names


def fill(node: Node, row: Row) -> Node:
    """The node with its holes filled."""
    if isinstance(node.value, dict):
        made: dict[str, Entry] = {}
        for entry in node.value.values():
            add(made, _key(fill(entry.key, row)), fill(entry.value, row))
        return Node(made, _placed(node.place, row))
    if isinstance(node.value, list):
        return Node([fill(each, row) for each in node.value], _placed(node.place, row))
    place = _placed(node.place, row)
    if not isinstance(node.value, str) or "{" not in node.value:
        return Node(node.value, place, node.raw, node.literal, node.searched, node.size)
    return _text(node, row, place)


def _key(node: Node) -> Node:
    """A key; what a row says makes no form of it."""
    if node.literal and node.text is not None and node.text.startswith("$"):
        return dataclasses.replace(node, value="$" + node.text)
    return node


def _placed(place: Place, row: Row) -> Place:
    # By hand, for a table of a hundred thousand rows: dataclasses.replace was what took longest.
    return Place(place.file, place.line, place.column, row.called)


def _text(node: Node, row: Row, place: Place) -> Node:
    """A text with its holes filled; one that is a hole and nothing else is the value itself."""
    whole = _HOLE.fullmatch(node.value)
    if whole is not None and whole[2] is not None:
        found = _column(whole[2], row, place)
        if found is not None:
            return _literal(found, place)
    holes = False

    def put(match: re.Match[str], escape: Callable[[str], str]) -> str:
        nonlocal holes
        if match[1] is not None:
            return f"{{{match[1]}}}" if match[1] in row.columns or _NAME.fullmatch(match[1]) else match[0]
        found = _column(match[2], row, place)
        if found is None:
            return match[0]
        holes = True
        if isinstance(found.value, (dict, list)) or found.value is None:
            place.refuse(f"{{{match[2]}}} is {found.told}, which can't stand within a text")
        return escape(found.value if isinstance(found.value, str) else found.raw)

    told = _HOLE.sub(lambda match: put(match, str), node.value)
    pattern = patterns.looks(node.value)
    searched = _HOLE.sub(lambda match: put(match, _escaped), node.value) if pattern else None
    return Node(told, place, told, literal=holes and not pattern, searched=searched)


def _escaped(text: str) -> str:
    return re.escape(text).replace("/", "\\/")


def _column(name: str, row: Row, place: Place) -> Node | None:
    """What fills a hole; None for braces that are none."""
    if name in row.columns:
        return row.columns[name]
    if name.endswith(":json") and name.removesuffix(":json") in row.columns:
        cell = row.columns[name.removesuffix(":json")]
        try:
            return jsons.parse(cell.value if isinstance(cell.value, str) else cell.raw, "") or Node(None, place)
        except UsageError as error:
            place.refuse(f"{{{name}}} is {cell.told}: {str(error).partition(': ')[2]}")
    if _NAME.fullmatch(name):
        columns = ", ".join(each for each in row.columns if each != NUMBER)
        hint = did_you_mean(name.removesuffix(":json"), row.columns)
        place.refuse(
            f"there is no column {shown(name)}{hint}; columns are {columns}; braces that are meant are written {{{{{name}}}}}"
        )
    return None


def _literal(node: Node, place: Place) -> Node:
    """A value of a row, in the place of the hole: no pattern and no form, whatever it looks like."""
    value = node.value
    if isinstance(value, dict):
        value = {name: Entry(entry.key, _literal(entry.value, place)) for name, entry in value.items()}
    elif isinstance(value, list):
        value = [_literal(each, place) for each in value]
    return Node(value, place, node.raw, literal=True)
