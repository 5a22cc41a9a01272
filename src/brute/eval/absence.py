"""How a reply is read for absence: whether it says that there is nothing.

The built-in reading knows English, and has two parts. The first looks, sentence by sentence, for a phrase of a table (denials.py), and errs on
the side of "did not say so": "no problem", "I found no errors" and "not bad" say that there is something, and so does a reply that
denies the phrase ("it is not true that there are no results"), sets bounds to it ("no meetings before noon"), or says
elsewhere what it did find. It takes time that grows with the length of the reply and no faster. The second is a vote of all words (leaning.py),
in which such a phrase counts for much.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from .afterall import contrasts, fails, goes_on, holds, informs, states, takes_back, tells
from .denied import denial
from .leaning import heard, leans
from .reasons import describes, explains
from .spoken import speaks
from .tags import untagged
from .words import folded, is_blank, unstruck


def says_nothing_found(reply: str, absence: re.Pattern[str] | None = None) -> bool:
    """Whether the reply says that there is nothing: by `absence`, a pattern, or by the built-in reading of English.

    A blank reply says nothing at all, and so not that.

    >>> says_nothing_found("I couldn’t find anything on that."), says_nothing_found("Not bad, no problem!")
    (True, False)
    >>> says_nothing_found("I found nothing for Monday, but on Tuesday it was held at 4.25%.")
    False
    """
    if is_blank(reply):
        return False
    if absence is not None:
        return absence.search(reply) is not None
    return _may_say(reply) and leans(plain(reply), phrased(reply))


def weighed(reply: str) -> list[tuple[str, int]]:
    """What in the reply speaks for its saying that there is nothing (over 0) and against it, the weightiest first; `=phrase` is a phrase that says so.

    The sum is over 0 where the built-in reading finds that it does. Of a reply without any word of lack nothing speaks, of a long one the phrase alone.

    >>> weighed("No results found.")[0][0]
    '=phrase'
    """
    each = heard(plain(reply), phrased(reply)) if _may_say(reply) else {}
    return sorted(each.items(), key=lambda one: (-abs(one[1]), one[0]))


@functools.lru_cache(maxsize=2)
def plain(reply: str) -> str:
    """The reply as the vote reads it: folded, as it is seen, without marks of emphasis and quotes."""
    return _bared(folded(untagged(unstruck(reply))))


def phrased(reply: str) -> bool:
    """Whether a phrase of the reply says that there is nothing, and nothing else in it takes that back."""
    if not _may_say(reply):
        return False
    lines = _NEW_LINE.sub(". ", untagged(unstruck(reply)))
    sentences = [one.strip() for one in _SENTENCE.findall(_bared(folded(lines)))]
    if len(sentences) > MOST:
        return False
    read = 0
    for index, sentence in enumerate(sentences):
        if not _hinted(sentence):
            continue
        read += len(sentence)
        if read > READ:
            return False
        clauses = _spelled(sentence)
        found = denial(clauses)
        if found is not None:
            return _stands(found, clauses, sentences, index)
    return False


def _stands(found: re.Match[str], spelled: str, sentences: Sequence[str], index: int) -> bool:
    """Whether the rest of the reply leaves it at the denial that was found in the sentence of this number."""
    before, earlier, after = spelled[: found.start()], sentences[:index], sentences[index + 1 :]
    clause = earlier[-1] if earlier and earlier[-1].endswith(";") else ""
    # Ten files of which none says so are nothing; ten in one place, and none in the other, are ten.
    if holds(clause + before) and not _OF_THEM.match(found[0]):
        return False
    if (spelled.endswith(";") and after and goes_on(after[0])) or contrasts(before):
        return False
    # With the comma that the phrase ends in, behind which another clause may begin.
    rest = spelled[found.end() - found[0].endswith((",", ";", ":")) :]
    if found[0].startswith(("no", "neither")):
        rest = _OF_IT.sub("", rest)
    joined = _AND.search(before + ("and " if found[0].startswith("and ") else ""))
    also = [before[: joined.start()]] if joined and not _OF_THEM.match(found[0]) else []
    told = [one for one in earlier if not describes(one)]
    said = [] if describes(before) else [f"{before}nothing"]
    if any(informs(one) and not describes(one) for one in [*told, *also]) or any(map(fails, [*earlier, spelled])):
        return False
    if any(map(states, [*earlier, *said])) or any(map(takes_back, [rest, *after])):
        return False
    if any(informs(one) and not explains(one, spelled[: READ // 100]) for one in after):
        return False
    # Of those that were named before, none; but not under one label some, and under another none.
    of_them = found[0].startswith("none") and not before.endswith(": ")
    return not any(map(tells, after if of_them else [*told, *after]))


_AND = re.compile(r", and ?$")
_OF_THEM = re.compile(r"(?:, )?(?:and |but )?(?:none|not one|neither)\b")
_OF_IT = re.compile(
    r"^ ?(?:[\w'/.-]+ ){1,6}?(?:(?:is|are|was|were|has|have) [\w'-]+ ?|(?:says?|mentions?|explains?|states?|tells?|suggests?|indicates?|gives?)\b)"
)
"""What nothing is, of that which the phrase began to speak of: nothing on | the list is due."""

READ = 200_000
"""How many characters of sentences that may say so are read; one that comes after that many is none."""

MOST = 2_000
"""How many sentences a reply that says so may have."""

_HINTS = (
    "no",
    "n't",
    "0 ",
    " 0",
    "zero",
    "empty",
    "clear",
    "blank",
    "bare",
    "failed",
    "neither",
    "fruitless",
    "vain",
    "without",
    "never",
    "silent",
    "wide open",
    "free",
    "yet to",
    "stock",
    "out of",
    "lack",
    "omit",
    "leaves out",
    "sold out",
    "booked",
    "null",
    "nil",
    " dry",
    "short",
    "absent",
    "absence",
    "dearth",
    "void",
    "missing",
    "un",
    "nada",
    "taken",
    "gone",
    "busy",
    "occupied",
    "[]",
    "{}",
    "n/a",
    "vacant",
    "zilch",
    "mum",
    "mute",
    "silence",
    "quiet",
    "fails to",
    "leave",
    "omission",
    "skip",
    "pass over",
    "passes over",
    "refrain",
    "negative",
)


@functools.lru_cache(maxsize=2)
def _may_say(reply: str) -> bool:
    """Whether it has a word of lack at all, and speaks for itself."""
    return _hinted(plain(reply)) and speaks(folded(untagged(unstruck(reply))).lstrip())


def _hinted(text: str) -> bool:
    """Whether there is any word in it that a phrase of the table is made with."""
    return any(hint in text for hint in _HINTS)


def _bared(text: str) -> str:
    text = _TITLE.sub(r"\1", text)
    for mark in '*_`~"':
        text = text.replace(mark, "")
    return text


_TITLE = re.compile(r"\b(dr|mr|mrs|ms|prof)\.(?= )")
# A line that is followed by a blank one, or by one that begins anew, ends a sentence although no full stop is there.
_NEW_LINE = re.compile(r"(?<=[^\s.,:;!?])[ \t]*\n(?=[ \t]*(?:\n|[^\sa-z]))")
_SENTENCE = re.compile(r"(?:[^.!?;—]++|[.](?=\w))+[.!?;—]*")


def _spelled(sentence: str) -> str:
    """The sentence in the table's spelling: contractions written out, fillers dropped."""
    for pattern, written in _SPELLING:
        sentence = pattern.sub(written, sentence)
    return sentence.strip()


_SPELLING = [
    (re.compile(pattern), written)
    for pattern, written in (
        (r"\b(?:can't|cannot)\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"'ve\b", " have"),
        (r"'m\b", " am"),
        (r"'re\b", " are"),
        (r"\b(there|that|it|here|nothing|nobody|no one|date|price|name)'s\b", r"\1 is"),
        (r"\b(?:(?:(?:have|has|had) been )?unable to|not (?:been )?able to)\b", "could not"),
        (r"\bfailed to\b", "did not"),
        (r"\bfails to\b", "does not"),
        (r"\b(?:turned|turns) out to be\b", "was"),
        (r"\bhappens? to\b", ""),
        (r"\b(?:seems?|appears?) to be\b", "be"),
        (r"\b(?:seems?|appears?) to\b", ""),
        (r"^(?:it )?(?:looks|seems|would seem|would appear|appears) (?:to me )?(?:like|as if|as though|that) ", ""),
        (r"\b(he|she|who|what|one)'s (?=not|no|nothing|never|none)", r"\1 is "),
        (r"\bthere is been\b", "there has been"),
        (r"\bas yet,? ", ""),
        # Those that change nothing; "not easily", "not only" and "not initially" say that there is something.
        (
            r"\b(?:unfortunately|sadly|regrettably|currently|presently|apparently|seemingly|actually|really|literally),? ",
            "",
        ),
        (
            r"\b(?:absolutely|definitely|certainly|clearly|possibly|also|already|still|(?<!, )yet(?! to\b)|even|so far),? ",
            "",
        ),
        (r"\b(?:just|simply) (?=(?:no|not|nothing|could|can|did|do|does|is|are|have|has|found)\b)", ""),
        (r" {2,}", " "),
    )
]
