"""How a reply is read for absence: whether it says that there is nothing.

The built-in reading knows English. It looks, sentence by sentence, for a phrase of the table below, and errs on the side
of "did not say so": "no problem", "I found no errors" and "not bad" say that there is something, and so does a reply that
takes it back after a "but". It takes time that grows with the length of the reply and no faster.
"""

from __future__ import annotations

import re

from .words import folded, is_blank


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
    sentences = _sentences(reply)
    for index, sentence in enumerate(sentences):
        found = _denial(sentence)
        if found is not None:
            return not any(map(_takes_back, [sentence[found.end() :], *sentences[index + 1 :]]))
    return False


def _sentences(reply: str) -> list[str]:
    """The reply's sentences in the table's spelling: folded, contractions written out, fillers dropped."""
    text = folded(_NEW_LINE.sub(r"\1.", reply)).translate(_DROPPED)
    for pattern, written in _SPELLING:
        text = pattern.sub(written, text)
    return [sentence.strip() for sentence in _SENTENCE.findall(text)]


_DROPPED = dict.fromkeys(map(ord, '*_`~"'))
# A line that is followed by a blank one, or by one that begins anew, ends a sentence although no full stop is there.
_NEW_LINE = re.compile(r"(\w)[ \t]*\n(?=[ \t]*(?:\n|[^\sa-z]))")
_SENTENCE = re.compile(r"(?:[^.!?;—]|[.](?=\w))+[.!?;—]*")
_SPELLING = [
    (re.compile(pattern), written)
    for pattern, written in (
        (r"\b(?:can't|cannot)\b", "can not"),
        (r"n't\b", " not"),
        (r"'ve\b", " have"),
        (r"'m\b", " am"),
        (r"'re\b", " are"),
        (r"\b(there|that|it|here)'s\b", r"\1 is"),
        (r"\b(?:unable to|not (?:been )?able to)\b", "could not"),
        (r"\bfailed to\b", "did not"),
        (r"\b(?:seems?|appears?) to be\b", "be"),
        (r"\b(?:seems?|appears?) to\b", ""),
        (r"\b(?:(?!reply|supply|family|only|early|daily)[a-z]+ly|also|still|just|yet|even|so far),? ", ""),
        (r" {2,}", " "),
    )
]


def _denial(sentence: str) -> re.Match[str] | None:
    """The phrase in the sentence that says there is nothing; a condition and a question say no such thing."""
    if sentence.endswith("?") and _ASKS.match(sentence):
        return None
    return next(
        (found for found in _DENIALS.finditer(sentence) if not _CONDITION.search(sentence, 0, found.start())), None
    )


def _takes_back(rest: str) -> bool:
    """Whether what follows says that there was something after all."""
    but = _BUT.search(rest)
    if but is None:
        return False
    after = rest[but.end() :]
    return _FOUND_AFTER_ALL.search(after) is not None or (_CLAIM.search(after) is not None and not _ADVICE.match(after))


_ASKS = re.compile(
    r"(?:why|how|who|what|where|which|did|do|does|is|are|was|were|can|could|has|have|had|will|would|should)\b"
)
_CONDITION = re.compile(r"\b(?:if|unless|in case|whenever|when (?!i\b|we\b|searching))")
_BUT = re.compile(r"\b(?:but|however|though|although|instead|nevertheless|that said|nonetheless)\b,?\s*")
_ADVICE = re.compile(r"(?:you|please|try|feel|perhaps you|maybe you|i can|i could|we can|would you|it may|it might)\b")
_FOUND_AFTER_ALL = re.compile(
    r"\b(?:i|we|it) (?:did |have |was able to |can )?(?:find|found|located|discovered)\b(?! (?:no|nothing|none|zero|0)\b)"
    r"|\bhere (?:is|are)\b|\bthere (?:is|are|was|were) (?!no\b|not\b|nothing\b|none\b)"
)
_CLAIM = re.compile(r"\d|\b(?:likely|around|about|i believe|i think|i guess|i know)\b")


# --- the table: {names} stand for the words below

_WORDS = {
    "thing": r"(?:results?|match(?:es)?|records?|entry|entries|information|info|data|news|articles?|documents?|files?|e-?mails?|"
    r"messages?|mentions?|reports?|events?|meetings?|appointments?|items?|answers?|hits?|references?|details?|updates?|listings?|"
    r"sources?|trace|orders?|tickets?|tasks?|contacts?|flights?|notes?|posts?|products?|papers?|pages?|invoices?|bookings?|"
    r"reservations?|reminders?|notifications?|transactions?|coverage|announcements?)\b(?! (?:wrong|missing|lost|left)\b)",
    "some": r"(?:(?!(?:no|not|is|are|was|were|that)\b|problem|issue|error|fault|bug|mistake|doubt|reason)[\w'-]+ ){0,3}?",
    "no": r"(?:no|zero|0|not any|not a|not a single) ",
    "trouble": r"(?:problem|issue|error|fault|bug|mistake|flaw|defect|difference|reason|way|time|point|need|objection|doubt|concern|fix|"
    r"solution|link|luck|vulnerabilit|thing as|better|why|how)",
    "we": r"(?:^|[,:] |\b(?:i|we|search|searches|query|lookup|tool|database|system|api|sorry|and|but) )(?:(?:have|had|am|was|were|are|has) )*",
    "be": r"(?:is|are|was|were|be|has been|have been|could be|can be)",
    "not": r"(?:can|could|do|does|did|have|has|had|was|were|am|is|are) not",
    "find": r"(?:finding|find|found|locate|located|discover|return|returned|turn up|turned up|come across|track down|retrieve|identify|match)\b",
    "held": r"(?:found|find|see|have got|have|returned|return|got|yielded|produced|gave|shows?|showed|turned up|came up with|know of)",
    "there": r"(?:found|available|returned|located|match(?:ed|es)?|exists?|existed|listed|scheduled|planned|on record|recorded|to report|to show)\b",
    "place": r"(?:document|report|file|article|page|text|source|context|e-?mail|message|note|paper|database|list|result|record)s?",
    "box": r"(?:inbox|calendar|schedule|folder|directory|list|file|queue|table|database|mailbox|agenda|cart|result)s?",
}
_PHRASES = [
    r"\bthere (?:{be} |does |do |did )?{no}(?:be )?{some}{thing}",  # there are no results; there does not be any news
    r"\bthere (?:does|do|did) not be any(?:thing\b| {some}{thing})",
    r"\bnot look like there (?:is|are|was|were) any(?:thing\b| {some}{thing})",
    r"\bno \w+ (?:with|under|by|of|matching) (?:that|this) (?:name|id|number|title|description|date)\b",
    r"\bthere {be} (?:none\b|nothing (?:new |else )?(?:$|[.!,;]|{there}|on |in |for |about |there\b|here\b|like that|matching|that match))",
    r"(?:{we}|\byou |\b(?:i|we) )(?:could )?{held} {no}{some}{thing}",  # I found no mention; you have no meetings
    r"(?:^|[,:] ){no}{some}{thing}(?:$|[.!,;]| (?:for|from|about|on|in|with|regarding|matching|at this|that match))",  # No results.
    r"\b{no}{some}{thing} (?:{be} )?{there}",  # no results were found
    r"{we}{not} (?:have )?{find}(?! (?:(?:any|a|an|the|much|out)\b ?)?(?:\w+ )?{trouble}| it \w+(?:[.!]|$))",  # I could not find it
    r"\bsearch (?:[\w'-]+ ){{0,6}}?{not} (?:match|return|find)\b",
    r"\bno luck finding\b|\b(?:could|can) not be (?:found|located)\b(?! (?:guilty|liable|wanting))|^(?:[\w'.-]+ ){{0,4}}not found[.!]*$|\bnowhere to be found\b",
    r"{we}{held} nothing(?:$|[.!,;]| (?:new|on|for|about|in|at|like|there|matching|relevant)\b)",  # I found nothing
    r"\bnothing (?:new |else |relevant )?(?:{be} )?(?:{there}|came up|turned up|matche[sd]|matching)",  # nothing to report
    r"\b(?:came|come|comes) (?:up|back) (?:empty|blank|with nothing)\b|\bdrew a blank\b|\bempty-handed\b",
    r"\bnone (?:{be} )?{there}|^none[.!]*$",
    r"\b(?:none of|nothing in) (?:the|these|your|my) (?:\w+ )?{thing} (?:mentions?|match(?:es)?|contains?|says?|includes?)\b",
    r"\b(?:i|we|you|it) (?:do|does|did) not have (?:anything (?:scheduled|planned|on|for|about)\b|(?:any )?{some}{thing})",  # I do not have any information
    r"\b(?:i|we) (?:do|did|can|could) not see (?:anything(?! {trouble}| wrong)|(?:any|a) {some}{thing})",
    r"\b(?:your|the|this|that|my) (?:\w+ )?{box} (?:is |are |was |were |be )+(?:empty|clear)\b",  # your inbox is empty
    r"\b{place} (?:do|does|did) not (?:mention|contain|include|say|specify|list|provide|cover)\b(?! (?:any )?{trouble})",
    r"^(?!.*\b{trouble}).*\b(?:do|does|did) not exist\b",  # the file does not exist
    r"\bno such (?!{trouble})\w",  # no such file
    r"\b(?:no one|nobody) (?:by|with|called|named|matching)\b",
    r"\bam not aware of any (?!(?:\w+ )?{trouble})",
    r"\b(?:information|data|news|details?|results?|records?) (?:is|are|was|were) (?:not available|unavailable)\b",
]
_DENIALS = re.compile("|".join(phrase.format(**_WORDS) for phrase in _PHRASES))
