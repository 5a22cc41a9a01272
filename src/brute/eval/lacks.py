"""The shapes of sentences that say there is nothing, whatever it is there is none of; {names} are kinds of words of denialwords.py."""

from __future__ import annotations

LACKS = [
    # a sentence without a verb: no events between 3 and 9 June
    r"^{lead}{none} (?!single|two|such (?:luck|thing))\b{nouns}(?:$|[.!,;:)(]|{prep} )(?:(?!{finite}\b)[^ ]+ ?)*$",
    r"^{lead}(?:nothing|none|nobody|no one) (?:(?!{finite}\b|but\b)\w+ ){{0,2}}?(?:{prep}|\w+ing|{done}|{deed}|listed|due)\b(?:(?!{finite}\b)[^ ]+ ?)*$",
    # there is none
    r"\bthere {be} {det} (?!such thing\b){nouns}(?:{prep} (?!america\b)|{which})",
    # somebody has, or something holds, none
    r"\b{keeps} {det} {nouns}(?:$|[.!,;:)(]|{prep} |{which})",
    r"\b(?:has|have|had|contain(?:s|ed)?|include[sd]?) {det} {nouns}(?:{prep} |{which})",
    r"\b(?:has|have|had|got|(?:it|search|query|tool|lookup) found|knows?|{keeps}) (?:nothing|nobody|no one|none)(?:$|[.!,;:)(]| (?!to\b|but\b){prep} | back\b| \w+ing | \w{{2,}}ed )",
    # none is, does
    r"{clause}{none} (?!single|two){nouns}{be} (?:\w+ly |ever |yet )?(?!{glad})(?:\w{{2,}}(?:ed|ing|en|wn|ld|nt|de)|left|{prep}|available|open|free)\b",
    r"{clause}(?:nothing|none) (?:(?:{prep}|of) (?!this|that)(?:[\w'/.-]+ ){{1,6}}?)?{be} (?:\w+ly |ever |yet )?(?!{glad})(?:\w{{2,}}(?:ed|ing|en|wn|ld|nt|de)|left|{prep}|available|open|free)\b",
    r"{clause}(?:nobody|no one) (?:(?:{prep}|of) (?:[\w'/.-]+ ){{1,6}}?)?{be} (?:\w+ly |ever |yet )?(?!{glad})(?:\w{{2,}}(?:ed|ing|en|wn|ld|nt|de)|left|available|open|free)\b",
    r"{clause}{none} (?!single|two){nouns}(?:has|have|had) (?:(?:ever|yet|so far|been) )*+(?!{glad})\w",
    r"{clause}neither (?:of )?(?:[\w'/.-]+ ){{1,5}}?(?:occurs?|appears?|exists?|matche[sd]|turned up|comes up|came up|shows? up|returned)\b",
    r"{clause}neither (?:of )?(?:[\w'/.-]+ ){{1,8}}?(?:has|have|had|{keeps}) (?:an?y?|it|that|this|the|one|anything)\b",
    # it is absent, devoid of it, lacks it
    r"\b(?:{be}|remains?|stays?|looks?|{be} left) (?:\w+ly )?(?:absent(?! minded)\b|non-?existent|devoid of|void of|unlisted|unspecified|undocumented|unstated|unmentioned|undefined|unset|unassigned)\b",
    r"\b(?:lack of|absence of|dearth of|lacks|lacked) (?:(?:an?y?|the) )?{nouns}(?:$|[.!,;:)(]|{prep} )",
    r"\b(?:makes?|made|knows?|knew|makes? up) {det} {nouns}(?:{prep} |{which})",
    r"\b(?:has|have|had|{keeps}) nothing (?!but\b)(?:[\w'-]+ ){{1,4}}?(?:in|on|for|about|with|under|from) ",
    r"\b(?:has|have|had) never (?:had|held|contained|listed|carried|stocked|{done}) (?:an?y?|one|the|that) (?!(?:\w+ )?{trouble})",
    r"\b(?:was|were|has been|have been) never (?:\w+ly )?(?!{glad})\w{{2,}}(?:ed|ade|en|et|ent|wn)\b",
    r"\b(?:do|does|did|have|has|had) not (?:have |hold |keep |store |maintain |possess |own )?any(?:one|body)?(?! {trouble}) (?!(?:idea|clue|preference|opinion|effect|impact|plans?|intention)\b){nouns}(?:$|[.!,;:)(]|{prep} |{which})",
    r"(?<=\w )(?<!\bi )(?<!\bwe )(?<!\byou )(?:do|does|did) not (?:disclose|reveal|report|publish|quantify|break down|quote|define|declare|record|document|describe|detail|specify|state|name|mention|say|list|indicate|tell|identify|note|feature|touch on|refer to|go into|elaborate|comment on|deal with|discuss) (?!(?:an?y? )?(?:\w+ )?{trouble})\w",
    r"\bthere {be} not any(?:one|body|thing)\b",
    r"\b(?:is|are|was|were|has never been|have never been) (?:not |(?<=never been ))(?:part of|one of|among|anywhere (?:in|on)) (?:the|your|our|my|any|this|that|these|those)\b",
    r"\b(?:count|total|number|tally|sum)(?: of [^,;:.]{{1,40}})? (?:is|was|are|were|stands at|remains) (?:0|zero)\b",
    r"\bthere {be} no such thing as (?:an? |the )?(?:[\w'-]+ ){{1,5}}?(?:in|on|among) (?:our|the|your|this|my)\b",
    r"^{lead}(?:nada|zilch|no (?:joy|dice))\b",
    r"{clause}(?:none|not one|not a single one|neither) of (?:the|our|these|your|those|my|them|his|her|its|their) (?:[\w'/.-]+ ){{0,5}}?(?:has|have|had|do|does|did|{keeps}|\w+s) (?!{glad}|(?:{trouble}))\w",
    r"(?:^|\b(?:i|we|and|but) )(?:can |could |do |did )not (?:see|spot|find|locate) (?:an?y?|one|a single) (?!(?:\w+ )?{trouble}|case for|way|reason){nouns}(?:$|[.!,;:)(]|{prep} |{which})",
    r"\b(?:is|are|was|were) missing (?:any|all) (?!{trouble})\w",
    r"\bbut {none} {nouns}{prep} ",
    r"\b(?:{be}|looks?|came back|remains?) (?:empty|blank|bare) (?:for|in|on|at|under) (?:that|this|the|your|every|all|each|both|any)\b",
    r"\b(?:you|we|they) (?:do|does|did) not (?:own|have|hold|keep|stock|carry|sell|offer|possess) (?:an?y?|this|that|these|those|it|them) (?!(?:\w+ )?{trouble}|choice\b|preference\b){nouns}(?:$|[.!,;:)(]|{prep} )",
    r"\b(?:is|are|was|were) not (?:\w+ly )?(?:addressed|mentioned|covered|discussed|listed|given|stated|documented|recorded|named|defined|specified|found|present|referenced|contained|described) (?:in|by|on|at|anywhere|among|under) ",
    r"\b(?:is|are|was|were) not (?:in|on|among) (?:it|them|there|either|any)(?:$|[.!,;])",
    r"^(?!.*\b(?:nothing|none|nobody|no|not)\b)[^,;:]*\bmissing from (?:the|your|our|my|any|this|that)\b",
    r"\b(?:{be}|remains?|{be} left) not \w{{2,}}(?:ed|en|nt) (?:by|in|on|at|to|with|among) any(?:body|one|thing|where)?\b",
    r"\b(?:contains?|holds?|includes?|mentions?|lists?|shows?|says?) nothing (?:that|which) ",
    r"{clause}(?:nobody|no one|none|nothing)(?: (?:{prep}|of) (?:[\w'/.-]+ ){{1,6}}?| )(?:has|have|had) (?:(?:ever|yet|so far|been) )*+(?!{glad}|(?:complained|objected|noticed|died)\b)\w",
    r"\b(?:do|does|did) not (?:have|offer|sell|stock|carry|list|show|include|contain) (?:one|any|it|that)[.!]*$",
    r"\b(?:is|are|was|were) (?:\w+ly |all )?out of (?!office|order|date|scope|range|(?:the )?(?:way|question|loop|box|woods|ordinary)|bounds|control|hand|town|work|time|reach|place|bed|country|luck|my)\w",
    r"{be} left (?:blank|empty)\b|: (?:empty|blank|nothing|none)[.!]*$",
    r"(?<!\bi )(?<!\bwe )(?<!\byou )\b(?:do|does|did) not (?:return|yield|produce|turn up|bring up) (?:an?y?|one|a single) (?!(?:\w+ )?{trouble}){nouns}",
    r"\b(?:has|have|had) (?!{glad})\w{{2,}}(?:ed|en|ade|ent|wn) {det} {nouns}(?:$|[.!,;:)(]|{prep} |{which})",
    r"(?<=\w )(?<!\bi )(?<!he )\b(?:do|does|did) not (?:contain|list|show|mention|record|hold) (?:(?:that|this|those|these|such) (?!(?:\w+ )?{trouble}){nouns}(?:$|[.!,;:)(]|{prep} |{which})|an?y? (?!(?:\w+ )?{trouble}){nouns}(?:{prep} |{which}))",
    r"\b(?:has|have) not (?!(?:chang|alter|touch|harm|miss|delet|remov|mov|lost|los|done)\w*)\w+ (?:us |me |you |him |her |them )?any(?:thing|one|body)\b",
]
