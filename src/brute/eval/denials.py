"""The English phrases that say there is nothing, those of a verb that is denied apart (negations.py); {names} in them are kinds of words of denialwords.py."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .denialwords import WORDS
from .lacks import LACKS
from .negations import NEGATIONS

_PHRASES = [
    r"\bthere (?:{be} |does |do |did )?{no}(?:be )?{some}{thing}",  # there are no results; there does not be any news
    r"\bnot look like there (?:is|are|was|were) any(?:thing\b| {some}{thing})",
    r"\bno \w+ (?:with|under|by|of|matching) (?:that|this) (?:name|id|number|title|description|date)\b",
    r"\bthere {be} (?:none\b|nothing(?: (?:new|else|left|relevant|useful|usable|helpful|suitable|similar|specific|concrete))?(?:$|[.!,;]| (?:{there}|on |in |for |about |under |from |by |with |at |there\b|here\b|like that|matching|that match)))",
    r"(?:{we}|\byou |\b(?:i|we) )(?:could )?{held} {no}{some}{thing}",  # I found no mention; you have no meetings
    r"(?:^|[,:] ){no}{some}{thing}(?:$|[.!,;]| (?:for|from|about|on|in|with|regarding|matching|at this|that match))",  # No results.
    r"{we}{held} nothing(?:$|[.!,;]| (?:of the (?:kind|sort)|new|on|for|about|in|at|like|there|matching|relevant|that (?:match|fit|meet|suit|mention|relate)\w*)\b)",  # I found nothing
    r"\bnothing (?:new |else |relevant )?(?:{be} )?(?:{there}|(?:has|have) been {there}|came up|came back|turned up|comes up|shows up|showed up|matche[sd]|matching)",  # nothing to report
    r"\b(?:came|come|comes) (?:up|back|away) (?:empty|blank|dry|short|with nothing|with zero)\b|\b(?:drew|draw|draws|drawing|drawn) (?:a )?blanks?\b|\bempty-handed\b",
    r"\bnone (?:{be} )?{there}|^none[.!]*$",
    r"\b(?:no one|nobody) (?:has|had|have) (?:yet )?(?:reported|booked|commented|replied|responded|answered|posted|submitted|asked|signed|registered|written|mentioned)\b",
    r"\bthere {be} {no}{nouns}{sought}\b",
    r"(?:^|[,:] |\b(?:there is|there are|there was|i|we|you) (?:(?:can |could )?(?:see|have|find|found|saw) |have got )?)(?:nothing|none)(?: else)? (?:{be} |has been |have been |was |were )?(?:on|in|from|for|under|about|with|scheduled|planned|booked|listed|there|matching|available|known|recorded|stored) ?(?!(?:doubt|particular)\b)",
    r"\b(?:no|without(?: any)?) (?:mention|record|trace|sign|indication|evidence|reference|listing|entry) (?:of|for|to|about|in|that|under|anywhere)\b",
    r"\b(?:the|your|our|its|my) (?:[\w'-]+ ){{1,5}}?(?:is|was|are|were|came back|looks?) (?:completely |entirely |totally )?(?:empty|blank)[.!]*$",
    r"\b(?:got|getting|received|returned|gave|gives?|produced|yielded|came back with|came back as|with) (?:back )?an? (?:empty|blank) \w+",
    r"\b(?:no one|nobody) (?:{be} (?:scheduled|assigned|available|registered|enrolled|listed|on (?:call|duty|shift)|signed up)|(?:has|had) (?:\w+ed|taken|written|made) (?:it|the|that|this|any|anything|for|to|yet|so far)\b)",
    r"\b(?:search|searches|lookup|query|attempts?)(?: for [^,;:.]{{1,60}})? (?:was|were|is|proved|has been|have been) (?:unsuccessful|fruitless|in vain)\b|\bto no avail\b",
    r"\bno (?:luck|success) (?:finding|locating|tracking|with (?:the|my|that) (?:search|query))\b|\bhad no luck (?:finding|locating|tracking)\b",
    r"\bneither (?:[\w'-]+ ){{0,8}}?(?:returned|found|has|have|contains?|mentions?|shows?|turned up|produced|includes?|lists?) (?:anything|any|an?|it)\b",
    r"\b(?:carry|carries|stock|stocks|sell|sells|reported|recorded|logged|getting|seeing) (?:no|zero) {some}{thing}",
    r"\bnothing (?:{be} )?(?:due|booked|pending|outstanding|open|owed|stored|saved|filed)\b",
    r"\b(?:returned|got|gave|received|is|was|with) (?:me )?(?:an? )?(?:empty|blank) (?:list|response|result|set|page|array|answer|body|output)s?\b",
    r"\bthere (?:may|might|could|would|will|must) (?:not be any(?:thing\b| {some}{thing})|be {no}{some}{thing}|be nothing\b)",
    r"\b(?:the|your|this|that|our|my|its|his|her|their) (?:[\w'/.-]+ ){{1,4}}?(?:contains?|has|have|had|shows?|gives?|lists?|includes?|holds?|makes?|offers?) {no}{some}{thing}",
    r"\b(?:the|your|this|that|our|my) (?:[\w'/.-]+ ){{1,4}}?(?:contains?|has|have|had|shows?|lists?|holds?) nothing(?:$|[.!,;]| (?:on|in|under|for|about|from|scheduled|listed|saved|new)\b)",
    r"\bno such (?!{trouble})\w",  # no such file
    r"^(?:(?:no|nope|so|sorry|unfortunately),? )?(?:nothing|none)(?: (?:yet|so far|here|there|at all|today|new))*(?:, (?:i am afraid|sorry|unfortunately|though))?[.!]*$",
    r"\b(?:your|my|the|our) (?:[\w-]+ ){{0,2}}?(?:calendar|schedule|agenda|diary|to-do list|task list)(?: (?:for )?\w+)? (?:is|looks) (?:wide open|free|clear|empty)",
    r"\b(?:is|are|was|were) nowhere (?:in|on|to be|near|$)",
    r"\b(?:says?|said|knows?|tells? (?:me|us|you)|mentions?|holds?|got|received|returned) nothing (?:back )?(?:about|on|regarding|as to|for|from|in)\b",
    r"\b(?:folder|directory|inbox|mailbox|archive|drive|repo(?:sitory)?|branch|thread|account|project|bucket|server|log)s? (?:contains?|has|have|holds?|shows?) no {nouns}(?:$|[.!,;])",
    r"\b(?:has|have|had|there (?:is|are|was|were)) none(?: left| remaining| available)?(?:$|[.!,;]| (?:in|on|at|for|by|from)\b)",
    r"\bnot (?:have|got) anything (?:on|in|about|for|from|under)\b|\bnot know of (?:any|an?)\b(?! (?:\w+ )?{trouble})",
    # No flights operate on Sundays; no payment was received
    (
        r"{clause}{none} {nouns}(?:(?:has|have|had|uses?|allows?|offers?|contains?|speaks?|knows?) (?:an?|any|that|this|such|both|all|it|them)\b(?! (?:\w+ )?{flaw})|(?:{be} |has |have |had )?(?:been )?(?:received|identified|detected|obtained|arrived|comes? (?:in|up|back)|came (?:in|up|back)|lives?|operates?|runs?|goes|go|stops?|leaves?|flies|fly|covers?"
        r"|refers?|relates?|applies|apply|remains?|appears?|appeared|turned up|showed up|shows? up|in (?:effect|force|place|use))\b)"
    ),
    r"(?:{clause}|\b(?:has|have|had|got|see|saw|find|found|lists?|shows?|contains?|there {be}) )(?:no|zero|0) (?:{listed} )+{nouns}",
    r"\b(?:came back|returned|ended|finished|completed|ran) (?:\w+ly )?(?:without(?: any| a)?|with (?:no|zero|0)) {some}{thing}",
    r"\b(?:is|are|was|remains?) silent (?:on|about|regarding|as to)\b",
    r"\bnever (?:once |actually )?(?:{tells}|comes? up|came up|appears?|appeared|shows? up)\b(?! (?:any )?(?:\w+ )?{trouble}| (?:to|been|had|enough)\b)",
    r"\bnot (?:believe|think|know) (?:that )?(?:we|i|they|you|it|he|she) (?:have|has|had) (?:any|an?) {some}{thing}",
    r"\bnot have (?:(?:access to )?any|that|this|the|much) (?:\w+ ){{0,2}}?(?:information|data|details?|answer|knowledge|record)\b(?! (?:i|you|we|needed|required|to)\b)",
    r"\b(?:no one|nobody) (?:by|with|called|named|matching)\b",
    # of any noun: there is no spare desk on Wednesday; the bucket has no objects; I see no charge of that sum
    r"\b(?:i|we) (?:can |could |do )?(?:see|find|found|saw|know of) {none} {nouns}(?:$|[.!,;]| ?{after})",
    r"\b(?:gave|gives?|yields?|yielded|returned|returns?|produced|turned up|brought up|came up with|ended with|received|got) {none} {nouns}(?:$|[.!,;]| ?{after})",
    r"\b(?:calendar|schedule|inbox|agenda|diary)\b[^.;]{{0,60}} (?:it|they) (?:is|are) (?:\w+ly )?(?:clear|empty|free|blank)\b",
    # neither of two
    r"\b(?:can |could )?(?:find|found|see|saw|have|has|had|got) neither\b",
    r"(?:^|[,:;] )neither (?:of (?:[\w'-]+ ){{1,6}}?)?{tells}\b",
    # nobody did, none of them is; not what one is glad of, or need not do
    r"{clause}(?:{none} {nouns}|(?:nobody|no one|nothing|not one|none)(?: (?:of|in|on|at|from|by|under|for) (?:[\w'-]+ ){{1,5}}?| ))\b(?:{be} |has |have |had )?(?:been |yet |so far |ever )?{deed}\b",
    r"\bthere {be} (?:nobody|no one)\b(?!-| (?:better|like|who|else|but)\b)",
    (
        r"{clause}(?:nobody|no one) (?:(?:is|are) (?:on|among)\b|(?:in|on|at|from) (?:[\w'-]+ ){{1,4}}?(?:(?:has|have|had|holds) (?:that|this|an?|any|the|one|it|there|here)|speaks|lives|works|knows|uses|plays|owns|drives|reads|writes"
        r"|(?:is|are|was|were) (?:\w+ly )?(?:invited|listed|assigned|copied|included|registered|attending|coming|free|available|on|in|due))\b)"
    ),
    r"\bnothing (?:fits|qualifies|meets|needs (?:your|my|any|\w+ing))\b",
    r"\b(?:is|are|was|were|comes? back|came back) (?:all |both |completely |entirely |still )?(?:empty|blank|bare){now}(?:$|[.!,;:])",
    r"^no luck\b|\b(?:with no luck|without (?:any )?(?:luck|success))\b",
    r"\bnot (?!just|only)[^,;:.]{{1,40}}\banywhere\b",
    # nothing on the list is due
    r"\b(?:found|find|see|saw|got|have|has) none(?:$|[.!,;])|\b(?:found|got|returned|shows?|counted|counts?|gives?|gave) (?:0|zero)[.!]*$",
    r"^(?:nobody|no one|none|zero|nil|empty|blank)[.!]*$|^(?:it )?(?:does|did) not exist[.!]*$|: (?:0|zero|nil)[.!]*$",
    r"\bnever (?:got|received|had|saw) an?y? {nouns}(?:$|[.!,;])",
    r"{clause}{none} {some}{thing} (?:since|so far|as of|to date)\b",
    r"\bwithout (?:any|a single) (?:results?|hits?|match(?:es)?|entry|entries|records?)\b",
    # whoever has, shows or found none of them: git log shows no commits by her
    (
        r"\b(?:find|finds|found|see|shows?|showed|lists?|listed|contains?|contained|returned|returns|reports?|reported|records?|recorded|holds?|held|has|have|had|sees|saw|got|gets|gives?|gave|includes?"
        r"|carries|carry|provides?|provided|offers?) {none} {some}{thing}(?:$|[.!,;]| ?{after}| ?{which}| (?:of|for|in|on|by|with|from|under|at|about|since) \w)"
    ),
    r"\b(?:find|found|see|saw|know of|there {be}|has|have|had|shows?|lists?|contains?|returned|got|turned up) (?:{no}){nouns}{which}",
    r"\b(?:you|accounts?|profile|thread|ticket|tracker|project|customer|patient|city|{place}|{box}) (?:has|have|had) {none} (?!(?:\w+ )?(?:effects?|preferences?|opinions?|regrets?|comment)\b){nouns}[.!]*$",
    # what the user has yet to do, and how many of something are yet to be dealt with, is something
    r"(?:(?<!\byou )\b(?:has|have)|\byou have(?= yet to (?:receive|get|hear|see|find|have)\b)) yet to (?!(?:fail|break|lose|disappoint|crash|miss)\b)(?!\w+ \d)\w",
    r"\b(?:is|are|was|were) (?:\w+ly )?(?:out of stock|sold out|fully booked|out of print){now}[.!]*$",
    r"\b(?:returned|came back|got back|(?:is|are|was|were) (?:entirely|all)) (?:null|nil)\b(?! (?:when|if|for|unless)\b)",
    (
        r"\b{none} (?:\w+ )?(?:issues?|bugs?) (?:with (?:the|that|this) (?:\w+ )?(?:key|id|number|name|label|title|tag)|under (?:the|that|this)|in (?:the|your|this) (?:\w+ )?(?:tracker|backlog|board|queue|sprint)"
        r"|(?:is |are |was |were )?(?:assigned|labell?ed|tagged|numbered|matching))\b"
    ),
    r"\b(?:has|have|had) run out of \w|\bdown to (?:0|zero)\b|\b(?:lacks?|omits?|leaves? out) (?:an?y?|the)\b(?! (?:\w+ )?{trouble})",
    r"{clause}(?:nobody|no one) (?:has |have |had )?{done} (?:an?|any|the|it|that|this|for|to|yet|so far)\b|\b(?:find|found|see|saw|know of) (?:nobody|no one)\b(?! else)",
    r"^(?:[\w' ]{{1,40}}, )?there {be} {none} (?!(?:\w+ )?(?:damage|limits?|strings|benefits?|quorum|winner|rain|danger|fees?|costs?|difference|deal|point|basis|rule|law)\b)(?![^.,]* (?:in|on|at|for|of|under|from) ){nouns}[.!]*$",
    r"\b(?:not|never) (?:believe|think|know) (?:that )?there (?:is|are|was|were) (?:an?|any) {nouns}(?:$|[.!,;]| ?{after}| ?{which})",
    r"\b(?:lists?|shows?|returned|returns|yielded|records?|recorded|detected|noted|logged|matched|mentions?|gives?|{place} (?:contains?|includes?|holds?)) {none} {nouns}(?:$|[.!,;])",
    # none of them is running, was made, shows up; nor anywhere
    (
        r"(?:^|[,:;] |\b(?:but|and|that) ){none} (?:{nouns}(?:(?:is|are|was|were) (?:\w+ly )?(?:(?!(?:sent|shared|asked|paid)\b(?! to )){done}|running|operating|showing|playing|coming|waiting|sailing|flying|active|online|expected|attached|included|enclosed|uploaded|provided|taken)"
        r"|anywhere|at all|whatsoever|to (?:[\w'-]+ ){{1,4}}?(?:shows? up|turned up|came up|appears?|exists?|{be} (?:{there}|{done})))|(?:\w+ )?(?:warnings?|alerts?) (?:is|are|was|were) (?:\w+ly )?in (?:effect|force))\b"
    ),
    r"\b(?:empty|blank) (?:for|in|on) (?:every|all|each)\b|\bleft {none} {nouns}(?:or [\w-]+)?[.!]*$|\b(?:id|number|name|code|address|user|key|reference) (?:is|was) unknown\b",
    r"\b(?:see|sees|seeing|shows?|showing) an? (?:\w+ly )?(?:empty|blank) (?:{box}|{place}|set|array|screen)\b",
]


def _joined(phrases: Iterable[str]) -> str:
    """One pattern of them all, in which what many begin with is looked for once: a word, a clause, the sentence."""
    groups: dict[str, list[str]] = {}
    for phrase in phrases:
        opening = next((each for each in ("^", r"\b", "{clause}") if phrase.startswith(each)), "")
        if _splits(phrase):
            opening = ""
        groups.setdefault(opening, []).append(phrase[len(opening) :])
    return "|".join(f"{opening}(?:{'|'.join(rest)})" for opening, rest in groups.items()).format(**WORDS)


def _splits(phrase: str) -> bool:
    """Whether it is a choice between phrases, with a | that is in no brackets."""
    depth = 0
    for sign in re.sub(r"\\.|\[[^]]*\]", "", phrase):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            return True
    return False


DENIALS = re.compile(_joined([*_PHRASES, *NEGATIONS, *LACKS]))
