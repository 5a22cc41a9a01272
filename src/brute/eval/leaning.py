"""Which way the words of a reply lean: for its saying that there is nothing, or against it.

A vote of groups of words. The weight of each was learned from replies that people would label without doubt, and stands in
`leaning.tsv` (tests/realdata/learn.py writes it). A phrase that says so (absence.py) has a voice in it, which counts for much: the
phrases know what was written down, the words know what else is said where somebody found nothing.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources

LONGEST = 250
"""How many words are put to the vote at most; of a reply that is longer, the phrases say what it is alone."""


def leans(text: str, phrased: bool) -> bool:
    """Whether a folded reply says that there is nothing; `phrased` where a phrase of it does.

    >>> leans("as far as the logs go back, the alarm has not been triggered.", False), leans("i see no issue with the contract.", False)
    (True, False)
    """
    return sum(heard(text, phrased).values()) > 0


def heard(text: str, phrased: bool) -> dict[str, int]:
    """The voices that decide on a folded reply, in hundredths of the odds' logarithm; of one that is too long for a vote, the phrase's alone.

    Where no phrase stands there are none if a fault is what there is none of: the phrases leave that out, and so must the vote.
    """
    if not phrased and _GLAD.search(text):
        return {}
    # A text beyond reason need not be cut into words to be known as too long.
    words = spelled(text) if len(text) <= 20 * LONGEST else []
    if 0 < len(words) <= LONGEST:
        return voices(words, phrased)
    return {PHRASED: _weights()[PHRASED]} if phrased else {}


def voices(words: list[str], phrased: bool) -> dict[str, int]:
    """What each group of these words that has a weight speaks for (over 0) and against (below 0)."""
    weights = _weights()
    asked = {ALWAYS, *groups(words), *([PHRASED] if phrased else [])}
    return {group: weights[group] for group in asked if group in weights}


ALWAYS, PHRASED = "=always", "=phrase"
"""What each reply has, and what one has of which a phrase says so; no group of words has such a name."""


def spelled(text: str) -> list[str]:
    """The words and signs of a folded reply as the groups have them: contractions written out, each number a 0.

    >>> spelled("i can't see 1,234 hits.")
    ['i', 'can', 'not', 'see', '0', 'hits', '.']
    """
    for pattern, written in _SPELLING:
        text = pattern.sub(written, text)
    return _WORD.findall(text)


def groups(words: list[str]) -> Iterator[str]:
    """What the vote is taken by: each word, two and three that follow on each other, two with one between, and a word behind a negation."""
    row = ["^", *words, "$"]
    for at, word in enumerate(row):
        yield word
        pair, triple = row[at : at + 2], row[at : at + 3]
        if len(pair) == 2:
            yield " ".join(pair)
        if len(triple) == 3:
            yield " ".join(triple)
            yield f"{triple[0]} _ {triple[2]}"
        if word in _NEGATIONS:
            yield from _behind(row[at + 1 : at + 1 + _REACH])


def _behind(words: list[str]) -> Iterator[str]:
    for word in words:
        if word in _ENDS:
            return
        yield f"no ~ {word}"


@functools.cache
def _weights() -> dict[str, int]:
    text = resources.files(__package__).joinpath("leaning.tsv").read_text(encoding="utf-8")
    rows = (line.rpartition("\t") for line in text.splitlines())
    return {group: int(weight) for group, _, weight in rows}


_SPELLING = [
    (re.compile(pattern), written)
    for pattern, written in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"#+", ""),
        (r"\d[\d.,:/-]*", " 0 "),
    )
]
_GLAD = re.compile(
    r"\b(?:no|any|zero|not an?) (?:(?!(?:answer|record|result|entry|mention|sign|reply) )[a-z-]+ ){0,2}?"
    r"(?:virus|malware|spyware|typo|misspelling|glitch|hiccup|leak|regression|threat|blocker|problem|error|fault|bug|mistake|flaw|defect)(?:e?s)?\b"
    r"(?! (?:log|report|ticket|message|code|entr|line|number|tracker|with|label|tagged))"
)
"""No viruses were found; not: no bug report."""
_WORD = re.compile(r"[\w']+|[^\w\s]")
_NEGATIONS = frozenset(
    {"no", "not", "nothing", "none", "never", "nobody", "neither", "nor", "without", "zero", "0", "empty"}
)
_REACH = 8
_ENDS = frozenset(".!?;:$")
