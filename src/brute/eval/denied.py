"""Whether a sentence says that there is nothing: a phrase of the table does, and nothing around it unsays or bounds it."""

from __future__ import annotations

import re

from .afterall import NEGATIVE, informs
from .denials import DENIALS
from .reasons import explains

LONGEST = 50_000
"""How many characters of one sentence are looked through for it."""


def denial(sentence: str) -> re.Match[str] | None:
    """The phrase in the sentence that says there is nothing; a condition, a question and a bound say no such thing."""
    if sentence.endswith("?") and _ASKS.match(sentence):
        return None
    found = DENIALS.search(sentence, 0, LONGEST)
    if found is None or (found.end() == LONGEST < len(sentence)):
        return None
    # One phrase reaches back to the beginning of the sentence, and a new clause leaves what was not so behind.
    opened = _OPENED.match(found[0])
    before = (
        sentence[: found.start() + (opened.end() if opened else 0)] or sentence[: max(found[0].find("does not"), 0)]
    )
    if _UNSAID.search(_NEW_CLAUSE.split(_LEADING_NO.sub("", before))[-1]):
        return None
    if (
        (_CAUSE.match(before) and not NEGATIVE.search(before) and not _GUESS.search(before))
        or _AWAY.search(before)
        or _FAILED.search(before)
    ):
        return None
    if _BOUNDED.search(_ATTRIBUTE.sub(" ", sentence[found.start() :])) or _JUDGED.search(sentence, found.start()):
        return None
    if _AMOUNT.search(sentence, found.start()) and not _SOUGHT.search(sentence):
        return None
    explained = _EXPLAINED.search(sentence, found.start())
    return (
        None
        if explained
        and not NEGATIVE.search(explained[0])
        and (
            (informs(explained[0][2:]) and not explains(explained[0][2:], sentence[: explained.start()]))
            or re.search(r"\d", explained[0])
        )
        else found
    )


# I moved it, as there was no room: what was done for want of something is what it says.
_CAUSE = re.compile(r"(?:[\w'-]+ ){2,}[\w'-]+,? (?:because|since|as) (?:(?:the|there|it|they|we|i|you)\b[^,;]*)?$")
_GUESS = re.compile(r"\b(?:possibl[ye]|perhaps|maybe|may|might|could|likely|probably)\b")
_AWAY = re.compile(
    r"\b(?:i|we) (?:have )?(?:just |now )?(?:removed|deleted|cleared|fixed|resolved|closed|archived|cancel\w+|emptied|cleaned|taken|merged|turned|switched|muted|blocked)\b"
)
"""What the agent did away with itself."""
_FAILED = re.compile(
    r"\b(?:expired|timed? out|timeout|denied|crash\w*|offline|broken|corrupt\w*|encrypted|locked|too large|rate.limited|unreachable|(?:is|was|are|were) down|invalid|revoked|(?:gave|returned|raised|threw) an? (?:\w+ )?error|rejected (?:my|the) \w+|refused|cut off|interrupted|aborted)\b[^.]*, (?:so )?(?:\w+ ){0,3}$"
)
"""What could not be looked at."""
_OPENED = re.compile(r"(?:[,:;] )?(?:(?:but|and|that|so|because|since) )?")
_ASKS = re.compile(
    r"(?:why|how|who|what|where|which|did|do|does|is|are|was|were|can|could|has|have|had|will|would|should)\b"
    r"|.*, (?:is that (?:right|correct|so)|right|correct|(?:is|are) (?:there|it|they))\?$"
)
_LEADING_NO = re.compile(
    r"^(?:no|nope|not really|not yet)(?:, |$)|\bcan only confirm\b"
    # I may be wrong, but
    r"|^unless (?:it|they|you|someone|he|she|one) [^,]{1,40}?\b(?:under|by|as|elsewhere|differ\w+|another|wrong)\b[^,]{0,40}, |^if (?:the|my|your|our) (?:[\w'-]+ ){1,4}?(?:is|are) (?:up to date|complete|right|correct|accurate|current|anything to go by), |^(?:i (?:may|might|could) (?:be (?:wrong|mistaken)|have missed \w+)|unless i (?:(?:am|have|have not) \w+|missed|overlooked|misread|mistook)(?: something| it| \w+)?|if i (?:read|understand|see) [\w ]+ (?:correctly|right)|(?:correct me )?if i am (?:not )?(?:wrong|mistaken)|if (?:it|they|one|there|such an? \w+) (?:is |was |were |has |have )?(?:ever )?(?:been )?(?:exists?|existed|there|happened|one|any|\w{2,}ed|made|sent|written)),?(?: but)?(?: |$)"
    # It ended with no output: the list is empty
    r"|^(?:(?!\b(?:true|false|wrong|untrue|said|says|wrote|writes|claim\w*|reads?|myth|if|unless|when|error|message|instead|rather)\b)[^:])*: (?:no, )?"
    # I could not tell, because the article does not say
    r"|\b(?:(?:can|could|am) not (?:determine|tell|say|answer|confirm|verify|sure)|no idea|not know)\b[^,;:]*?(?:because|since|as|:|;|,)"
)
_NEW_CLAUSE = re.compile(
    r", (?:so|but|and) (?=(?:i|we|you|they|he|she|there|it|the|your|our|my|his|her|its|this|that|nothing|nobody|none|no|have|has)\b)|, (?:so|but|and) $"
)
_UNSAID = re.compile(
    # a condition, and the one of which alone it is so
    r"^should\b|\bonly (?:one|two|three|a few|some)\b|\b(?:if|unless|once|as soon as|(?:as|so) long as|provided that|assuming|in case|whenever|when(?! (?:i|we|searching)\b)"
    # a denial of the denial
    r"|not|never|no|nor|neither|without(?= (?:\w+ ){0,2}$)|hardly|barely|false(?! positive)|wrong|untrue|incorrect|denied|deny|denies|doubt\w*|disagree\w*|disput(?:ed|ing)"
    r"|myth|lie|rather than|instead of|far from|contrary|refus\w*"
    # what somebody else said or thought, or what once was
    r"|(?<!as i )(?:said|told|wrote|claim(?:s|ed)?|thought|believed|feared|assumed|worried|imagined|pretend\w*|hoped)|(?<!as )(?<!as i )expected"
    r"|(?:says|states|writes|claims|reads|complains|argues|warns|insists|jokes|alleges|(?:the|an?) (?:[\w'-]+ )?(?:error|message|warning|status))(?=:? (?:that )?$)|(?<!which )(?<!that )(?<!this )means?(?= (?:that )?(?:the |an? )?$)"
    r"|used to|at first|initially|originally|formerly|previously)\b"
)
_BOUNDED = re.compile(
    # a bound, beyond which there is something
    r"\b(?:except(?:ing)?|excluding|besides|apart from|aside from|other than|save for|beyond|(?<!larger )(?<!bigger )(?<!longer )(?<!smaller )(?<!shorter )(?<!cheaper )(?<!higher )(?<!lower )(?<!older )(?<!more )(?<!less )(?<!fewer )than|until|till|before(?![.!]*$| (?:it|that|then|this)\b)|outside|unless|without(?! (?:luck|success|any|a single)\b)"
    # what is left out of nothing is all of it
    r"|(?:is|are|was|were|be|been|being|got|gets?) (?:\w+ly )?(?:left (?:out|off|behind|over)|omitted|skipped|excluded|dropped|ignored|overlooked|forgotten|missed|missing(?! (?:any|all|from)\b)|lost|hidden|discarded|truncated|filtered out|cut off|removed|deleted|erased|overwritten|altered"
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
    r"|(?<!nowhere )(?<!yet )to be(?! (?:had|found|seen)\b)|status 5\d\d|contradict\w*|(?:disput|refut|challeng|conflict|disagree|disprov|oppos)(?:ing|ed|e?s (?:it|this|that|these|the))|(?:cast|votes?|voted|evidence|arguments?|case|speaks?|counts?|anything|nothing) (?:\w+ )?against|otherwise|contrary"
    r"|inconsisten\w*|incorrect|inaccura\w*|wrong|amiss|unusual|suspicious|malicious|broken|corrupt\w*|defective|invalid|mislead\w*"
    r"|negative|bad|unexpected|objectionable)\b"
    r"|\bnot one but\b|, please\b|\bno [\w'-]+ (?:[\w'-]+ )?(?:is |are )?(?:needed|required|necessary|allowed|permitted)\b|(?<!nor does )(?<!nor do )(?<!nor did )(?<!nor is )(?<!or )(?<!or of )(?<!or in )(?<!or by )(?<!or for )\b(?:no|any|not a|anything|nothing) (?:\w+ )?(?:other|others|further|additional|more(?![.!,;]*$| (?:seats?|tickets?|episodes?|rooms?|places|copies|slots?|tables?|entries|items|units|pages|dates|appointments?)\b(?! than))|better|newer|older|earlier|later|else)\b"
)
_AMOUNT = re.compile(
    r"\b(?:(?:under|below|above|over|within) (?:[$£€¥₹]\d|(?:that|this|the) (?:amount|limit|age|price|level|sum|size|threshold)\b|\d+ (?:euros?|dollars?|pounds?|minutes?|hours?|days?|years?|miles?|km)\b)"
    r"|(?:larger|bigger|longer|smaller|shorter|cheaper|higher|lower|older|more|less|fewer) than\b)"
)
_ATTRIBUTE = re.compile(
    r"\b(?:(?:that|which|who)(?: is| are)? (?:\w+ ){1,3}?|(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )(?:\w{2,}ed|open) )(?:before|after|until|till|since)\b"
)
"""A time by which what was looked for is told from others: no employees hired after 2023."""
_SOUGHT = re.compile(
    r"\b(?:find|found|locate|search\w*|match\w*|turned up|came up|came back|returned|exists?|see|empty-handed|criteria|filters)\b"
)
"""What was looked for, of which an amount is a part: I could not find a flight under $200."""
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
    r"|to go by|related|relating|matching|mentioning|containing|regarding|concerning|that|which|scheduled|planned|there|here|when|while|after|despite"
    r"|today|tomorrow|yesterday|this|next|online|anywhere|published|written|posted|listed|recorded|filed|released|announced|booked|saved|stored|documented|reported|known|logged|suitable|available|close|resembling|meaningful|of interest|noteworthy|so far|thus far|since|yet|at all|either)\b)\w"
)
_EXPLAINED = re.compile(
    # a colon, after which it says something after all
    r"(?<!for)(?<!query)(?<!search)(?<!term)(?<!terms)(?<!name)(?<!named)(?<!not found)(?<!not available)(?<!not listed): (?=.*?(?:\d|\b(?:is|are|was|were|it's)\b)).*"
)
