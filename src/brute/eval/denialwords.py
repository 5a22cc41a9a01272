"""The kinds of words of which the phrases that say there is nothing are made (denials.py), each a piece of a pattern."""

from __future__ import annotations

WORDS = {
    "thing": r"(?:stock|occurrences?|instances?|copy|copies|results?|match(?:es)?|records?|entry|entries|information|info|data|news|articles?|documents?|files?|e-?mails?|"
    r"messages?|mentions?|reports?|events?|meetings?|appointments?|items?|answers?|hits?|references?|details?|updates?|listings?|"
    r"sources?|trace|orders?|tickets?|tasks?|contacts?|flights?|notes?|posts?|products?|papers?|pages?|invoices?|bookings?|"
    r"reservations?|reminders?|notifications?|transactions?|coverage|announcements?|requests?|rows?|columns?|fields?|users?|accounts?|customers?"
    r"|clients?|employees?|colleagues?|patients?|members?|guests?|subscribers?|subscriptions?|trains?|buses|seats?|tables?|rooms?|beds?|restaurants?"
    r"|hotels?|apartments?|vacanc(?:y|ies)|openings?|slots?|approvals?|incidents?|outages?|alerts?|deliver(?:y|ies)|shipments?|parcels?|packages?"
    r"|responses|assignments?|instructions?|chapters?|mail|contracts?|translations?|prices?|backups?|owners?|authors?|tags?|labels?|reviews?|comments?|repl(?:y|ies)|branch(?:es)?|commits?|clauses?|polic(?:y|ies)|sections?|paragraphs?|figures?|phone numbers?|address(?:es)?"
    r"|duplicates?|songs?|recipes?|books?|videos?|photos?|images?|recordings?|jobs?|positions?|candidates?|payments?|refunds?|purchases?|deals?"
    r"|offers?|licen[cs]es?|attachments?|logs?|laws?|evidence|repositor(?:y|ies)|versions?|releases?|stores?|shops?|branches|lessons?|courses?"
    r"|classes|lectures?|talks?|visits?|calls?|deadlines?|todos?|to-dos?|quer(?:y|ies)|stud(?:y|ies)|quotes?|citations?|definitions?|descriptions?"
    r"|functions?|variables?|dependenc(?:y|ies)|containers?|servers?|devices?|sensors?|readings?|drafts?|forms?|applications?|leads?|campaigns?"
    r"|availability|(?:one|body) (?:by|with|called|named))\b(?! (?:wrong|missing|lost|left)\b)",
    "flaw": r"(?:virus|malware|spyware|typo|spelling|misspel|glitch|hiccup|leak|regression|threat|blocker|problem|issue|error|fault|bug|mistake|flaw|defect|vulnerabilit|concern)",
    "some": r"(?:(?!(?:missing|broken|invalid|corrupt\w*|failed|failing|bad|wrong|lost|no|not|is|are|was|were|that|to|need|rush|in|on|at|for|from|with|the)\b|problem|issue|error|fault|bug|mistake|virus|malware|spyware|typo|spelling|misspel|glitch|hiccup|leak|regression|threat|blocker|doubt|reason|shortage|lack|dearth|scarcity)[\w'-]+ ){0,3}?",
    "no": r"(?:no|zero|0|not any|not an?|not a single) ",
    "trouble": r"(?:virus|malware|spyware|typo|spelling|misspel|glitch|hiccup|leak|regression|threat|blocker|problem(?! report)|issue(?!s? (?:number|tracker|key|id|mentioning|titled|about|called|label\w+|tagged|assigned|of the|(?:in|on) (?:the|your|our|this) (?:repo|tracker|backlog|project|board|issue)\w*)\b)|error(?! (?:log|message|report|code|line|entr)(?:s|y|ies)?\b)|fault|bug(?! (?:report|ticket))|mistake|flaw|defect|difference|reason|way|time|point|need|objection|doubt|concern|fix|"
    r"solution|link|luck|vulnerabilit|thing as|better|why|how)",
    # any noun, where the rest of the phrase says that it was looked for; not what one is glad not to find
    "nouns": r"(?:(?!(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|to|than|but|and|or|as|that(?! (?:type|kind|sort|name|size|colou?r|model|date|day|id|number|brand|title|description|period|length|price|shape|material)\b)|which|who|if|not|no|nothing"
    r"|missing|invalid|broken|failed|corrupt\w*|need|rush|place|time|way|ways|means|authority|rights?|school|exceptions?|room for|connection|response|permission|access|network|internet|limit|shortage|lack|dearth|scarcity|end|charges?(?! (?:from|by|of|to|on|at|under|dated)\b)|fees?|costs?|hidden|two|denying|tax(?:es)? (?:on|is|are)|returns? on|other|others|more|longer|later|less|fewer|further|one|idea|change|changes|impact|effects?(?! on (?:record|file))|regressions?|benefits?"
    r"|wonder|harm|damage|risk|penalt\w*|obligation|conflict\w*|complaint\w*(?! (?:from|by)\b)|failure\w*|irregularit\w*|survivor\w*|injur\w*|casualt\w*|(?<!weather )warning\w*"
    r"|question\w*(?! (?:on|about|regarding)\b)|siblings?|plans?|choice|excuse|secret|smoking|fishing|swimming|running|talking|eating|diving|surprises?|equals?|rivals?|downsides?|sense|trouble|worries|hurry|harm)(?![\w-])|problem|issue(?!s? (?:number|tracker|key|id|mentioning|titled|about|called|label\w+|tagged|assigned|of the|(?:in|on) (?:the|your|our|this) (?:repo|tracker|backlog|project|board|issue)\w*)\b)|error(?! (?:log|message|report|code|line|entr))|fault|bug\b|bugs\b|mistake|flaw|defect"
    r"|virus|malware|spyware|typo|spelling|misspel|glitch|hiccup|leak|regression|threat|blocker|difference|reason|objection|doubt|concern|solution|vulnerabilit)[\w'/@.-]++ ?){1,7}?",
    "sought": r"(?<= )(?:due|overdue|assigned|allocated|enrolled|on call|on duty|on shift|out of office|booked|waiting|coming up|available|free|open|scheduled|planned|listed|registered|found|on file|on record|recorded|pending|outstanding|in stock|saved|left|today|tomorrow|tonight"
    r"|yesterday|yet|at the moment|at this time|at present|right now|so far|this (?:week|weekend|month|morning|afternoon|evening|year)|next (?:week|month|year)"
    r"|(?:that )?match(?:es|ing)?|(?:on|in|under|for|from|with|by|at|named|called) (?:that|this|those|these|the|your|our|my|any|either|\d))",
    "we": r"(?:^|[,:] |\b(?:i|we|search|searches|query|lookup|tool|database|system|api|sorry|and|but) )(?:(?:have|had|am|was|were|are|has) )*",
    "be": r"(?:is|are|was|were|be|has been|have been|could be|can be)",
    "not": r"(?:can|could|do|does|did|have|has|had|was|were|am|is|are) not",
    "find": r"(?:pull|trace|track|obtain|dig up|dug up|unearth|pull up|bring up|come up with|get hold of|pinpoint|surface|finding|find|found|locate|located|discover|return|returned|turn up|turned up|come across|track down|retrieve|identify|match)\b",
    "held": r"(?:matched|matches|contains?|includes?|lists?|gives?|provides?|saw|received|found|find|see|have got|have|returned|return|got|yielded|produced|gave|shows?|showed|turned up|came up with|know of)",
    "there": r"(?:found|available|returned|located|match(?:ed|es)?|exists?|existed|listed|scheduled|planned|on record|recorded|to (?:report|show|display|list|review|approve)|placed|issued|booked|reported|published|logged|posted|registered|given|mentioned|stated|specified|provided|named|enrolled|booked|on file|on the (?:calendar|agenda|list)|up)\b",
    # where a clause begins that says so
    "clause": r"(?:^|[,:;] |^(?:at|for|in|on|as of|right|by|since|from|during) (?:[\w'-]+ ){1,5}?|\b(?:but|and|that|so|because|since) )",
    "none": r"(?:no|zero|0|not a single|not one)",
    # what one asks of things that are listed somewhere
    "listed": r"(?:known|recorded|listed|documented|registered|pending|active|upcoming|scheduled|outstanding|unread|matching|existing|open|relevant|related|available|current"
    r"|saved|planned|previous|past|prior|recent|remaining)",
    # a clause that says what was looked for
    "which": r"(?:(?:that|which|who|where|whose)\b (?:[\w'-]+ ){0,2}?(?:mention|match|contain|cover|describ|fit|meet|suit|refer|relat|discuss|say|state|name|list|offer|sell|carr|support|handl|test|explain|address|satisf|qualif|involv|belong|speak|talk"
    r"|deal|concern|answer|call|use|reference|touch|include|correspond|mark|label|tag|show|deal|point|bear|go|run|start|end|leave|arrive|open|work)\w*|(?:mentioning|matching|containing|covering|describing|relating|referring|dated|labell?ed|tagged|titled|entitled|numbered|addressed|sent|signed|written|filed|marked|by that|of that|with that)\b)",
    # what a noun phrase may go on with
    "after": r"(?:(?:on|in|at|for|by|under|from|of|to|about|within|near|between) (?:the|your|our|my|his|her|its|their|this|that|these|those|it|them|you|any|either|one|two|three|every|all|\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b|(?:called|named|yet|so far|at the moment|at present|right now|today|tomorrow|tonight|this (?:week|weekend|month|year)|anywhere|listed|scheduled|planned)\b)",
    # what is done with things and is not left out, lost or changed
    "done": r"(?:made|set|placed|booked|delivered|posted|sent|filed|opened|created|submitted|added|recorded|logged|reported|received|scheduled|published|announced|issued|registered|assigned|uploaded|shared|written"
    r"|replied|answered|responded|commented|signed|claimed|ordered|bought|paid|asked|joined|voted|applied|enrolled|noted|raised|mentioned|found|planned|arrived|happened|appeared|come in|come up)",
    "deed": r"\b(?:set|placed|booked|delivered|posted|filed|opened|created|submitted|added|recorded|logged|reported|received|scheduled|published|announced|issued|registered|assigned|uploaded|written|replied|answered|responded"
    r"|commented|signed|claimed|ordered|asked|joined|applied|enrolled|noted|raised|mentioned|found|planned|arrived|happened|checked in|checked out|signed in|logged in|called|come|came|waiting|coming|using|working|picked|chose|took|wrote|volunteered)",
    "now": r"(?: (?:at the moment|right now|now|today|at present|for now|so far|at this time|as of (?:now|today)|at this point))?",
    "tells": r"(?:mentions?|mentioned|says?|states?|stated|specif(?:y|ies|ied)|names?|lists?|discuss(?:es|ed)?|address(?:es|ed)?|describes?|refers? to|touch(?:es)? on"
    r"|gives?|covers?|explains?|includes?|contains?|provides?|has|have|had|match(?:es)?|fits?|meets?)",
    "place": r"(?:brochure|minutes|profile|listing|readme|guide|booklet|leaflet|menu|invoice|statement|schema|feed|form|memo|bio|faq|announcement|description|log|website|contract|transcript|policy|agreement|study|chapter|spreadsheet|table|handbook|manual|wiki|changelog|document|report|file|article|page|text|source|context|e-?mail|message|note|paper|database|list|result|record)s?",
    "box": r"(?:inbox|calendar|schedule|folder|directory|list|file|queue|table|database|mailbox|agenda|cart|result)s?",
    "lead": r"(?:(?:sorry|no|nope|hmm|well|alas|so|ok|okay|apologies|and|but|still|(?:i am )?afraid)[,:]? |[-•+>|] )*",
    "det": r"(?:no|zero|0|not (?:any|an?|one)(?: single)?)",
    "prep": r"(?:on|in|at|for|by|under|from|of|to|about|within|near|between|with|since|during|below|behind|against|over|among|across|regarding|concerning|matching|like|through|per|around|along|as|while|anywhere|online|either|left|at all|today|tomorrow|tonight|yesterday|yet|so far|this|that|these|next|last|right now)",
    "finite": r"(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must|needs?|it's|he's|she's|that's|forbids?|prevents?|costs?)",
    "keeps": r"(?:holds?|held|keeps?|kept|shows?|showed|lists?|listed|returns?|returned|yields?|yielded|produced|gives?|gave|turned up|brought up|came back with|came up with|reports?|reported|records?|recorded|mentions?|names?|bears?|bore|features?|quotes?|carried|carries|carry|leaves?|left|stocks?|sells?|offers?|provides?|received|know of|knows of)",
    "glad": r"(?:required|needed|necessary|allowed|permitted|changed|altered|modified|deleted|removed|lost|cancel\w*|shared|sent|skipped|hurt|injured|harmed|affected|damaged|charged|rejected|declined|excluded|dropped|to|going|forbidden|left (?:out|off|behind|over|to|un)|missed|missing|wrong|taken|broken|stolen|killed|expected|than|as|delayed|voted|admitted|loaded|read|opened|processed|accessed|reached)\b",
}
WORDS["ends"] = rf"(?:{WORDS['prep']}\b(?! america\b)|{WORDS['which']}|{WORDS['sought']}|{WORDS['there']})"
"""What a noun phrase that is denied goes on with."""
