"""What a reply says behind a denial that brings nothing of what was asked for: why there is none, and how things are kept there."""

from __future__ import annotations

import re


def explains(sentence: str, denied: str) -> bool:
    """Whether a sentence gives a reason, a rule or a state, and with it no figure; `denied` is the sentence that says there is nothing.

    >>> explains("the account was frozen that month.", ""), explains("the sides are vegan.", "there are no vegan mains.")
    (True, False)
    """
    if FIGURE.search(sentence):
        return False
    state = _STATE.match(sentence)
    if state is not None and not _VALUE.search(sentence) and state["state"] not in denied:
        return True
    return any(each.match(sentence) for each in (_ALL, _KEPT, _RULE, _SOURCE, _HABIT))


def describes(sentence: str) -> bool:
    """Whether a sentence before the denial only says what the place is that was looked at: what it deals with, and that it is complete."""
    return _SCOPE.search(sentence) is not None and FIGURE.search(sentence) is None


FIGURE = re.compile(
    r"[$£€¥₹%]|(?<![\d.,:])(?<!since )(?<!in )(?<!until )(?<!from )(?<!section )(?<!page )(?!(?:19|20)\d\d\b)\d(?![\d.,:]* ?(?:st|nd|rd|th|seconds?|minutes?|hours?|days?|weeks?|months?|years?|am|pm|january|february|march|april|may|june|july"
    r"|august|september|october|november|december)\b)|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?! (?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b)|\b(?:several|though|however|instead)\b"
)
"""A figure that is no date and no span of time."""
_THIS = r"(?:it|they|he|she|(?:the|our|your|this|its|their|his|her|my|that) (?:[\w'-]+ ){0,3}?[\w'-]+)"
_PLURAL = r"(?!(?:it|he|she|they|we|you|i|there|that|who|his|its|this|press|two|three|four|five|several|the|it's|she's|he's|that's)\b)(?:[a-z-]+ ){0,2}?(?!(?:his|its|this|press|always|does|goes|was|has|says)\b)[a-z-]{2,}[^su' ]s"
_IS = r"(?:'s|'re| (?:is|are|was|were|has been|have been|gets?|remains?))"
_ALL = re.compile(
    r"(?:and |so |because |as )?(?:every|everyone|everybody|everything|all)\b|you(?:'ve| have)? \w{2,}ed\b"
)
"""All are away."""
_STATE = re.compile(
    rf"(?:and |so |because |as )?(?:{_THIS}|{_PLURAL}){_IS} (?:\w+ly |still |being |now |all )*"
    r"(?P<state>\w{2,}(?:ed|ing|ant|ent|ive|ous|less|able|ible|al)|frozen|broken|hidden|taken|full|busy|down|off|out|away|new|old|offline|online|idle|private|public|ill|sick|late|unwell|healthy|fine|about|only|built|set up|kept|made)\b"
)
"""The account was frozen."""
_VALUE = re.compile(
    r"\b(?:found|attached|enclosed|approved|filed|moved|held|listed|named|called|titled|scheduled|rescheduled|postponed|booked|assigned|sent|given|mentioned|described|covered|replaced|signed"
    r"|delivered|shipped|linked|included|located|stored|saved|priced|due|available|elected|decided|agreed|owned|written|published|released|tracked|answered|explained|identical|different|similar|equivalent"
    r"|(?<!advertised )by (?!the|law|default|hand|mistake)\w)"
)
"""What is found, where it is, or who did it."""
_KEPT = re.compile(
    rf"(?:{_THIS}|{_PLURAL}){_IS} (?:\w+ly )?(?:created|opened|made|set up|built|rebuilt|updated|refreshed|exported|imported|generated|indexed|kept|retained|archived|purged|cleared|reset|added|returned|paid|launched|started"
    r"|introduced|digiti[sz]ed|compiled|limited|restricted|based|sorted|taken|upgraded|installed|trained|collected|recorded|logged)\b"
)
"""The channel was created an hour ago."""
_RULE = re.compile(
    rf"(?:the|our|your) (?:[\w'-]+ ){{1,4}}?(?:re)?opens\b|{_PLURAL} (?:are|get|have|go|come|show|start|begin|appear|disappear|stay|remain|take|tend|run|open|close|bill|publish|end|expire|arrive|sync|update|vary|depend|only|post|list|use|need)\b"
)
"""New roles are posted on the careers page."""
_SOURCE = re.compile(
    r"(?:it|they|(?:the|this|that|your|our) (?:\w+ ){0,2}?(?:contract|report|document|article|archive|log|data|dataset|page|book|text|file|policy|paper|records?|catalogue|catalog|manual|series|list|register|agreement|transcript|minutes|portal|system|index|database|search))"
    r" (?:ends?|starts?|begins?|stops?|deals?|goes|runs|concerns?|focus(?:es)?|only|mostly|mainly)\b"
)
"""The contract ends with section 14."""
_HABIT = re.compile(
    r".*\b(?:daily|weekly|monthly|hourly|nightly|usually|sometimes|normally|typically|generally|often|always|automatically|regularly|only \w+s|mostly|mainly|primarily|every (?:day|night|hour|week|month|morning|evening|year)"
    r"|on (?:\w+ )?(?:leave|holiday|vacation)|off sick)\b"
)
"""Our catalogue is updated daily; she is on leave."""
_SCOPE = re.compile(
    r"\b(?:deals? with|(?:index|archive|list|register|records|log|data|database|series|minutes) (?:stops?|ends?|starts?|begins?)|(?:is|are) (?:about|complete|online|posted|public|searchable|(?:\w+ly )?long|a stub|in alphabetical order|sorted)"
    r"|(?:has|have) (?:an? |[a-z]+ )?(?:section|chapter|question|field|column|sheet|entry|entrie|heading|page|tab|row|part)s?)\b"
)
"""The policy deals with visiting hours."""
