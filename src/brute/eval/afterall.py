"""What a reply says beside a denial: that there is something after all, in the same breath or in another sentence."""

from __future__ import annotations

import re

from .reasons import FIGURE

NEGATIVE = re.compile(r"n't\b|\b(?:no|not|nothing|nobody|none|neither|nor|never|empty|blank|null|nil|zero|0)\b(?!\.\d)")
"""A word by which a clause says that there is nothing."""


def takes_back(rest: str) -> bool:
    """Whether what follows says that there was something after all."""
    if states(rest) or (_DOES.search(rest) and not NEGATIVE.search(rest)) or _BELIED.search(rest) or _AND.search(rest):
        return True
    other = _SPLICED.search(rest) or _WHEN.search(rest)
    if other is not None and informs(rest[other.end() :]):
        return True
    but = _BUT.search(rest)
    if but is None:
        return False
    after = rest[but.end() :]
    if informs(after) and not _ADVICE.match(after):
        return True
    if _SO_MANY.match(after):
        return True
    if _TELLS.search(after) and not _ADVICE.match(after) and not NEGATIVE.search(after) and not _MAY.search(after):
        return True
    return _FOUND_AFTER_ALL.search(after) is not None or (_CLAIM.search(after) is not None and not _ADVICE.match(after))


def states(text: str) -> bool:
    """Whether it says what was found, or what something is in figures."""
    return (" f" in text and _FOUND.search(text) is not None) or any(each.search(text) for each in (_FIGURE, _INSTEAD))


def holds(text: str) -> bool:
    """Whether it says that somewhere there are so many."""
    return _HAS.search(text) is not None


def tells(sentence: str) -> bool:
    """Whether another sentence says that there is something: so many of them, or what there is at another time or under another name."""
    if sentence.endswith("?") or _OFFER.search(sentence):
        return False
    if _COUNTED.search(sentence):
        return _LOOKED.search(sentence) is None
    return NEGATIVE.search(sentence) is None and any(
        each.match(part)
        for each in (_ANOTHER_TIME, _LABEL, _AND_IS, _THERE_IS)
        for part in (sentence, *sentence.split(": "))
    )


def informs(sentence: str) -> bool:
    """Whether a sentence that comes behind a denial says that something is so.

    Everything does that has a verb, and is no question, offer, guess or courtesy, no word on the search or the source, and none on the lack.
    """
    return any(_informs(_LEAD.sub("", part)) for part in sentence.split(": "))


def _informs(part: str) -> bool:
    if part.startswith("yes, "):
        return True
    if part.startswith("|"):  # a row of a table, with what there is
        return _CELL.search(part) is not None and _NONE.search(part) is None
    if (
        " " not in part
        or part.endswith("?")
        or _IDLE.search(part)
        or (_LACK.search(part) and (NEGATIVE.search(part) or not FIGURE.search(part)))
    ):
        return False
    if not (
        _VERB.search(part)
        or _ELSEWHERE.match(part)
        or _PRICE.search(part)
        or (part.startswith(("you ", "they ")) and FIGURE.search(part))
    ):
        return False
    return _OWN.match(part) is None or _SHOWN.match(part) is not None


def fails(sentence: str) -> bool:
    """Whether a sentence before the denial says that it could not be looked at, or that the agent did away with it."""
    return _FAILS.search(sentence) is not None


def contrasts(before: str) -> bool:
    """Whether a clause before the denial says of another thing what it is: room A is booked, room B has nothing."""
    other, comma, subject = before.rpartition(", ")
    return bool(comma) and _SUBJECT.match(subject) is not None and _MAIN.match(other) is not None and informs(other)


def goes_on(clause: str) -> bool:
    """Whether a clause that follows on a semicolon says of what was denied what it is instead."""
    return _IS.match(clause) is not None and NEGATIVE.search(clause) is None and _GONE.search(clause) is None


_IS = re.compile(
    r"(?:use|see|call|choose|take) |(?:it|he|she|they)(?:'s|'re| (?:is|was|are|were|has|have|had|did|does))\b(?! (?:only|just|merely)\b)"
)
_GONE = re.compile(
    r"\b(?:removed|deleted|moved|archived|closed|expired|gone|spelled|misspelled|named|filed|stored|saved|private|new|old|missing|lost|spam|elsewhere|possible|empty|blank|been|discontinued|withdrawn|cancel\w+|suspended|sold)\b"
)
_DOES = re.compile(
    r", (?:yet )?(?:the|one|two|some|those|these|[\w-]+'s) [^,;]{1,40}? (?:is|are|was|were|has|have|does|do|did)[.!]*$"
)
_AND = re.compile(
    r", so (?:take|use|try|go|the|it|he|she|they)\b(?!.*\b(?:no|not|nothing|none|empty|zero|free|clear|may|might|can|could)\b)|, so (?:i|we)(?: have|'ve)? (?:\w+ly |then |just |went ahead and )?(?!(?:search|check|look|tri|assum|stopp|ask|filter)\w*\b)(?:\w{2,}ed|made|sent|put|took|wrote|gave|set|bought|chose|picked|kept|went with|used) (?!(?:no|nothing|none|not)\b)|, and (?:it|he|she|they|there|the [\w'-]+) (?:is|are|was|were|has|have|will)\b(?!.*\b(?:no|not|nothing|none|empty|zero|free|clear)\b)"
)
_BUT = re.compile(
    r"\b(?:(?<=, )yet|but|however|though|although|while|whereas|instead|nevertheless|that said|nonetheless)\b,?\s*"
)
_TELLS = re.compile(
    r"\b(?:is|are|was|were|has|have|does|did|can be|says?|shows?|lists?|looks? (?:like|right|promising|close)|puts?|explains?|wrote|writes|works?|starts?|costs?|ends?)\b"
)
_MAY = re.compile(r"\b(?:may|might|could|would|should|let me|please|if you|(?<!what )you want|want me|like me)\b")
_ADVICE = re.compile(r"(?:you|please|try|feel|perhaps you|maybe you|i can|i could|we can|would you|it may|it might)\b")
_FOUND = re.compile(
    r"(?<!none that )(?<!nothing that )(?<!nothing )(?<!none )\b(?:i|we) (?:(?:did|have|had|was able to|can|could|then|later|also|eventually|finally) )*(?:find|found)\b(?![.!]*$)"
    r"(?! (?:that )?(?:there (?:is|are|was|were) )?(?:no|nothing|none|zero|0|out|your|the (?:calendar|file|folder|inbox|list|account))\b)"
)
_FIGURE = re.compile(
    r"(?<!today )(?<!tomorrow )(?<!yesterday )(?<!date )(?<!time )(?<!there )\b(?:is|are|was|were|equals|held at|stands at|stood at|remains|=) "
    r"(?:at |on (?:the )?|about |around |approximately |currently |probably |still |roughly )*[$£€¥₹]?(?!0 |0\.? ?$)\d"
    r"(?! (?:sources?|places|databases|files|folders|pages|sites)\b)"
)
_HAS = re.compile(
    r"\b(?:has|have|holds?|contains?|lists?|shows?|there (?:is|are)) (?:about |around |only )?(?:[1-9][\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|several|some|a few|many)\b"
    r"|\b(?:[1-9]\d*|two|three|four|five|six|seven|eight|nine|ten) (?:(?:of (?:them|the \w+)|\w+) )?(?:were|are|have)\b|\b(?:is|are) (?:attached|enclosed|linked|below|ready)\b"
)
_OFFER = re.compile(
    r"\b(?:you (?:gave|shared|uploaded|named|mentioned|sent|provided|wanted|pasted|attached)|please|possible|perhaps|maybe|might|if you|want|would you|shall i|should i|could you|let me|i can|i could|we can|you can|you could|you may|feel free|try)\b"
)
_MANY = r"(?:[1-9][\d,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens|several|plenty)"
_COUNTED = re.compile(
    # you have two calls, row 13 has four; not how much was looked through, or what else one might do
    rf"(?<!\bi )(?<!\bwe )\b(?:have|has|holds?|contains?|lists?|shows?|there (?:is|are)|i get|we get) (?:about |around |only |still |also |now |already |just )*{_MANY}\b"
    r"(?! (?:\w+ )?(?:sources?|places|databases|folders|pages|sites|systems|months?|weeks?|days?|years?|hours?|minutes?|ways?|options?|possibilit\w+|reasons?|things?|steps?)\b)"
    rf"|\b{_MANY} (?:of (?:them|the \w+) )?(?:have|are|were)\b(?! (?:not|no)\b| (?:been )?(?:search|check|scann|review|read|look|quer))"
    rf"|^(?:today|now|tomorrow|since then),? {_MANY}\b"
    rf"|^(?:[-•*+] )?(?!.*\b(?:search\w*|check\w*|scann\w*|review\w*|quer\w+|tried|read|pages?|steps?|filters?|dates?|times?|total|sources?|looked)\b)[\w' -]{{1,40}}: {_MANY}\b(?!:\d|[.)]$)"
)
_LOOKED = re.compile(
    r"^all .*\b(?:booked|taken|gone|sold|full)\b|\b(?:indexed|searched|checked|scanned|reviewed|opened|read) *(?:each|all|every|them|it)?\b"
)
_SO_MANY = re.compile(rf"(?:the other )?{_MANY} [\w'-]+ \w")
_ANOTHER_TIME = re.compile(
    r"(?:and )?(?:on |in |for )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|tonight|this (?:morning|afternoon|evening)|next (?:week|month|year)"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december))(?:'s)?"
    r"(?:: ?|, (?:there|you|the|it|he|she|they)\b| (?:there |you |we |(?:the|an?|your|my) (?:[\w'-]+ ){1,3}?)?(?:is|are|was|have|has)\b(?! (?:the )?\d| [a-z]+day\b))"
    r"(?!.*\b(?:free|clear|empty|open|closed|holiday)\b)"
    r"|(?:on|in) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december), .*\d"
    r"|(?:take|catch|board) (?:the|a|an|bus|line) "
)
"""A sentence about another time, in which there is something."""
_LABEL = re.compile(
    r"(?!i've |i |we |here's )(?!(?:[\w'-]+ )*(?:search\w*|check\w*|tried|looked|sources?|quer\w+|filters?|criteria|keywords?|terms?|scope|range|period|dates?|times?|note|tip|hint|steps?|options|suggestions?|result|results|summary|reason|why|example|following|did|is|are|was)\b)"
    r"(?:[a-z][\w'-]*)(?: [\w'-]+){0,4}: (?:\w)"
)
"""A label and what stands under it."""
_THERE_IS = re.compile(
    r"(?:but |however, )?there (?:is|are|was|were) (?:an?|the|also|still|now|one) (?!(?:\w+ )?(?:chance|possibility|way|limit|risk|reason|typo|delay|problem|issue|error)\b)"
    r"|(?:it|he|she|they|you) (?:has|have) (?:an?|the|one|some) (?!(?:\w+ )?(?:problem|issue|error|chance|typo|day|week|morning|afternoon)\b)"
    r"|(?:the|his|her|its|their|[\w-]+'s) (?:[\w'-]+ ){1,4}?(?:(?:has|have)(?! been\b)|covers?|explains?|offers?|sells?|carries|stocks?|contains?|includes?)\b"
)
_AND_IS = re.compile(r"(?!here|i |we |what )[^,;:]{1,60} (?:is|are|was|were|has|have|does|do|did)[.!]*$")
"""April's is."""
_INSTEAD = re.compile(
    # there is one at half past eight
    r"\bthere (?:is|are|was|were) (?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|several|some|a few) (?!(?:way|thing|reason|more place|other place)s?\b)\w"
    # the nearest is the station; yesterday she wrote that
    r"|\bthe (?:nearest|closest|next|first|last|latest|previous|best|only) (?:[\w'-]+ ){0,2}?(?:is|was|leaves|departs|starts|opens|arrives|goes|runs|costs)\b(?! (?:no|not|none|terminated|cancel\w+|closed|removed|deleted)\b)"
    r"|\b(?:yesterday|earlier|last week|on (?:mon|tues|wednes|thurs|fri|satur|sun)day) (?:he|she|it|they|you|i|there|the) (?:[\w'-]+ ){0,3}?(?:wrote|said"
    r"|is|was|has|have|had|are|were|sent|replied)\b(?! (?:no|not|none|nothing)\b)"
    r"|(?<!as far as )\bthe (?:[\w'-]+ )?(?!only)\w+ (?:says|shows|gives|lists|puts|reads|states|writes)\b(?! (?:no|nothing|none|not|empty|blank|that (?:there|no)|(?:that )?(?:it|they) (?:was|were|is|are) last|by|of|and|are|were|have|in|you as|every|all)\b)(?= )"
    r"|, (?:but )?(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+) (?:in|on|at|for|from|last|this|next)\b"
    r"|\bthe [\w'-]+ has (?:one|(?:an?|two|three|four) [\w'-]+) (?:about|on|from|for|left)\b"
    r"|\bbut (?:to|for|by|in|on|at|with|from|as) \w"
    r"|, and (?:\d+|two|three|four|five|six|seven|eight|nine|ten) \w+ (?:in|on|at|for|from)\b|(?<!\d) and \d+ [a-z]+ (?:in|on|at|for)\b"
    r"|\b[1-9]\d* (?:found|available|left|free|open)\b(?! no)"
    r"|\b(?:is|are|was|were) (?:worth|priced at|due|reported at|estimated at|moved to|set for) "
)
_BELIED = re.compile(
    r"\bit (?:then )?worked\b|\b(?:so|then) i (?:retried|tried again)\b|"
    r"\b(?:is|are|was|were|be|being) (?:\w+ )?(?:wrong|false|untrue|incorrect|mistaken|inaccurate|misleading|an? (?:lie|myth))\b"
    r"|\b(?:not|n't) (?:\w+ )?(?:true|correct|right|the case|so)\b|n't (?:true|correct|the case)\b"
)
_FOUND_AFTER_ALL = re.compile(
    r"\b(?:i|we|it) (?:did |have |was able to |can )?(?:find|found|located|discovered)\b(?! (?:no|nothing|none|zero|0)\b)"
    r"|\bhere (?:is|are)\b|\bthere (?:is|are|was|were) (?!no\b|not\b|nothing\b|none\b)"
)
_CLAIM = re.compile(
    r"\d|\b(?:half past|quarter (?:past|to)|o'clock)\b|\b(?:likely|around|about|i believe|i think|i guess|i know)\b"
)
_SPLICED = re.compile(
    r", (?:and |while |whereas )?(?!(?:which|who|whose|that|so|but|as|since|because|though|although|if|when|where|even|or|nor|not|no|and|i|we|you)\b)(?=(?:(?!(?:that|which|who)\b)[\w'-]+ ){1,6}?(?:is|are|has|have|was|were)\b)"
)
"""Where another clause begins: Anna has no meetings, Ben has two."""
_SUBJECT = re.compile(
    r"(?:and |while |whereas )?(?!(?:so|but|it|they|he|she|there|i|we|which|that|and|as|no|not)\b)[\w'-]+(?: [\w'-]+){0,3} ?$"
)
_MAIN = re.compile(
    r"(?!(?:unless|where|despite|during|per|like|whatever|however|sorry|hi|hello|\w+ing|when|since|as|because|although|though|once|after|before|according|based|given|of|in|on|for|to|from|by|until|if|while|with|at|yes|ok)\b)"
)
_WHEN = re.compile(r", (?:when|where) ")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|(?:it|he|she|there|that|one|[a-z]+[a-z])'s|'re|(?<!the )(?<!an )(?<!a )(?<!your )(?<!our )(?<!my )\w{2,}ed|wrote|sent|grew|rose|fell|became|brought|chose|drew|flew|heard|knew|meant|spent|stood|taught|thought|came|comes|went|goes|got|gets|gave|gives|took|takes|made|makes|said|says|told|tells|left|leaves|held|holds"
    r"|paid|pays|bought|sold|sells|met|put|puts|set|found|saw|sees|began|begins|ran|runs|shows|lists|costs|starts|ends|opens|ships|carries|works|covers|wants|needs|owns|lives"
    r"|contains|includes|offers|explains|mentions|flies|arrives|stands|lies|read|reads|kept|keeps|won|wins|lost|led|spoke|speaks|names|states|provides|describes|specifies|quotes|adds|asks|calls|brings|buys|sits|serves|uses|thinks|knows|plays|helps|plans|happens|belongs|closes|leads|returns|stays|stops)\b"
)
_IDLE = re.compile(
    # an offer, advice, a guess, a courtesy
    r"\b(?:please|if|whether|want|would|shall|should|could|let me|let us|let's|can|i'll|i will|i'd|we'll|feel free|try|happy to|glad to|might|(?<!\d )may(?! \d)(?= )|perhaps|maybe|possibl[ye]|probably|presumably|likely|seems?|looks? (?:as|like)"
    r"|appears?|suggest\w*|recommend\w*|sorry|apolog\w+|afraid|thank\w*|assum\w+|guess|suspect|worth|hope\w*|welcome|ready to|back to you|(?:good|bad) news|^all (?:\d+ )?(?:of them )?(?:are|were|have been) (?:booked|taken|gone|sold|full)|here(?:'s| is| are) (?:what|how|where)"
    r"|^have an? (?:\w+ )?(?:great|good|nice|lovely|wonderful|pleasant|fantastic|relaxing|safe) (?:day|evening|night|morning|afternoon|weekend|week|trip|one|time)|to yourself|took \d[\d.,]* ?(?:ms|s|seconds?|minutes?)"
    # the search, the source and the question
    r"|search\w*|check\w*|look(?:ed|ing)|review(?:ed|ing)|scann?\w*|filter\w*|quer(?:y|ies|ied)|synced|indexed|crawled|cover(?:s|ed)|compared|asked|question|you (?:gave|shared|uploaded|named|mentioned|sent|provided|wanted|pasted|attached)|^today is|(?:gone|been|goes|go|read|i went|we went) (?:through|back|over)|(?:someone|something) else|unrelated|irrelevant|goes? back"
    r"|(?:lists?|shows?|holds?|contains?|includes?) (?:all|only|just)|up to date|last (?:updated|synced|refreshed)|(?:confirmed|verified) (?:it|this|that))\b"
)
_LACK = re.compile(
    # the lack, in other words
    r"\b(?:0(?![.,]?\d)|no|not|never|nothing|nobody|none|neither|nor|unable|fail(?:s|ed)|empty|blank|null|zero|clear|free|open|quiet|silent|missing|removed|deleted|gone|expired|closed|cancel\w*|lost|unknown|unclear|unavailable|lack\w*"
    r"|fine|well|all set|caught up|all good|done|ended|stopped|discontinued|suspended|sold out|out of stock)\b|n't\b"
)
_ELSEWHERE = re.compile(
    r"(?:in|on|at|under|from|according to|per) (?:the|your|our|my|his|her|their) [\w' -]{1,30}, \w+ \w"
)
"""In the pull request, Mia asks for tests."""
_FAILS = re.compile(
    r"\b(?:timed? out|unreachable|not (?:respond\w*|working|loading)|returned an error|could(?:n't| not) (?:connect|reach|load|log in)"
    r"|(?:search|server|service|tool|connection|system|site|api|database) (?:is|was|seems) (?:\w+ )?(?:unavailable|down|offline|broken)|(?:tool|browser|plugin|feature|integration|access|search|service) (?:is|was)(?:n't| not) (?:\w+ )?(?:available|working|enabled))\b"
    r"|^(?:\w+ )?(?:done|removed|deleted|cleared|fixed|cancelled|archived|muted|unsubscribed|emptied|resolved)\b"
    r"|\b(?:i've|i have|i) (?:just |now )?(?:removed|deleted|cleared|fixed|resolved|cancel\w+|emptied|muted|taken|merged|un(?:tagged|linked|subscribed|followed|checked))\b"
)
_PRICE = re.compile(r"[$£€¥₹]\d|\d ?(?:%|(?:euros?|pounds?|dollars?|francs?|percent|cents?)\b)")
_CELL, _NONE = re.compile(r"\d"), re.compile(r"\| *(?:0|none|no|nothing|-|–|—)\b")
_LEAD = re.compile(r"^(?:[-+•] ?)?(?:(?:hmm|well|sorry|ok|okay|right|hello|hi|hey|thanks|alas)(?: \w+)?[,!.]? )?")
_OWN = re.compile(
    r"(?:and |but |so |then |however, |instead, )?(?:i|we|i've|we've|i'm|we're|that|this|that's|these|those)\b(?! (?:one|ones|two|three)\b)"
)
"""What the agent does itself, and what that means."""
_SHOWN = re.compile(
    r"(?:and |but |so |then |however, |instead, )?(?:i|we)(?:'ve| have)? (?:did |also |then |just |instead )*(?:find|found|got|get|see|saw|opened (?:it|them)|do have|still have|stock|carry|offer|sell|attached|enclosed|forwarded|included|pulled up|have (?:an?|the|one|two|three|\d))\b"
)
"""What it does with something that is there after all."""
