"""How a reply is read for a word: whole words, whatever the case, the quotes, the dashes and the emphasis around them.

Every rule errs on the side of "not said": a word that is only part of a longer one, a number that is only part of another
number, and what is struck out are not there. The time it takes grows with the length of the reply and no faster.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from .edges import joined, neighbour
from .tags import is_markup, untagged

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
    if is_blank(word):
        return False
    # Who looks for a tag means the text as it was written.
    wanted, text = folded(word.strip()), unstruck(reply)
    if wanted[-1].isnumeric() and "\n" in text:
        text = _NEXT_LINE.sub(" | ", text)
    text = folded(text if is_markup(wanted) else untagged(text))
    if _stands_in(text, wanted):
        return True
    # Looking through the emphasis takes longer, so first without any mark whether it could find something.
    return _bare(wanted) in _bare(text) and _MARKED.search(text) is not None and _stands_in(_plain(text), wanted)


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing: only spaces, control characters, and characters without a shape.

    >>> is_blank(" \\n\\u200b"), is_blank(".")
    (True, False)
    """
    return _SEEN.search(text) is None


_SHAPELESS = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
_SEEN = re.compile(rf"[^\s{_SHAPELESS}]")


def unstruck(text: str) -> str:
    """The text without what is struck out in it: ~~4.25~~, ~4.25~ and <del>4.25</del>."""
    if "~" in text:
        text = _STRUCK.sub(" ", text)
    return _DELETED.sub(" ", text) if "</" in text else text


# One ~ strikes out only at the edges of words: in 3~5 and ~5 it stands for "to" and "about". What is struck out ends with its
# paragraph, and a tag with the next one of its kind, so that a mark that is never closed is looked for once.
_STRUCK = re.compile(
    r"(?<!~)~~(?![~\s])(?:[^~\n]|~(?!~)|\n(?!\s*\n))*+(?<!\s)~~(?!~)"
    r"|(?<![~\w])~(?![~\s])(?:[^~\n]|\n(?!\s*\n))*+(?<!\s)~(?![~\w])"
)
_DELETED = re.compile(r"<(del|strike|s)\b[^<>]*+>[^<]*+(?:<(?!/?(?:del|strike|s)\b)[^<]*+)*+</\1\s*>", re.IGNORECASE)


# --- one spelling for what looks the same


@functools.lru_cache(maxsize=8)
def folded(text: str) -> str:
    """The text with one spelling for what looks the same: letters, case, quotes, dashes, wide forms, and runs of space."""
    if text.isascii():
        return _SPACES.sub(" ", text.lower())
    if _LOOKS_ALIKE.search(text):
        text = text.translate(_ALIKE)
    text = _composed(text)
    cased = text.casefold()
    if cased != text:
        text = _composed(cased)
    # A space that parts the groups of a number stays what it is, as a sign that the number goes on.
    if any(space in text for space in "\xa0\u2009\u202f"):
        text = _GROUPS.sub("\u202f", text)
    return _SPACES.sub(" ", text)


def _composed(text: str) -> str:
    if len(text) <= 1000:
        return unicodedata.normalize("NFC", text)
    # It takes quadratic time on a run of marks, so a long text is composed in pieces, that end before a plain letter if they can.
    return "".join(unicodedata.normalize("NFC", piece) for piece in _PIECE.findall(text))


_PIECE = re.compile(r"(?s).{1,1000}(?=[\x00-\x7f]|\Z)|.{1,1000}")
_ALIKE: dict[int, str | None] = {
    **{wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(map(ord, "‘’ʼ＇´"), "'"),
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    # The minus and the dashes that are written for it; the long dash (—) parts sentences and is none.
    **dict.fromkeys(map(ord, "−‐‑‒–﹣"), "-"),
    # What has no width, so that no word hides behind it.
    **dict.fromkeys([0xAD, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]),
}
_LOOKS_ALIKE = re.compile(f"[{re.escape(''.join(map(chr, _ALIKE)))}]")
_GROUPS = re.compile(r"(?<=\d)[\xa0\u2009\u202f](?=\d{3}(?!\d))")
_SPACES = re.compile(r"[^\S\u202f]+")
_MARKED = re.compile(r"[*_`~]")
# Markdown's emphasis, where a letter or digit stands on one side at the most: 3*4 and snake_case stay as they are.
_EMPHASIS = re.compile(r"(?<![*_`~])(?:(?<![^\W_])[*_`~]++|[*_`~]++(?![^\W_]))")


@functools.lru_cache(maxsize=8)
def _plain(text: str) -> str:
    return _EMPHASIS.sub("", text)


def _bare(text: str) -> str:
    """The text without any mark that may be one of emphasis."""
    for mark in "*_`~":
        text = text.replace(mark, "")
    return text


# --- whole words


TRIES = 100_000
"""How often a word is looked at that is in a reply as a part of something else; after that it was not said."""


def _stands_in(text: str, wanted: str) -> bool:
    """Whether `wanted` stands in `text` as whole words."""
    if wanted not in text:
        return False
    at = -1
    for _ in range(TRIES):
        # What is sure to be a part of something else is passed over without a closer look.
        found = _likely(wanted).search(text, at + 1)
        if found is None:
            return False
        at = found.start()
        if _begins(text, at, wanted) and _ends(text, found.end(), wanted):
            return True
    return False


@functools.lru_cache(maxsize=64)
def _likely(wanted: str) -> re.Pattern[str]:
    """Where `wanted` stands in a text without a letter or digit on either side that is sure to be of the same word."""
    word = re.escape(wanted)  # it comes first, which is what the engine is quickest to find
    before = rf"(?<![a-z0-9]{word})" if _PLAIN.match(wanted[0]) else ""
    after = "(?![a-z0-9])" if _PLAIN.match(wanted[-1]) else ""
    if wanted[0].isdigit():
        before += rf"(?<!\d[.,٬:'\u202f]{word})"
    if wanted[-1].isdigit():
        after += r"(?![.,٬'\u202f]\d)"
    return re.compile(f"{word}{before}{after}")


_PLAIN = re.compile("[a-z0-9]")


def _begins(text: str, at: int, wanted: str) -> bool:
    """Whether what stands before `at` is no part of the word that begins there."""
    if joined(wanted[0], neighbour(text, at - 1, -1)):
        return False
    before = text[max(0, at - 16) : at]
    if before[-9:].replace(" ", "").isalpha() and before[-1] == " " and not before.endswith(("minus ", "negative ")):
        return True  # nothing but words: the usual case, at a tenth of what the patterns take
    before = before.translate(_NO_EMPHASIS)
    if wanted[0].isalnum() and _NEGATED.search(before):
        return False
    if wanted[0].isnumeric() and (part := _MIXED.match(f" {wanted}")) and _is_part(part) and _WHOLE.search(before):
        return False
    if not _NUMBER.match(wanted):
        return True
    if _SIGNED.search(before) or (_OVER.search(before) and not _IN_A_YEAR.search(before + wanted)):
        return False
    return not (wanted[0].isdigit() and _BEGAN_BEFORE.search(before))


def _ends(text: str, at: int, wanted: str) -> bool:
    """Whether what stands from `at` on is no part of the word that ends there."""
    after = neighbour(text, at, 1)
    if joined(wanted[-1], after) or unicodedata.category(after or " ")[0] == "M":
        return False
    rest = text[at : at + 16].translate(_NO_EMPHASIS)
    if _CONTRACTED.match(rest):
        return False
    if wanted[-1].isdigit():
        part = _MIXED.match(rest)
        if part and _is_part(part) and not (part[1] and _YEAR.search(wanted)):
            return False
        return not (_GOES_ON.match(rest) or (_UNDER.match(rest) and not _OF_A_YEAR.search(wanted + rest)))
    if not wanted[-1].isalpha():
        return True
    return not (_NAMED_ON.match(rest) or (len(wanted) == 1 and _GRADED.match(rest)))


def _is_part(found: re.Match[str]) -> bool:
    return found[1] is None or int(found[1]) < int(found[2])


_NO_EMPHASIS = dict.fromkeys(map(ord, "*_`~"))
_NUMBER = re.compile(r"[$£€¥₹]?\.?\d")
_SIGNED = re.compile(r"(?:(?:^|[^\w)\]%])-|(?:[±∓√≠≤≥]|[!<>]=|<|[\w)] >) ?|\b(?:minus|negative) )[$£€¥₹]?$|\^$")
"""A minus before a number, or a sign that makes another one of it; the dash in 4-5 or GPT-4 is none, nor the > of a quote or a tag."""
_OVER = re.compile(r"\d ?[/⁄÷]$|\d ?÷ $")
"""4 is not said by 1/4; 2024 is by 5/2024 and 3/5/2024."""
_IN_A_YEAR = re.compile(r"(?<!\d)[0-3]?\d/(?:19|20)\d\d$")
_UNDER = re.compile(r" ?[/⁄÷] ?\d|\^|[×·]10| ?[×·] ?10[\^⁻⁰¹²³⁴-⁹]")
"""1 is not said by 1/4, 1^4 or 1×10³; 2024 is by 2024/05."""
_MIXED = re.compile(r"[ -](?:[¼-¾⅐-⅞]|([1-9]\d?)[/⁄](2|3|4|5|6|8|10|12|16|32|64)(?![\d/⁄]))")
"""Nor is it by 1 ½ or 1 1/2; it is where no such part follows (at 5 on 12/24: "5 12/24"), and a year is before a date (2026 5/12)."""
_WHOLE = re.compile(r"(?<!\d)\d{1,3}[ -]?$")
"""What makes another number of a part that follows: ½ is not said by 4 ½, nor 1/2 by 4 1/2."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d$")
_NEXT_LINE = re.compile(r"(?<=\d)[ \t]*\n\s*(?=[1-9]\d?[/⁄]|[¼-¾⅐-⅞])")
"""Where a line ends in a number, and the next one begins with a part: those are two numbers."""
_OF_A_YEAR = re.compile(r"^(?:19|20)\d\d/[01]?\d(?!\d)")
_NEGATED = re.compile(
    r"(?<![^\W_])(?:non|un|anti|ex|not?|never|dis|mis|counter|contra|pseudo|quasi|il|im|ir|mal|(?<!-)de)-[\"'(]?$"
)
"""What is put before a word with a hyphen and makes its contrary: "existent" is not said by "non-existent"."""
_BEGAN_BEFORE = re.compile(r"\d[.,٬:'\u202f]$|(?:^|[^\w.])\.$")
"""25 is not said by 4.25, 4,25, 10:25 or .25."""
_GOES_ON = re.compile(r"[.,٬'\u202f]\d|:\d\d(?!\d)")
"""4 is not said by 4.25, 4,250, 4'250 or 4:25."""
_CONTRACTED = re.compile(r"'t(?![^\W_])|-(?:free|less)(?![^\W_])")
"""The rest of a negation: "can" is not said by "can't", "nut" not by "nut-free"."""
_NAMED_ON = re.compile(r"\+\+|[+#♯](?![^\W_])")
"""The rest of a name: C is not said by C++ or C#, Disney not by Disney+."""
_GRADED = re.compile(r"[+#♯]|-(?![^\W_])")
"""The same of a letter: neither is A said by A-."""
