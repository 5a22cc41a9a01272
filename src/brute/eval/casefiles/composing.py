"""Nodes, composed of the events of a YAML parser: YAML 1.2's own few words that are no text, no tags, no objects, no key twice.

`no`, `on`, `off` and `yes`, dates, times and numbers that begin with a zero are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from ..arguments import shown
from .nodes import DEEPEST, Entry, Node, Place

MOST = 1_000_000
"""How many values a file may stand for once its aliases are followed."""

_WORDS = {word: value for value, words in ((None, "null Null NULL ~"), (True, "true True TRUE"), (False, "false False FALSE")) for word in words.split()}  # fmt: skip
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
STR = "tag:yaml.org,2002:str"


def scalar(raw: str) -> Any:
    """What a scalar without quotes is.

    >>> scalar("no"), scalar("4.25"), scalar("007"), scalar("2024-01-31"), scalar("null")
    ('no', 4.25, '007', '2024-01-31', None)
    """
    if raw == "" or raw in _WORDS:
        return _WORDS.get(raw)
    if _INTEGER.fullmatch(raw):
        return int(raw, 0)
    if _FLOAT.fullmatch(raw):
        return float(raw)
    endless = _ENDLESS.fullmatch(raw)
    return raw if endless is None else float(raw.replace(".", ""))


class _Open:
    """A mapping or a list of which the end has not come yet."""

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node, self.anchor = node, anchor
        self.items: list[Node] = []


class Composer:
    """What makes nodes of the events of a YAML parser, one by one."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.document: Node | None = None
        self._documents = 0
        self._aliased = False
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        # Which keys are a << without quotes, that takes in what another mapping holds.
        self._merges: dict[int, Node] = {}
        self._takes: dict[str, Callable[[Any, Place], None]] = {
            "DocumentStartEvent": self._document_start,
            "ScalarEvent": self._scalar,
            "AliasEvent": self._alias,
            "MappingStartEvent": self._mapping_start,
            "SequenceStartEvent": self._sequence_start,
            "SequenceEndEvent": self._sequence_end,
            "MappingEndEvent": self._mapping_end,
        }

    def take(self, event: Any) -> None:
        """Go on with the next event."""
        take = self._takes.get(type(event).__name__)
        if take is not None:
            mark = event.start_mark
            take(event, Place(self.file, mark.line + 1, mark.column + 1))

    def _document_start(self, event: Any, place: Place) -> None:
        self._documents += 1
        if self._documents > 1:
            place.refuse("a file of cases is one document; leave out the --- before this")

    def _scalar(self, event: Any, place: Place) -> None:
        _check_tag(event, place)
        plain = event.tag is None and event.implicit[0]
        try:
            node = Node(scalar(event.value) if plain else event.value, place, event.value)
        except ValueError:  # more digits than Python reads
            place.refuse("this number is too large")
        if isinstance(node.value, float) and not math.isfinite(node.value):
            place.refuse(f'a number must be finite, got {node.raw}; write "{node.raw}" if it is meant as a text')
        if plain and event.value == "<<":
            self._merges[id(node)] = node
        self._add(node, event.anchor)

    def _alias(self, event: Any, place: Place) -> None:
        if event.anchor not in self._anchors:
            place.refuse(f"*{event.anchor} stands for nothing that ends before it; &{event.anchor} has to come first")
        self._aliased = True
        self._add(self._anchors[event.anchor], None)

    def _mapping_start(self, event: Any, place: Place) -> None:
        self._begin(event, Node({}, place))

    def _sequence_start(self, event: Any, place: Place) -> None:
        self._begin(event, Node([], place))

    def _begin(self, event: Any, node: Node) -> None:
        _check_tag(event, node.place)
        if len(self._open) >= DEEPEST:
            node.refuse(f"values are nested {DEEPEST} deep at the most")
        self._open.append(_Open(node, event.anchor))

    def _sequence_end(self, event: Any, place: Place) -> None:
        done = self._open.pop()
        done.node.value = done.items
        self._end(done)

    def _mapping_end(self, event: Any, place: Place) -> None:
        done = self._open.pop()
        merged: list[Node] = []
        for key, value in zip(done.items[::2], done.items[1::2], strict=True):
            if id(key) in self._merges:
                merged += value.value if isinstance(value.value, list) else [value]
            else:
                add(done.node.value, key, value)
        for other in merged:
            if not isinstance(other.value, dict):
                other.refuse(f"<< takes in mappings, got {other.told}")
            for name, entry in other.value.items():
                done.node.value.setdefault(name, entry)
        self._end(done)

    def _end(self, done: _Open) -> None:
        done.node.size = 1 + sum(each.size for each in done.items)
        if self._aliased and done.node.size > MOST:
            done.node.refuse(f"its aliases stand for more than {MOST:,} values")
        self._add(done.node, done.anchor)

    def _add(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._open:
            self._open[-1].items.append(node)
        else:
            self.document = None if node.value is None else node


def _check_tag(event: Any, place: Place) -> None:
    if event.tag not in (None, "!") and not (event.tag == STR and hasattr(event, "value")):
        name = event.tag.replace("tag:yaml.org,2002:", "!!")
        place.refuse(f"a file of cases has no tags but !!str, got {shown(name)}")


def add(into: dict[str, Entry], key: Node, value: Node) -> None:
    """Put an entry into a mapping; a key that is no text, or stands there already, is refused."""
    if not isinstance(key.value, str):
        hint = f'; write "{key.raw}"' if key.raw else ""
        key.refuse(f"a key must be a text, got {key.told}{hint}")
    if key.value in into:
        key.refuse(f"{shown(key.value)} stands twice in this mapping, first in line {into[key.value].key.place.line}")
    into[key.value] = Entry(key, value)
