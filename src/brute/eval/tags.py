"""HTML in a reply, as a reader of the page has it: marks of emphasis are no part of a word, and comments are not seen.

Code in backticks is shown as it is written, tags and all.
"""

from __future__ import annotations

import re


def untagged(text: str) -> str:
    """The text without the tags that stand inside of words and lines, and without comments; a power of a number keeps its sign, and a sign
    that is written by its name (`&lt;`) is that sign.

    >>> untagged("4<b>.25</b>% of 10<sup>3</sup>, the 4<sup>th</sup><!-- 5 -->"), untagged("a `<b>` and x<y>z")
    ('4.25% of 10^3, the 4th', 'a `<b>` and x<y>z')
    """
    return _MARKUP.sub(_seen, text) if "<" in text or "&" in text else text


def is_markup(word: str) -> bool:
    """Whether who looks for the word means a tag or the name of a sign, and so the text as it was written.

    >>> is_markup("<b>"), is_markup("&lt;"), is_markup("AT&T")
    (True, True, False)
    """
    return "<" in word or ">" in word or ("&" in word and re.search(_SIGN, word) is not None)


def _seen(found: re.Match[str]) -> str:
    if found["code"] is not None:
        return found[0]
    if found["sign"] is not None:
        import html  # seldom needed, and large

        return html.unescape(found[0])
    return "^" if found["power"] is not None else ""


_NAMES = "abbr|a|big|bdi|b|cite|code|em|font|i|ins|kbd|mark|small|span|strong|sub|sup|tt|u|var"
_TAG = rf"</?(?:{_NAMES})(?:\s+[a-z-]++\s*=[^<>]*+|\s*+/?)>"
_SIGN = r"&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
_MARKUP = re.compile(
    rf"(?P<sign>{_SIGN})|(?P<code>```[^`]*+```|`[^`\n]*+`)|(?P<power><sup(?:\s[^<>]*+)?>(?=\s?[-+−]?\d))|{_TAG}|<!--(?:[^-<]|-(?!->)|<(?!!--))*+-->",
    re.IGNORECASE,
)
