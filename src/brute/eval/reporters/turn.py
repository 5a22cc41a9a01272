"""The turn of an attempt that did not pass, step by step and in short: what the model saw, what it did, and where it went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..attempt import Attempt
from ..transcript import Transcript
from ..verdict import Failure
from ..wording import both, plural
from . import blame
from .blocks import LONG, SHORT, Block, blocks
from .conversation import Room
from .inert import inert
from .lines import INDENT, Line

LABEL = 9
"""How wide the column of labels is: `assistant`."""
_FIRST, _LAST, _MARKED = 5, 12, 6
"""How many steps are told of a long turn: the first, the last, and of those between the ones that failures lie in."""
_LOOKED_AT = 2
"""How many of the marked steps are given room: further ones are of the same kind, mostly."""


def turn_lines(attempt: Attempt) -> Iterator[Line]:
    """The steps of the turn, those that a failure lies in marked with it; of very many, the first, the last and the marked ones."""
    made = [*blocks(attempt)]
    _mark(made, attempt.verdict.failures, attempt.transcript)
    marked = [n for n, block in enumerate(made) if block.kinds][:_MARKED]
    told = {*range(_FIRST), *range(len(made) - _LAST, len(made)), *marked}
    left = 0
    for number, block in enumerate(made):
        if number not in told:
            left += 1
            continue
        if left:
            yield _row("...", plural(left, "more step"), "dim")
            left = 0
        yield from _lines(block, LONG if number in marked[:_LOOKED_AT] else SHORT)


def _mark(made: Sequence[Block], failures: Iterable[Failure], transcript: Transcript) -> None:
    """Note in each block the failures that lie there; one whose step is not told lies in the last, and one that is of no step in none."""
    for failure in failures:
        spots = set(blame.spots(failure, transcript))
        there = [block for block in made if spots & set(block.spots)]
        for block in there or (made[-1:] if spots else []):
            block.kinds.append(str(failure.kind))


def _lines(block: Block, room: Room) -> Iterator[Line]:
    for number, (label, text, style) in enumerate(block.rows(room)):
        yield _row(label, text, style, marked=bool(block.kinds) and number == 0)
    if block.kinds:
        kinds = both(inert(kind, 60) for kind in dict.fromkeys(block.kinds))
        yield ((f"{INDENT}  {'':{LABEL}} ^ {kinds}", "bold red"),)


def _row(label: str, text: str, style: str = "", marked: bool = False) -> Line:
    bar = ((" |", "dim"), (f" {text}" if text else "", ""))
    before = ((INDENT, ""), ("> ", "bold red")) if marked else ((f"{INDENT}  ", ""),)
    return (*before, (f"{label:<{LABEL}}", style), *bar)
