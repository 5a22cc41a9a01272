"""How a name, a value, a number and a wish stand in a sentence: on one line, clipped, and inert.

What a model wrote is hostile wherever it is shown, and may be of any size: nothing here takes longer than what is shown.
"""

from __future__ import annotations

import copy
import json
import math
import re
import signal
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .escapes import visible as visible
from .jsonable import plain
from .masking import beginning
from .matching import Wish

CLIP = 120
"""How many characters of a value a sentence shows."""
_PIECES = 2000
"""How many pieces of a value are looked at to tell how much is left out."""


def quote(text: str) -> str:
    """A text in quotes, clipped, with the amount left out."""
    head, left = beginning(text, CLIP)
    return visible(json.dumps(head, ensure_ascii=False)) + _left_out(left)


def clipped(text: str, size: int = CLIP) -> str:
    """A text, clipped, with the amount left out."""
    head, left = beginning(text, size)
    return head + _left_out(left)


def one_line(text: str, size: int = CLIP) -> str:
    """A text of somebody else's as a part of a sentence: on one line, clipped, inert."""
    start, left = beginning(text, 10 * size)
    head = " ".join(start.split())
    return visible(head[:size]) + _left_out(max(0, len(head) - size) + max(0, left))


def _left_out(count: int, at_least: bool = False) -> str:
    return "" if count <= 0 else f"... {'more than ' if at_least else ''}{plural(count, 'more character')}"


def value(thing: Any) -> str:
    """A value as a sentence shows it: JSON, clipped.

    >>> value({"query": "bank rate", "limit": None})
    '{"query": "bank rate", "limit": null}'
    """
    return quote(thing) if isinstance(thing, str) else _clipped_pieces(_pieces(thing))


def wish(wanted: Any) -> str:
    """What an argument should have been, matchers in their own words.

    >>> wish(re.compile("bank|rate", re.I)), wish(int), wish({"a": [re.compile("x")]})
    ('matching /bank|rate/i', 'of type int', '{"a": [/x/]}')
    """
    if isinstance(wanted, Wish):
        return _wish(wanted)
    if isinstance(wanted, re.Pattern):
        return f"matching {pattern(wanted)}"
    if isinstance(wanted, (type, types.UnionType)):
        return f"of type {_matcher(wanted)}"
    if isinstance(wanted, range):
        return f"in {wanted!r}"
    return quote(wanted) if isinstance(wanted, str) else _clipped_pieces(_pieces(wanted, matchers=True))


def _wish(wanted: Wish) -> str:
    text = visible(wanted.words(lambda each: _clipped_pieces(_pieces(each, matchers=True))))
    return clipped(text, 2 * CLIP)


def wishes(wanted: Any) -> str:
    """What a whole call should have been."""
    if isinstance(wanted, Wish):
        return _wish(wanted)
    told = [f"{visible(name)} {wish(wanted[name])}" for name in wanted]
    return " and ".join(told[:5]) + (f" and {len(told) - 5:,} more" if len(told) > 5 else "") or "any arguments"


def pattern(wanted: re.Pattern[str]) -> str:
    """A compiled pattern as it is written elsewhere: /bank|rate/i."""
    flags = "".join(
        letter for flag, letter in ((re.I, "i"), (re.M, "m"), (re.S, "s"), (re.X, "x")) if wanted.flags & flag
    )
    return f"/{clipped(visible(str(wanted.pattern)))}/{flags}"


def literal(thing: Any) -> str:
    """A thing of the user's program as Python writes it, without its address."""
    return one_line(re.sub(r" at 0x[0-9a-fA-F]+", "", _safe(repr, thing)))


def both(values: Iterable[str], most: int = 5) -> str:
    """Values in a row; of many, the first few and how many more."""
    each = list(values)
    rest = f" and {len(each) - most:,} more" if len(each) > most else ""
    return ", ".join(each[:most]) + rest


def listed(names: Sequence[str], none: str = "none", most: int = 20) -> str:
    """Names in a row."""
    return both((one_line(str(name)) for name in names), most) if names else none


def plural(count: int, noun: str, end: str = "s") -> str:
    """A count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else end}"


def ending(status: int | None) -> str:
    """How a process ended, as a remark: `status` is its exit code, the negative of a signal, or None where nobody knows."""
    if status is None or status >= 0:
        return "" if status is None else f" with exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f" with {name}{' (out of memory, or killed from outside)' if name == 'SIGKILL' else ''}"


def times(count: int) -> str:
    """How often."""
    return plural(count, "time")


def seconds(amount: float) -> str:
    """A time with its unit."""
    return f"{number(amount)} second{'' if amount == 1 else 's'}"


def number(amount: float) -> str:
    """A number in full: 180, 0.25, 1,000,000."""
    if isinstance(amount, int):
        return f"{amount:,}"
    return f"{int(amount):,}" if math.isfinite(amount) and amount == int(amount) else repr(amount)


def beyond(spent: float, budget: float) -> str:
    """A number with as many digits as it takes to see that it is over the budget.

    >>> beyond(180.44, 180), beyond(180.0004, 180), beyond(3, 2)
    ('180.4', '180.0004', '3')
    """
    if isinstance(spent, int):
        return number(spent)
    return next((text for digits in range(1, 7) if float(text := f"{spent:.{digits}f}") > budget), repr(spent))


# --- values, piece by piece


def _clipped_pieces(pieces: Iterator[tuple[str, int]]) -> str:
    text, length, count = "", 0, 0
    for piece, hidden in pieces:
        count += 1
        if count > _PIECES:
            break
        if len(text) < CLIP:
            text += piece
        length += len(piece) + hidden
    head, left = beginning(text, CLIP)
    return visible(head) + _left_out(length - len(text) + left, at_least=count > _PIECES)


def _pieces(thing: Any, matchers: bool = False, depth: int = 0) -> Iterator[tuple[str, int]]:
    """The value as JSON in pieces, each with the number of characters that it keeps to itself."""
    if isinstance(thing, str):
        head, left = beginning(str(thing), CLIP)
        yield json.dumps(head, ensure_ascii=False), max(0, left)
    elif depth > 30:
        yield "...", 0
    elif matchers and isinstance(thing, Wish):
        yield thing.words(lambda each: "".join(piece for piece, _ in _pieces(each, True, depth + 1))), 0
    elif isinstance(thing, Mapping):
        yield "{", 0
        for index, key in enumerate(thing):
            yield ", " if index else "", 0
            yield from _pieces(key if isinstance(key, str) else _safe(str, key), False, depth + 1)
            yield ": ", 0
            yield from _pieces(thing[key], matchers, depth + 1)
        yield "}", 0
    elif isinstance(thing, (list, tuple)):
        yield "[", 0
        for index, each in enumerate(thing):
            yield ", " if index else "", 0
            yield from _pieces(each, matchers, depth + 1)
        yield "]", 0
    elif matchers and not (thing is None or isinstance(thing, (bool, int, float))):
        yield _matcher(thing), 0
    else:
        thing = plain(thing)
        if isinstance(thing, (str, Mapping, list)):
            yield from _pieces(thing, False, depth + 1)
        else:
            yield json.dumps(thing), 0


def _matcher(wanted: Any) -> str:
    """A matcher in its own words."""
    if isinstance(wanted, re.Pattern):
        return pattern(wanted)
    name = getattr(wanted, "__name__", None)
    if isinstance(wanted, type):
        return visible(str(name))
    if callable(wanted) and isinstance(name, str):
        code = getattr(wanted, "__code__", None)
        line = f" (line {code.co_firstlineno})" if name == "<lambda>" and code else ""
        return f"satisfying {visible(name)}{line}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", _safe(_afresh, wanted))


def _afresh(wanted: Any) -> str:
    # Matchers of dirty-equals show what they were last equal to, so a copy is shown that has just been unequal.
    fresh = copy.copy(wanted)
    _ = fresh == _NOTHING
    return repr(fresh)


_NOTHING = object()


def _safe(write: Any, thing: Any) -> str:
    try:
        return str(write(thing))
    except Exception:
        return f"<{type(thing).__name__}>"
