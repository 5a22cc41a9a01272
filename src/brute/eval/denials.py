"""The table of English phrases that say there is nothing; {names} in a phrase stand for the words above it."""

from __future__ import annotations

import re

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
    r"{we}{not} (?:have )?{find}(?! (?:(?:any|a|an|the|much|out)\b ?)?(?:\w+ )?{trouble})",  # I could not find it
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
DENIALS = re.compile("|".join(phrase.format(**_WORDS) for phrase in _PHRASES))
RELATIVE = re.compile(
    # there is no result that contradicts it
    r"\b(?:{thing}|anything|nothing|one|none) (?:that|which|who)\b (?!(?:(?:is|are|was|were|would|could|do|does) )?"
    r"(?:not )?(?:match|mention|contain|include|fit|meet|relate|refer|correspond|available|scheduled|planned|related"
    r"|description|name|id|number|title|date|time|period|query|search|request|criteria|topic|subject|event|kind|sort))".format(
        **_WORDS
    )
)
