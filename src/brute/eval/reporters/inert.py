"""Text from a model, a tool, a case or an exception, made so that showing it can fool neither a terminal, a CI log nor a reader.

Every function masks what is secret before it clips, and clips before it escapes, so that a reply of 10 MB costs no more than one
of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..masking import beginning
from ..wording import CLIP, plural, visible

# `::error` counts at the start of a line only, and no line of ours starts with text from outside. These count anywhere in it:
# ##[error] (GitHub), ##vso[ (Azure), ##teamcity[.
_COMMAND = re.compile(r"##(?=\s*[\w.-]*\[)")


def inert(text: object, size: int = 400) -> str:
    """The text on one line, clipped to `size` characters, with everything that acts instead of being read written out.

    >>> print(inert("a\\x1b[31m ##vso[task.complete]"))
    a\\u001b[31m #\\u0023vso[task.complete]
    """
    head, left = beginning(text if isinstance(text, str) else str(text), size)
    shown = _COMMAND.sub(r"#\\u0023", visible(head))
    return f"{shown}... {plural(left, 'more character')}" if left > 0 else shown


def phrase(text: str, size: int = CLIP) -> str:
    """The beginning of a text as one line to be read: runs of white space become one space each."""
    head, left = beginning(text.strip(), size)
    shown = inert(" ".join(head.split()))
    return f"{shown}... {plural(left, 'more character')}" if left > 0 else shown


def paragraph(text: str, most: int = 24, size: int = 4000, width: int = 1000) -> Iterator[str]:
    """The lines of a text: at most `most` of them, of `width` characters each and `size` together, then how much was left out."""
    # Masked before it falls into lines: a private key has many of them.
    told, left = beginning(text.strip("\r\n"), size)
    lines = told.split("\n", most)
    cut = left > 0 or len(lines) > most
    length = len(told) + max(0, left)
    shown = 0
    for line in lines[:most]:
        shown += len(line) + 1
        yield inert(line.rstrip("\r").expandtabs(4), width)
    if cut and length > shown:
        yield f"... {plural(length - shown, 'more character')}"
