"""How a reply is read: whether it says a word, and whether it says that there is nothing."""

from __future__ import annotations

import functools
import re
import unicodedata

Word = str | re.Pattern[str]


def says(reply: str, word: Word | tuple[Word, ...]) -> bool:
    """Whether the reply says the word: whole words, whatever the case; a pattern is searched; a tuple is any-of.

    >>> says("Bank Rate is £4.25%.", "4.25"), says("14.25", "4.25"), says("4.256", "4.25"), says("-4.25", "4.25")
    (True, False, False, False)
    """
    if isinstance(word, tuple):
        return any(says(reply, one) for one in word)
    if isinstance(word, re.Pattern):
        return word.search(reply) is not None
    return _pattern(word).search(_folded(reply)) is not None


def says_nothing_found(reply: str, absence: re.Pattern[str] | None = None) -> bool:
    """Whether the reply says that there is nothing: by `absence`, or by the built-in reading of English.

    >>> says_nothing_found("I couldn’t find anything on that."), says_nothing_found("Not bad, no problem!")
    (True, False)
    """
    return (absence or _ABSENT).search(reply if absence else _folded(reply)) is not None


def _folded(text: str) -> str:
    """The text with one spelling for what looks the same: composed letters, plain quotes, minus signs and spaces."""
    text = unicodedata.normalize("NFC", text).translate(_ALIKE)
    return text.casefold()


_ALIKE = {ord(c): "'" for c in "‘’ʼ＇"} | {ord(c): '"' for c in "“”„"} | {ord(c): "-" for c in "−‐‑"} | {ord("\u200b"): ""}

# Scripts that write no spaces between words: there, a word's edge can't be seen.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff"
_UNSPACED = re.compile(f"[{_NO_SPACES}]")
# A letter or digit; an underscore is one only between two of those (snake_case), not around a word (_emphasis_).
_BEFORE = r"(?<![^\W_])(?<![^\W_]_)"
_AFTER = r"(?![^\W_])(?!_[^\W_])"
# A number goes on over a decimal point, over a comma before three digits, and begins with its minus sign.
_BEFORE_NUMBER = r"(?<!\d\.)(?<!\d,(?=\d{3}(?!\d)))(?<![^\w\s.,;:)\]%]-)(?<!\s-)(?<!^-)"
_AFTER_NUMBER = r"(?!\.\d)(?!,\d{3}(?!\d))"


@functools.lru_cache(maxsize=1024)
def _pattern(word: str) -> re.Pattern[str]:
    folded = _folded(word.strip())
    body = r"\s+".join(map(re.escape, folded.split()))
    first, last = folded[0], folded[-1]
    before = "" if not first.isalnum() or _UNSPACED.match(first) else _BEFORE
    after = "" if not last.isalnum() or _UNSPACED.match(last) else _AFTER
    before += _BEFORE_NUMBER.replace("(?<!\\d,(?=\\d{3}(?!\\d)))", "") if first.isdigit() else ""
    after += _AFTER_NUMBER if last.isdigit() else ""
    if re.match(r"\d{3}(?!\d)", folded):
        before += r"(?<!\d,)"
    return re.compile(before + body + after)


_THING = (
    r"(?:relevant |specific |recent |matching |further |other |available |such |reliable |current |exact |new |search |"
    r"useful |public |reported |recorded |upcoming |related |additional |more |mention of |record of |sign of |trace of |evidence of )*"
)
_NOUN = (
    r"(?:results?|matches|match|records?|entries|entry|information|info|data|news|articles?|documents?|files?|emails?|messages?|"
    r"mentions?|reports?|events?|meetings?|appointments?|items?|answers?|hits?|references?|details?|updates?|listings?|"
    r"sources?|evidence|trace|record|orders?|tickets?|tasks?|contacts?|flights?|anything|something)"
)
_NOT = r"(?:couldn't|could not|can't|cannot|can not|didn't|did not|don't|do not|doesn't|does not|wasn't able to|was not able to|were not able to|weren't able to|isn't able to|unable to|not able to|failed to|haven't|have not|hasn't|has not|never)"
_FIND = r"(?:find|found|locate|located|see|seen|have|has|had|turn up|turned up|come across|contain|contains|show|return|returned|include|mention|retrieve|identify|discover|get|know of|exist)"
_ABSENT = re.compile(
    rf"\b(?:no|zero|0) {_THING}{_NOUN}\b(?! (?:are|is|were|was) (?:wrong|missing|bad))"
    rf"|\b{_NOT} (?:seem to |appear to |currently |actually |yet |been able to |be able to |able to )*{_FIND}\b(?! (?:a |any )?(?:problems?|issues?|errors?|faults?|doubt))"
    r"|\b(?:found|find|see|have|returned|there(?:'s| is| was)|turned up|got|know) (?:absolutely |currently )?nothing\b(?! (?:wrong|bad|but|short))"
    r"|\bnothing (?:was |is |has been |could be |matching |relevant |new |like that |on that |about that |of the kind )*(?:found|matched|matches|turned up|came up|available|to report|there|exists?|on record|scheduled|planned|relevant)\b"
    r"|\bnothing (?:matching|about|on|for|regarding|relating|related|in the)\b"
    r"|\b(?:not|nowhere) (?:to be )?found\b|\bcame? up (?:empty|blank)\b|\b(?:none|nobody|no one|no-one) (?:was |were |has been |have been |could be )?(?:found|matched|available|listed|exist)\b"
    r"|\bthere (?:is|are|was|were|'s) (?:currently |presently )?(?:none|no)\b(?! (?:doubt|problem|need|question|reason|longer|harm|rush|wonder|issue|way|denying|better))"
    r"|\b(?:is|are|was|were) (?:empty|unavailable|not available|nonexistent|not listed|not on record|not mentioned|not in)\b"
    r"|\b(?:do|does|did)(?: not|n't) exist\b|\bno such\b"
)
