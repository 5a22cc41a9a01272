"""How a reply is read for a word: whole words, whatever the case, the quotes, the dashes and the emphasis around them.

Every rule errs on the side of "not said": a word that is only part of a longer one, or a number that is only part of another
number, is not there. It reads in one pass, so that a reply of many megabytes costs no more than its length.
"""

from __future__ import annotations

import functools
import re
import unicodedata

Word = str | re.Pattern[str]


def says(reply: str, word: Word | tuple[Word, ...]) -> bool:
    """Whether the reply says the word: whole words, whatever the case; a pattern is searched; a tuple is any-of.

    >>> says("Bank Rate is £4.25%.", "4.25"), says("14.25", "4.25"), says("4.256", "4.25"), says("-4.25", "4.25")
    (True, False, False, False)
    >>> says("the Bank of **England**", "bank of england"), says("a banker", "bank"), says("I can't", "can")
    (True, False, False)
    """
    if isinstance(word, tuple):
        return any(says(reply, one) for one in word)
    if isinstance(word, re.Pattern):
        return word.search(reply) is not None
    wanted = folded(word.strip())
    if is_blank(wanted):
        return False
    text = folded(reply)
    return _stands_in(text, wanted) or _stands_in(_EMPHASIS.sub("", text), wanted)


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing: only spaces, control characters, and characters without a shape.

    >>> is_blank(" \\n\\u200b"), is_blank(".")
    (True, False)
    """
    return _SEEN.search(text) is None


_SEEN = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
                   r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]")


@functools.lru_cache(maxsize=8)
def folded(text: str) -> str:
    """The text with one spelling for what looks the same: letters, case, quotes, dashes, digits, and runs of space."""
    if text.isascii():
        text = text.lower()
    else:
        # NFC takes quadratic time on a run of marks; no language piles up more than a few on one letter.
        text = _composed(_MARKS.sub(r"\1", text).translate(_ALIKE))
        text = _composed(text.casefold())
        # A number's groups may be parted by a space that does not break: that one stays, as a sign that the number goes on.
        text = _GROUPS.sub("\u202f", text)
    return _SPACES.sub(" ", text)


def _composed(text: str) -> str:
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


_ALIKE: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "‘’ʼ＇`´"), "'"),
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    # The minus, and the dashes that are written for it; a long dash (—) parts sentences and is none of them.
    **dict.fromkeys(map(ord, "−‐‑‒–﹣"), "-"),
    # What has no width, so that a word can't hide behind it.
    **dict.fromkeys([0xAD, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
    **{wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F) if chr(wide) != "＇"},
}
del _ALIKE[ord("`")]
_MARKS = re.compile("([\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{16})"
                    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_GROUPS = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_SPACES = re.compile(r"[^\S\u202f]+")
# Markdown's emphasis, where it stands between a letter or digit and something else; 3*4 and snake_case stay as they are.
_EMPHASIS = re.compile(r"(?<![^\W_])[*_`~]+|[*_`~]+(?![^\W_])")


def _stands_in(text: str, wanted: str) -> bool:
    """Whether `wanted` stands in `text` as whole words."""
    at = text.find(wanted)
    while at >= 0:
        if _begins(text, at, wanted) and _ends(text, at + len(wanted), wanted):
            return True
        at = text.find(wanted, at + 1)
    return False


def _begins(text: str, at: int, wanted: str) -> bool:
    """Whether what stands before `at` is no part of the word that begins there."""
    first, before = wanted[0], _neighbour(text, at - 1, -1)
    if before and _joined(before, first):
        return False
    return not _NUMBER.match(wanted) or _NUMBER_BEFORE.search(text[max(0, at - 8) : at]) is None


def _ends(text: str, at: int, wanted: str) -> bool:
    """Whether what stands from `at` on is no part of the word that ends there."""
    last, after = wanted[-1], _neighbour(text, at, 1)
    if after and _joined(last, after):
        return False
    rest = text[at : at + 8]
    return _CONTRACTED.match(rest) is None and (not last.isdigit() or _NUMBER_AFTER.match(rest) is None)


_NUMBER = re.compile(r"[-+]?[^\w\s.,'\"()\[\]{}*_`~-]?\.?\d")
"""A word that begins as a number: 4.25, -4.25, £4.25."""

_CONTRACTED = re.compile(r"'t(?![^\W_])")
"""The rest of a negation: "can" is not said by "can't"."""

_NUMBER_AFTER = re.compile(r"[.,٬'\u202f]\d|:\d\d(?!\d)")
"""A number goes on: 4 is not said by 4.25, 4,250, 4'250 or 4:25."""

_NUMBER_BEFORE = re.compile(
    r"\d[.,٬:'\u202f]$"  # it began before: 25 is not said by 4.25
    r"|(?:^|[^\w.])\.$"  # .25
    r"|(?:^|[^\w)\]%])-[$£€¥₹]?$"  # it is negative: -4.25, (-4.25), -£4.25; in 4-5 the dash parts two numbers
)


def _neighbour(text: str, at: int, step: int) -> str:
    """The character at `at`, past emphasis marks: in 1**4.25** the number begins with 1."""
    for _ in range(8):
        if not 0 <= at < len(text):
            return ""
        if text[at] not in "*`~":
            break
        at += step
    if text[at] == "_" and not (0 <= at + step < len(text) and text[at + step].isalnum()):
        return ""
    return text[at]


def _joined(left: str, right: str) -> bool:
    """Whether two characters side by side are of one word."""
    if left == right and left in "+#-=<>&|/%@\\":
        return True  # C+ is not said by C++
    return _worded(left) and _worded(right) and not (_unspaced(left, right) or _open(left) or _open(right))


def _worded(character: str) -> bool:
    return character.isalnum() or character == "_" or not character.isspace()


def _open(character: str) -> bool:
    raise NotImplementedError


def _unspaced(left: str, right: str) -> bool:
    raise NotImplementedError
