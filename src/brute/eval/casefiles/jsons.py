"""JSON and JSON lines, read into nodes that know their place, and written."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from .composing import add
from .nodes import DEEPEST, Node, Place

_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = json.JSONDecoder()
_CONSTANTS = ("NaN", "Infinity", "-Infinity")
"""What Python reads, and JSON does not have."""


def parse(text: str, file: str, line: int = 1) -> Node | None:
    """The value of a JSON text, None where it is blank; `UsageError` with its place for what is no JSON. `line` is that of its beginning."""
    if not text.strip(" \t\n\r"):
        return None
    try:
        # What is wrong with the text, the library finds; the walk below only finds where everything stands.
        json.loads(text)
    except json.JSONDecodeError as error:
        Place(file, line + error.lineno - 1, error.colno).refuse(
            f"this is no JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        )
    except RecursionError:
        Place(file, line, 1).refuse(f"values are nested {DEEPEST} deep at the most")
    except ValueError:  # more digits than Python reads
        pass  # the walk comes to it, and knows where it stands
    return _Walk(text, file, line).value(_BLANK.match(text).end(), 0)[0]  # type: ignore[union-attr]


class _Walk:
    """A walk through a text that is known to be JSON."""

    def __init__(self, text: str, file: str, line: int) -> None:
        self.text, self.file = text, file
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._line = 0
        self._first = line

    def place(self, at: int) -> Place:
        """Where a character stands; asked for from the beginning to the end."""
        while self._line + 1 < len(self._starts) and self._starts[self._line + 1] <= at:
            self._line += 1
        return Place(self.file, self._first + self._line, at - self._starts[self._line] + 1)

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        """The value that begins here, and where it ends."""
        place = self.place(at)
        if self.text[at] not in "{[":
            try:
                value, end = _SCALAR.raw_decode(self.text, at)
            except ValueError:
                place.refuse("this number is too large")
            raw = self.text[at:end]
            if raw in _CONSTANTS:
                place.refuse(f"this is no JSON: it has {raw}")
            if isinstance(value, float) and not math.isfinite(value):
                place.refuse("this number is too large")
            return Node(value, place, value if isinstance(value, str) else raw), end
        if depth >= DEEPEST:
            place.refuse(f"values are nested {DEEPEST} deep at the most")
        node = Node({} if self.text[at] == "{" else [], place)
        at = self._over(at + 1)
        while self.text[at] not in "}]":
            at = self._item(node, at, depth + 1)
            at = self._over(at + 1) if self.text[at] == "," else at
        return node, at + 1

    def _item(self, node: Node, at: int, depth: int) -> int:
        first, at = self.value(at, depth)
        at = self._over(at)
        if isinstance(node.value, list):
            node.value.append(first)
            return at
        second, at = self.value(self._over(at + 1), depth)
        add(node.value, first, second)
        return self._over(at)

    def _over(self, at: int) -> int:
        return _BLANK.match(self.text, at).end()  # type: ignore[union-attr]


def lines(text: str, file: str) -> list[Node]:
    """The value of each line of JSON lines; blank lines are none."""
    found = (parse(each, file, number) for number, each in enumerate(re.split("\r?\n", text), 1))
    return [node for node in found if node is not None]


def write(data: Any, indent: int | None = 2) -> str:
    """The data as JSON, with what no reader sees written out."""
    told = json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False)
    return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in told)
