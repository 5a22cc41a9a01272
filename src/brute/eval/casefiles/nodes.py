"""What a file of cases says, before it is understood: values that know where they stand."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, NoReturn

from ...errors import UsageError, did_you_mean
from ..arguments import shown

DEEPEST = 100
"""How deep the values of a file may be nested."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands; `row` names the row of a table that it was made from."""

    file: str
    line: int
    column: int
    row: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def refuse(self, sentence: str) -> NoReturn:
        """Raise `UsageError` with the sentence, under this place."""
        raise Misplaced(f"{self}: {sentence}{f' ({self.row})' if self.row else ''}")


class Misplaced(UsageError):
    """What can't be meant in a file of cases: the file, line and column, then what is wrong."""


@dataclasses.dataclass(slots=True)
class Node:
    """One value of a file: a mapping (`dict` of `Entry`), a list (of nodes), or a scalar.

    `raw` is a scalar as it was written. What is `literal` came from a row of a table, and is no pattern and no form; `searched` is a
    text with holes as a pattern has it. `size` counts the values in it, those that an alias repeats each time.
    """

    value: Any
    place: Place
    raw: str = ""
    literal: bool = False
    searched: str | None = None
    size: int = 1

    @property
    def text(self) -> str | None:
        """The text that it is, None where it is none; a number of a row is one too, as it was written."""
        row = self.literal and isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        return self.raw if row else self.value if isinstance(self.value, str) else None

    def refuse(self, sentence: str) -> NoReturn:
        """Raise `UsageError` with the sentence, under the place of this value."""
        self.place.refuse(sentence)

    @property
    def told(self) -> str:
        """The value as a sentence shows it."""
        if isinstance(self.value, dict):
            return "a mapping"
        if isinstance(self.value, list):
            return "a list"
        return "null" if self.value is None else shown(self.value) if isinstance(self.value, str) else self.raw[:80]


class Entry(NamedTuple):
    """A key of a mapping, where it stands, and its value."""

    key: Node
    value: Node


def mapping(node: Node, what: str) -> dict[str, Entry]:
    """The entries of a mapping; `what` says what it should be."""
    if not isinstance(node.value, dict):
        node.refuse(f"{what}, got {node.told}")
    return node.value


def listed(node: Node, what: str) -> list[Node]:
    """The values of a list."""
    if not isinstance(node.value, list):
        hint = f"; write [{node.told}]" if isinstance(node.value, str) else ""
        node.refuse(f"{what}, got {node.told}{hint}")
    return node.value


def text(node: Node, what: str) -> str:
    """The text that a scalar is; a number or a word of YAML's own is shown how to be written as one."""
    told = node.text
    if told is None:
        hint = f'; write "{node.raw}"' if node.raw and node.value is not None else ""
        node.refuse(f"{what}, got {node.told}{hint}")
    return told


def known(node: Node, names: Any, what: str) -> None:
    """Refuse the first key of a mapping that is not among the names, with the nearest that is."""
    names = tuple(names)
    for name, entry in node.value.items():
        if name not in names:
            entry.key.refuse(f"{what} has no {shown(name)}{did_you_mean(name, names)}; it takes {', '.join(names)}")
