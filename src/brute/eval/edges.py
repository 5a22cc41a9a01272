"""The edges of a word in a text: what stands beyond them, and whether that is of the same word."""

from __future__ import annotations

import unicodedata


def neighbour(text: str, at: int, step: int) -> str:
    """The character at `at`, past marks of emphasis (in 1**4.25** the number begins with 1); none at either end."""
    while 0 <= at < len(text) and text[at] in "*`~":
        at += step
    if not 0 <= at < len(text):
        return ""
    if text[at] == "_":
        # In snake_case it is a letter, around _a word_ it is emphasis.
        beyond = text[at + step : at + step + 1] if at + step >= 0 else ""
        return beyond if beyond.isalnum() else ""
    return text[at]


def joined(edge: str, beyond: str) -> bool:
    """Whether the edge of a word and the character beyond it are of one word."""
    if not beyond.isalnum() and unicodedata.category(beyond or " ")[0] != "M":
        return edge == beyond and edge in "+#-=<>&|/%@\\"  # C+ is not said by C++
    if not edge.isalnum() and (edge in "'\"*`~" or unicodedata.category(edge) in ("Sc", "Ps", "Pe", "Pi", "Pf")):
        return False  # a quote, a bracket, a currency: 5 USD$ and f(a) say $ and (a)
    if edge.isascii() and beyond.isascii():
        return True
    if _is_of(_KATAKANA, edge) or _is_of(_KATAKANA, beyond):
        return _is_of(_KATAKANA, edge) and _is_of(_KATAKANA, beyond)
    return not (_is_of(_UNSPACED, edge) or _is_of(_UNSPACED, beyond))


def _is_of(scripts: tuple[str, ...], character: str) -> bool:
    """Whether the character is in one of the ranges, each written as its first and its last one."""
    return any(ends[0] <= character <= ends[1] for ends in scripts)


# Scripts without spaces between words, where no edge can be seen: Thai to Khmer, Korean (whose particles are attached), Chinese and
# Japanese, in which only a run of katakana is known to be one word. No pattern, which would take a twentieth of the import's time.
_UNSPACED = (
    "\u0e00\u0fff", "\u1000\u109f", "\u1100\u11ff", "\u1780\u17ff", "\u3005\u3007", "\u3040\u309f", "\u3100\u318f", "\u3400\u4dbf",
    "\u4e00\u9fff", "\uac00\ud7af", "\uf900\ufaff", "\U00020000\U0003ffff",
)  # fmt: skip
_KATAKANA = ("\u30a1\u30fa", "\u30fc\u30ff", "\u31f0\u31ff", "\uff66\uff9f")
