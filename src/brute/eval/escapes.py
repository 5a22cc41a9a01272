"""What could fool a terminal, a CI log or a reader, written out as an escape."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with everything that a terminal, a CI log or a reader could be fooled by written out as an escape.

    >>> visible("a\\x1b[31mb")
    'a\\\\u001b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    number = ord(character)
    if character in "\n\r\t":
        return character.encode("unicode_escape").decode()
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
