"""The phrases that say there is nothing by a verb that is denied: I could not find it, the text does not say; {names} are kinds of words of denialwords.py."""

from __future__ import annotations

NEGATIONS = [
    r"\bthere (?:does|do|did) not be any(?:thing\b| (?!(?:\w+ )?{trouble})\w)",
    r"{we}{not} (?:have )?{find}(?! (?:(?:any|a|an|the|much|out)\b ?)?(?:\w+ )?{trouble})",  # I could not find it
    r"\bno luck finding\b|\b(?:could|can) not be (?:found|located)\b(?! (?:guilty|liable|wanting))|^(?:[\w'.:-]+ ){{0,4}}not found[.!]*$|\b(?:record|page|file|user|item|resource|entry) (?:was )?not found\b|\bnowhere to be found\b",
    r"\b(?:i|we|you|it) (?:do|does|did) not have (?:anything (?:scheduled|planned|on|for|about)\b|(?:any )?{some}{thing})",  # I do not have any information
    r"\b(?:i|we) (?:do|did|can|could) not see (?:anything(?! {trouble}| wrong)|(?:any|a) {some}{thing})",
    r"\b{place} (?:do|does|did) not (?:mention|contain|include|say|specify|list|provide|cover)\b(?! (?:any )?{flaw})",
    r"^(?!.*\b{trouble}).*\b(?:do|does|did) not exist\b",  # the file does not exist
    (
        r"(?:^|[,:] |\bthat )(?:no|zero|0|not a single) {nouns}(?:(?:{be} )?{sought}\b|(?:{be} |has been |have been )(?:{there}|returned|held)\b(?= (?:on|in|for|at|under|from|by|this|that|last|today|yet)\b|[.!]*$)"
        r"|(?:match(?:es|ed)?|mention(?:s|ed)?|exist(?:s|ed)?|fits?|meets?|contains?|imports?|calls?|references?|uses?|supports?|confirms?|covers?|describes?|explains?|refers?)\b)"
    ),
    r"\b(?:do|does|did) not (?:say|state|mention|specify|name|give|include|provide|list|cover|address|discuss|indicate|tell|appear in|appear anywhere|show up)\b(?= (?:who|what|when|where|how|why|whether|which|any|the|a|an|that|it|this)\b|[.!]*$)(?! (?:any )?{flaw})",
    r"\b(?:do|does|did) not (?:appear|occur|feature) (?:in|on|at|anywhere)\b",
    # the date is not given; it is not in the text
    (
        r"^(?:(?:and|so|but|because|since|that|sorry|hmm),? )?(?:[\w'-]+ ){{1,7}}?(?:is|are|was|were) not (?:\w+ly )?(?:mentioned|given|listed|defined|stated|specified|named|recorded"
        r"|documented|published|disclosed|indexed|registered|explained|discussed|on record|on file|known to (?:me|us))\b"
    ),
    (
        r"\b(?:is|are|was|were) not (?:in|on|part of|anywhere in|among) (?:the|your|our|my|any|this|that|these) (?:[\w'-]+ ){{0,2}}?(?:{place}|{box}|dictionary|glossary|index|notes?"
        r"|catalogue|catalog|transcript|contract|system|logs?|contacts|inventory|archives?|wiki|manual|menu|roster|registry|knowledge base|context|passage)\b(?! (?:any ?more|but))"
    ),
    r"\b(?:has|have|had) not (?:yet )?(?:\w+ed|made|sent|got|had|been|left|written|bought|seen|given|taken|set|put|held|paid|run) (?:us |me |you |him |her )?(?:(?:any|a single)\b(?! (?:\w+ )?{trouble}| (?:changes?|harm|damage)\b|(?:thing|body|one)\b)|an? {some}{thing})",
    r"\b(?:do|does|did) not match (?:any|a|an|anything)\b",  # that number does not match any order
    r"^(?:the|that|this|your|our|it)\b(?: [\w'-]+){{0,8}}? (?:is|are|was|were) not in \w+[.!]*$",
    r"\b(?:has|have) not (?:replied|responded|answered|confirmed|(?:called|written|gotten|got|come) back|posted|commented)\b",
    r"\bthere (?:is|are|was|were) not (?:one|any)(?: (?:online|here|there|yet|anywhere|available|listed|on file|in (?:the|your|this) \w+))?[.!]*$",
    (
        r"\b(?:is|are|was|were) not (?:\w+ly )?(?:used|defined|referenced|declared|mentioned|imported|called|present|described|documented|listed) (?:anywhere|in (?:this|the|your|our|that|any) )"
    ),
    r"\b(?:information|data|news|details?|results?|records?) (?:for|on|about|of|from) (?:[\w'-]+ ){{1,5}}?(?:is|are|was|were) (?:not available|unavailable)\b",
    r"\b(?:they|(?:the|that|this|your|our) [\w'-]+) (?:is|was|are|were) not there[.!]*$",
    r"\b(?:do|does|did) not have any (?!(?:\w+ )?(?:{flaw}|preference|choice|clue|idea|opinion|objection|doubt|time|plans?|effect|impact))\w",
    r"\b(?:i|we) (?:do|did|can|could) not see (?:it|them|that|this|him|her|you|me|us)(?: (?:in|on|among|listed|there|anywhere)\b|[.!]*$)",
    r"\bthere (?:does|do|did) not be an? {some}{thing}",
    (
        r"\b(?:is|are|was|were) not (?:\w+ly )?(?:associated|linked|connected|tied|assigned|attached|related|registered|enrolled|subscribed|signed up) (?:with|to|for|in|on) (?:an?|any|our|the)\b"
        r"(?! (?:\w+ )?{trouble})"
    ),
    (
        r"\b(?:none|not one|not a single one) of (?:them|these|those|(?:the|our|your|my|these|those|its|their) (?:[\w'-]+ ){{1,4}}?) ?(?:{tells}|lives?|works?|speaks?|uses?|knows?|accepts?|supports?|comes?|goes|belongs?|ships?|delivers?|sells?|stocks?|serves?|allows?|offers?"
        r"|qualif(?:y|ies)|appl(?:y|ies)|appears?|shows?|repl(?:y|ied)|has|have|had)\b(?! (?:an?y? )?(?:\w+ )?{trouble})"
    ),
    r"\b(?:do|does|did) not (?:stock|carry|sell)\b",
    r"\b(?:i|we|it) (?:do|did|have|could|can) not (?:get|got|receive|received|see|spot|notice|pull up|come up with|came up with) (?:any|a single) {some}{thing}",
    r"\b(?:the|your|this|that|our|my|its) (?:[\w'/.-]+ ){{1,4}}?(?:do|does|did) not (?:have|contain|include|list|show|hold) (?:an?|any) {some}{thing}",
    r"\b(?:it|that|this|he|she) (?:is|was) not there\b(?! (?:yet )?(?:to|because)\b)",
    r"\b(?:answered|says|said|returned|replied|responded|reported|got|gave|with) (?:an? )?(?:404\b|not found\b)",
    r"\bam not aware of any (?!(?:\w+ )?{trouble})",
    r"\b(?:information|data|news|details?|results?|records?) (?:is|are|was|were) (?:not available|unavailable)\b",
    r"\b(?:is|are|was|were) not (?:\w+ly )?(?:available|provided|given|stated) (?:in|from) (?:the|your|our|my|any|this|these|those)\b",
    r"\b(?:has|have) not (?:yet )?been (?:announced|published|released|disclosed|specified|determined|documented)\b",
    r"^not (?:found|there|listed|available|present|registered|recorded|(?:in|on|among) [\w' -]+)[.!]*$",
    r"\b(?:am|are|is|was|were) not (?:seeing|finding|getting|showing|spotting) (?:it|that|this|those|these|the|an?|any|one|your|his|her)\b(?! (?:\w+ )?{trouble})",
    (
        r"{clause}(?!(?:i|we|you) )(?:[\w'-]+ ){{1,5}}?(?:do|does|did) not (?:publish|disclose|list|stock|carry|sell|give|release|report|set|define|declare|specify|mention|record) "
        r"(?:an?y? |the |such |its |their )?{nouns}[.!]*$"
    ),
    r"(?:^|, )you (?:do|are|have) not (?:\w+ly )?(?!(?:need|have|worry\w*|miss\w*|losing)\b)\w+ (?:to )?any(?:one|thing|body)(?: yet| now| today| at the moment)?[.!]*$",
    r"\b(?:is|are|was|were) not (?:\w+ly )?(?:recogni[sz]ed|known|found|held|recorded|registered|stored|present) (?:by|in|to|with|on|at|among) \w",
    # it is not where it was looked for; not of a day or a time
    (
        r"{clause}(?:(?:the|that|this|your|our|my) (?:[\w'-]+ ){{1,4}}?|it |he |she |they )(?:is|are|was|were) not (?:in|at|on|among|under) (?:the|your|our|my|either|any|that|this) "
        r"(?!(?:office|mood|way|position|same|future|past|loop|first|last|morning|afternoon|evening|weekend|end|beginning)\b)(?:[\w'-]++ ?){{1,3}}[.!]*$"
    ),
    # not tied to any of them; none of them is running, fired or has any of it
    r"\b(?:is|are|was|were|do|does|did|has|have|can|could) not (?:\w+ ){{0,2}}?(?!(?:charg|bill|bound|liable|object|worry|care|depend|agree|conflict|interfere|apply|respond|react)\w* )\w+ (?:to|in|on|with|of|under|for|from|at|by) any\b(?! (?:\w+ )?{trouble})",
    r"{clause}(?!(?:i|we|you|he|she|they) )(?:[\w'-]+ ){{1,5}}?(?:do|does|did) not (?:hold|show|list|name|state|mention|give|answer|specify|display|carry|stock) (?:an?|any|that|this) (?!(?:\w+ )?{trouble})(?:[\w'-]++ ?){{1,4}}[.!]*$",
    r"\b(?:has|have) not (?:yet )?been (?:answered|acknowledged|handed in|turned in|found|seen|spotted|received|delivered|located|returned)\b",
    r"\b(?:has|have) not (?:yet )?been (?:\w+ly )?(?:translated|decided|set|named|agreed|chosen|finali[sz]ed|recorded|logged|posted|filed|scheduled|uploaded|shared|written|digiti[sz]ed|filled in|entered|issued|submitted|assigned|paired|configured)\b",
    (
        r"(?:^|[,:;] |\b(?:and|but) )(?:neither (?:[\w'-]+ ){{1,3}}?(?:{tells}|carries|stocks?|sells?|offers?|shows?|turned up)\b(?! (?:an?y? )?(?:\w+ )?{trouble})"
        r"|(?:not one|none) (?:of (?:them|these|those) )?(?:touch|mention|contain|match|refer|use|cover|say|show|list|name|include|fit|meet|qualif|appl|relat|go|fl|leav|arriv|run|stop|com|serv|ha[sd] an?y? |have an?y? )\w*"
        r"|not (?:a|one) (?:single )?(?:\w+ )?(?:thing|word|trace|soul|sign|hit|result|match|peep|line|mention|record|reply|message|entry)\b)"
    ),
    (
        r"\b(?:has|have) not (?:yet )?(?:uploaded|submitted|posted|added|filed|sent|provided|entered|created|written|booked|placed|set|chosen|named|given|made|published|shared|recorded|registered|reported|logged|listed"
        r"|received|ordered|attached|specified|mentioned) (?:us |me |you )?(?:an?|any|one|it|its|their|his|her|the)\b(?! (?:\w+ )?(?:{trouble}|typo|change))"
    ),
    r"\b(?:has|have) never (?:contacted|placed|ordered|booked|bought|filed|submitted|written|replied|sent|made|opened|logged|reported|visited|registered|signed up|subscribed|received|mentioned)\b(?! (?:an? )?(?:better|worse|\w+ )?{trouble})",
    r"\bthere (?:is|are|was|were) not (?:enough|sufficient|much) (?:\w+ )?(?:information|data|detail|details|context|evidence|material)\b",
    r"\b(?:is|are|was|were) no longer (?:listed|available|there|in (?:stock|print)|offered|sold|stocked|carried|on (?:the|our|your|file))\b",
    r"\bnot have any(?:body|one)\b|^not (?:found|available|listed|registered|in stock|on file):|\b(?:has|have) not (?:yet )?(?!(?:chang|alter|touch|harm|miss|skipp|delet|remov|mov)\w*ed\b)\w+ed anything (?:since|yet|about|on|in|so far|this)\b",
    r"\b(?:question|it|this|that) can not be (?:answered|determined|established)\b",
    r"\bnot (?:believe|think|recall) (?:that )?(?:we|i|they|you) have (?:received|seen|got|had|found|heard|met)\b",
    r"\bnot (?:look|seem|appear) (?:like|as if|as though|that) (?:any(?:one|body|thing)?\b(?! (?:\w+ )?{trouble})|(?:we|they|you|the \w+) (?:have|has|sell|carry|stock|offer|list|received|got)\b)",
    (
        r"\b(?:card|contact|entry|profile|ticket|account|record|{place}|{box}) (?:do|does|did) not (?:have|include|contain) (?:an?|any|that) (?!(?:\w+ )?{trouble})\w"
        r"|\bnot (?:contain|include|use|mention|have) the (?:exact )?(?:word|phrase|term|name|string|expression)\b"
    ),
    r"\b(?:i|we) (?:do|did|can|could) not see (?:the|your|that|his|her|their|this|any|an?) (?!(?:\w+ )?{trouble})(?:[\w'-]+ ){{1,5}}?(?:on|in|among|listed|anywhere)\b",
    r"{clause}(?!(?:i|we) )(?:[\w'-]+ ){{1,6}}?(?:do|does|did) not (?:include|list|show|hold|leave|name|give|report|mention|return|record) any (?!(?:\w+ )?{trouble})\w",
]
