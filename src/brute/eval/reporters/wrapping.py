"""Lines that are too long for a terminal, broken between words and counted as a terminal counts: some characters take two cells, some none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .lines import Line, text_of

if TYPE_CHECKING:
    from rich.text import Text

_LEAST = 20
"""How many cells a text is given at least, whatever stands before it."""
# What stands before a text, and again before what is left of it: a step's label and its bar, a bar, a bullet, a status.
_HEAD = re.compile(r" {4}[> ] \S[^|]{8} \| | *\| | *- |(?:passed|failed|error|cancelled) +| +")

Width = Callable[[], int | None]
"""How many cells a line may take now; None where lines are left whole."""


def fitted(lines: Iterable[Line], width: int | None, ready: Callable[[str], str] = str) -> Iterator[Line]:
    """The lines, none of them wider than `width`. `ready` makes a text what it will be in the end: masked, and of what can be encoded.

    >>> [text_of(line) for line in fitted([(("    | one two three four five six", ""),)], 26)]
    ['    | one two three four', '    | five six']
    """
    for line in lines:
        # A secret that is broken in two is found no more, so it is masked before.
        yield from (line,) if width is None else _wrapped(tuple((ready(text), style) for text, style in line), width)


def _wrapped(line: Line, width: int) -> Iterator[Line]:
    from rich.cells import cell_len
    from rich.text import Text

    text = text_of(line)
    if cell_len(text) <= width:
        yield line
        return
    found = _HEAD.match(text)
    head = found.group() if found else ""
    again = _again(head)
    if width - cell_len(head) < _LEAST:
        head = again = ""
    whole = Text.assemble(*line)
    first, rest = whole[: len(head)], whole[len(head) :]
    for number, piece in enumerate(_broken(rest, width - cell_len(head))):
        before = _line(first) if number == 0 else ((again, "dim"),) if again else ()
        yield (*before, *_line(piece))


def _again(head: str) -> str:
    """What stands before the rest of a text: nothing but its bar, where it has one."""
    return " " * (len(head) - 2) + "| " if head.endswith("| ") else " " * len(head)


def _broken(text: Text, width: int) -> Iterable[Text]:
    import io

    from rich.console import Console

    for piece in text.wrap(Console(file=io.StringIO(), width=width), width, overflow="fold"):
        piece.rstrip()
        yield piece


def _line(text: Text) -> Line:
    """The text as a line: pairs of a text and its style."""
    made, end = [], 0
    for span in sorted(text.spans):
        made += [(text.plain[end : span.start], ""), (text.plain[span.start : span.end], str(span.style))]
        end = span.end
    return tuple(pair for pair in (*made, (text.plain[end:], "")) if pair[0])
