"""How a reply is read for absence: whether it says that there is nothing.

The built-in reading knows English. It looks, sentence by sentence, for a phrase of a table (denials.py), and errs on the side
of "did not say so": "no problem", "I found no errors" and "not bad" say that there is something, and so does a reply that
denies the phrase ("it is not true that there are no results"), sets bounds to it ("no meetings before noon"), or says
elsewhere what it did find. It takes time that grows with the length of the reply and no faster.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .afterall import NEGATIVE, contrasts, goes_on, holds, informs, states, takes_back, tells
from .denials import DENIALS, RELATIVE
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
    reply = untagged(unstruck(reply))
    if not _hinted(_bared(folded(reply))):
        return False
    sentences = [one.strip() for one in _SENTENCE.findall(_bared(folded(_NEW_LINE.sub(".", reply))))]
    read = 0
    for index, sentence in enumerate(sentences):
        if not _hinted(sentence):
            continue
        read += len(sentence)
        if read > READ:
            return False
        spelled = _spelled(sentence)
        found = _denial(spelled)
        if found is not None:
            return _stands(found, spelled, sentences, index)
    return False


def _stands(found: re.Match[str], spelled: str, sentences: Sequence[str], index: int) -> bool:
    """Whether the rest of the reply leaves it at the denial that was found in the sentence of this number."""
    before, earlier, after = spelled[: found.start()], sentences[:index], sentences[index + 1 :]
    clause = earlier[-1] if earlier and earlier[-1].endswith(";") else ""
    # Ten files of which none says so are nothing; ten in one place, and none in the other, are ten.
    if holds(clause + before) and not found[0].startswith(("none", "not one")):
        return False
    if (spelled.endswith(";") and after and goes_on(after[0])) or contrasts(before):
        return False
    # With the comma that the phrase ends in, behind which another clause may begin.
    rest = spelled[found.end() - found[0].endswith((",", ";", ":")) :]
    if found[0].startswith(("no", "neither")):
        rest = _OF_IT.sub("", rest)
    if any(map(states, [*earlier, f"{before}nothing"])) or any(map(takes_back, [rest, *after])):
        return False
    if any(map(informs, after)):
        return False
    return not any(map(tells, after if found[0].startswith("none") else [*earlier, *after]))


_OF_IT = re.compile(r"^ ?(?:[\w'/.-]+ ){1,6}?(?:is|are|was|were|has|have) [\w'-]+ ?")
"""What nothing is, of that which the phrase began to speak of: nothing on | the list is due."""

READ = 200_000
"""How many characters of sentences that may say so are read; one that comes after that many is none."""

LONGEST = 50_000
"""How many characters of one sentence are looked through for it."""

_HINTS = (
    "no",
    "n't",
    "0 ",
    "zero",
    "empty",
    "clear",
    "blank",
    "bare",
    "unable",
    "failed",
    "unavailable",
    "neither",
    "fruitless",
    "unsuccessful",
    "vain",
    "without",
    "never",
    "silent",
    "wide open",
    "free",
    "yet to",
    "stock",
    "out of",
    "sold out",
    "booked",
    "null",
    "nil",
    " dry",
    "short",
)


def _hinted(text: str) -> bool:
    """Whether there is any word in it that a phrase of the table is made with."""
    return any(hint in text for hint in _HINTS)


def _bared(text: str) -> str:
    for mark in '*_`~"':
        text = text.replace(mark, "")
    return text


# A line that is followed by a blank one, or by one that begins anew, ends a sentence although no full stop is there.
_NEW_LINE = re.compile(r"(?<=\w)[ \t]*\n(?=[ \t]*(?:\n|[^\sa-z]))")
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
        (r"\b(there|that|it|here|nothing|nobody|date|price|name)'s\b", r"\1 is"),
        (r"\b(?:unable to|not (?:been )?able to)\b", "could not"),
        (r"\bfailed to\b", "did not"),
        (r"\b(?:seems?|appears?) to be\b", "be"),
        (r"\b(?:seems?|appears?) to\b", ""),
        # Those that change nothing; "not easily", "not only" and "not initially" say that there is something.
        (
            r"\b(?:unfortunately|sadly|regrettably|currently|presently|apparently|seemingly|actually|really|literally),? ",
            "",
        ),
        (r"\b(?:absolutely|definitely|certainly|clearly|possibly|also|still|yet(?! to\b)|even|so far),? ", ""),
        (r"\b(?:just|simply) (?=(?:no|not|nothing|could|can|did|do|does|is|are|have|has|found)\b)", ""),
        (r" {2,}", " "),
    )
]


def _denial(sentence: str) -> re.Match[str] | None:
    """The phrase in the sentence that says there is nothing; a condition, a question and a bound say no such thing."""
    if sentence.endswith("?") and _ASKS.match(sentence):
        return None
    found = DENIALS.search(sentence, 0, LONGEST)
    if found is None or (found.end() == LONGEST < len(sentence)):
        return None
    # One phrase reaches back to the beginning of the sentence, and a new clause leaves what was not so behind.
    before = sentence[: found.start()] or sentence[: max(found[0].find("does not"), 0)]
    if _UNSAID.search(_NEW_CLAUSE.split(_LEADING_NO.sub("", before))[-1]):
        return None
    if _CAUSE.match(before) and not NEGATIVE.search(before):
        return None
    if any(pattern.search(sentence, found.start()) for pattern in (_BOUNDED, _JUDGED, RELATIVE)):
        return None
    explained = _EXPLAINED.search(sentence, found.start())
    return None if explained and not NEGATIVE.search(explained[0]) else found


# I moved it, as there was no room: what was done for want of something is what it says.
_CAUSE = re.compile(r"(?:[\w'-]+ ){2,}[\w'-]+,? (?:because|since|as) (?:(?:the|there|it|they|we|i|you)\b[^,;]*)?$")
_ASKS = re.compile(
    r"(?:why|how|who|what|where|which|did|do|does|is|are|was|were|can|could|has|have|had|will|would|should)\b"
)
_LEADING_NO = re.compile(
    r"^(?:no|nope|not really|not yet)(?:, |$)|\bcan only confirm\b"
    # I may be wrong, but
    r"|^(?:i (?:may|might|could) (?:be (?:wrong|mistaken)|have missed \w+)|unless i (?:(?:am|have|have not) \w+|missed|overlooked|misread|mistook)(?: something| it| \w+)?|if i (?:read|understand|see) [\w ]+ (?:correctly|right)|(?:correct me )?if i am (?:not )?(?:wrong|mistaken)|if (?:it|they|one|such an? \w+) (?:ever )?(?:exists?|existed|is there|happened)),?(?: but)?(?: |$)"
    # It ended with no output: the list is empty
    r"|^(?:(?!\b(?:not|never|true|false|wrong|untrue|said|says?|claim\w*|reads?|myth|if|unless|when|error|message|instead|rather)\b)[^:])*: $"
    # I could not tell, because the article does not say
    r"|\b(?:can|could|am) not (?:determine|tell|say|answer|confirm|verify|sure)\b[^,;:]*?(?:because|since|as|:|;|,)"
)
_NEW_CLAUSE = re.compile(r", (?:so|but) (?=(?:i|we|you|there|it|the|nothing|no)\b)|, (?:so|but) $")
_UNSAID = re.compile(
    # a condition, and the one of which alone it is so
    r"^should\b|\bonly (?:one|two|three|a few|some)\b|\b(?:if|unless|once|as soon as|(?:as|so) long as|provided that|assuming|in case|whenever|when(?! (?:i|we|searching)\b)"
    # a denial of the denial
    r"|not|never|no|nor|neither|without|hardly|barely|false|wrong|untrue|incorrect|denied|deny|denies|doubt\w*|disagree\w*|disput\w*"
    r"|myth|lie|rather than|instead of|far from|contrary|refus\w*"
    # what somebody else said or thought, or what once was
    r"|(?<!as i )(?:said|told|wrote|claim(?:s|ed)?|thought|believed|feared|assumed|worried|imagined|pretend\w*|hoped)|(?<!as )(?<!as i )expected"
    r"|(?:says|states|writes|claims|reads|(?:the|an?) (?:[\w'-]+ )?(?:error|message|warning|status))(?= $)|means?(?= (?:that )?(?:the |an? )?$)"
    r"|used to|at first|initially|originally|formerly|previously)\b"
)
_BOUNDED = re.compile(
    # a bound, beyond which there is something
    r"\b(?:under|below|above|over|within) (?:[$£€¥₹]\d|(?:that|this|the) (?:amount|limit|threshold|age|price|level|sum|size)\b|\d+ (?:euros?|dollars?|pounds?|minutes?|hours?|days?|years?|miles?|km)\b)|\b(?:except(?:ing)?|excluding|besides|apart from|aside from|other than|save for|beyond|than|until|till|before(?![.!]*$)|outside|unless|without(?! (?:(?:any )?(?:luck|success)\b|(?:any|a single) (?:results?|hits?|match|entr|record)))"
    # what is left out of nothing is all of it
    r"|(?:is|are|was|were|be|been|being|got|gets?) (?:\w+ly )?(?:left (?:out|off|behind|over)|omitted|skipped|excluded|dropped|ignored|overlooked|forgotten|missed|missing|lost|hidden|discarded|truncated|filtered out|cut off|removed|deleted|erased|overwritten|altered"
    r"|touched|harmed|damaged|affected|rejected|declined)(?! (?:from|in|under|on) (?:stock|record))"
    # the user's own words
    r"|in your (?:last )?(?:message|question|request|prompt|note)"
    r"|after (?!(?:\w+ing|(?:a|an|my|the) (?:\w+ )?(?:search|look|review|check))\b)|only|just|solely|merely|exclusively|simply|purely|alone"
    # what could not be looked at
    r"|(?:because|due to|since) [^,;]*?(?:timed? out|timeout|still|in progress|server|permission|denied|connection|crash\w*|offline|network|down|expired)"
    # a first try
    r"|at first|initially|originally|at the time|back then|then|later|eventually|finally|in the end|at last|after all"
    r"|immediately|easily|quickly|readily"
    # words that are spoken of
    r"|is what|means that|is the (?:message|title|name|error)"
    # a finding about something that is there
    r"|(?<!nowhere )to be|contradict\w*|disput\w*|refut\w*|challeng\w*|conflict\w*|disagree\w*|disprov\w*|oppos\w*|against|otherwise|contrary"
    r"|inconsisten\w*|incorrect|inaccura\w*|wrong|amiss|unusual|suspicious|malicious|broken|corrupt\w*|defective|invalid|mislead\w*"
    r"|negative|bad|unexpected|objectionable)\b"
    r"|\b(?:no|any|not a|anything|nothing) (?:\w+ )?(?:other|others|further|additional|more|better|newer|older|earlier|later|else)\b"
)
_ADJECTIVE = (
    r"(?:difficult|hard|easy|simple|tricky|challenging|funny|amusing|useful|helpful|interesting|boring|convincing|persuasive|compelling"
    r"|credible|plausible|believable|necessary|surprising|strange|odd|weird|confusing|clear|unclear|relevant|important|significant"
    r"|true|false|accurate|satisfactory|acceptable|appropriate|suitable|offensive|guilty|liable|wanting|lacking|\w+(?:ful|less|ous))"
)
_OBJECT = (
    r"(?:it|this|that|them|these|those|him|her|(?:the|this|that|these|those|your|his|her|its|my) (?:[\w'-]+ ){1,4}?)"
)
_JUDGED = re.compile(
    # I did not find it difficult; I could not find anything to complain about
    rf"\bf(?:ind|ound) {_OBJECT} ?(?:(?:all )?(?:that|too|very|so|particularly|at all) )*{_ADJECTIVE}(?=$|[.,!:;)]| (?:to|at|enough|for|in)\b)"
    r"|\bf(?:ind|ound) it (?!(?:in|on|at|anywhere|under|there|here|among|for|through|within|using|when|despite|either|by|from|with|online)\b)\w"
    r"|\bany ?thing (?!(?:about|on|in|at|for|by|from|with|under|of|to report|to show|relevant|useful|helpful|new|recent|specific|similar|like"
    r"|related|relating|matching|mentioning|containing|regarding|concerning|that|which|scheduled|planned|there|here|when|while|after|despite"
    r"|today|tomorrow|yesterday|this|next|online|anywhere|published|written|posted|listed|recorded|filed|released|announced|booked|saved|stored|documented|reported|known|logged|suitable|available|close|resembling|meaningful|of interest|noteworthy|so far|thus far|yet|at all|either)\b)\w"
)
_EXPLAINED = re.compile(
    # a colon, after which it says something after all
    r"(?<!for)(?<!query)(?<!search)(?<!term)(?<!terms)(?<!name)(?<!named): (?=.*?(?:\d|\b(?:is|are|was|were|it's)\b)).*"
)
