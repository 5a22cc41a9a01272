"""Patterns as files write them: `/bank|rate/i`."""

from __future__ import annotations

import re

from ..arguments import shown

FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
"""The letters behind the second slash."""

_SHAPE = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
_ELSEWHERE = set("dgimsuvyxa")
"""The letters that stand there in one language or another."""


class Bad(ValueError):
    """A text that looks like a pattern and can't be one, in words."""


def read(text: str) -> re.Pattern[str] | None:
    """The pattern that a text says, None where it says none; raises `Bad` for one that can't be meant.

    >>> read("/bank|rate/i"), read("bank"), read("/etc/hosts")
    (re.compile('bank|rate', re.IGNORECASE), None, None)
    """
    found = _SHAPE.fullmatch(text)
    if found is None:
        return None
    body, letters = found.groups()
    bare = "/" in re.sub(r"\\.", "", body, flags=re.DOTALL)
    if set(letters) - FLAGS.keys() or len(set(letters)) < len(letters):
        if bare or set(letters) - _ELSEWHERE or len(set(letters)) < len(letters):
            return None
        strange = next(letter for letter in letters if letter not in FLAGS)
        raise Bad(f"{shown(text)} has the flag {strange}; flags are {', '.join(FLAGS)}{_as_text(text)}")
    if bare or not body:
        why = "a pattern writes its slashes \\/" if bare else "the pattern // would match anything"
        raise Bad(f"{shown(text)} may be a pattern or a text: {why}{_as_text(text)}")
    return compiled(re.sub(r"\\(.)", lambda each: "/" if each[1] == "/" else each[0], body, flags=re.DOTALL), letters)


def _as_text(text: str) -> str:
    return f"; if it is meant as a text, write {{$text: {shown(text)}}}"


def compiled(body: str, letters: str = "") -> re.Pattern[str]:
    """The pattern, compiled; raises `Bad` where it does not."""
    strange = [letter for letter in letters if letter not in FLAGS]
    if strange:
        raise Bad(f"a pattern has the flags {', '.join(FLAGS)}, got {shown(strange[0])}")
    flags = re.NOFLAG
    for letter in letters:
        flags |= FLAGS[letter]
    try:
        return re.compile(body, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise Bad(f"{shown(body)} does not compile: {error}") from None


def looks(text: str) -> bool:
    """Whether the text is written as a pattern is, good or bad."""
    return _SHAPE.fullmatch(text) is not None


def letters(pattern: re.Pattern[str]) -> str:
    """The letters of its flags."""
    return "".join(letter for letter, flag in FLAGS.items() if pattern.flags & flag)


def write(pattern: re.Pattern[str]) -> str | None:
    """The pattern between slashes, None where that would not be read as the same.

    >>> write(re.compile("a/b", re.I))
    '/a\\\\/b/i'
    """
    told = f"/{pattern.pattern.replace('/', chr(92) + '/')}/{letters(pattern)}"
    try:
        return told if read(told) == pattern else None
    except Bad:
        return None
