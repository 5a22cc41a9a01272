"""Whether a reply speaks for itself, in English: what somebody else is to say, what words mean, and Spanish say nothing of what was looked for."""

from __future__ import annotations

import re


def speaks(reply: str) -> bool:
    """Whether a folded reply, with its quotation marks, speaks for itself and in English.

    >>> speaks("no results."), speaks('translation: "the box is empty."'), speaks("no se puede pagar con tarjeta.")
    (True, False, False)
    """
    if _FOR_OTHERS.match(reply) or _SPANISH_NO.match(reply):
        return False
    return len({*_SPANISH.findall(reply[:READ])}) < MANY


MANY = 2
"""How many different words of Spanish make it Spanish: its "no" would be read as the English one."""

READ = 5_000
"""How many characters are looked through for them."""

_FOR_OTHERS = re.compile(
    r"(?:(?:ok|okay|sure|done|certainly|of course)[,.!:] )?(?:"
    r"(?:here is|here's) (?:a|the|your|my) (?:\w+ )?(?:draft|translation)\b[^:.]{0,60}:"
    r"|(?:draft|translation)(?: of (?:the|your|my) \w+| reply| e-?mail| message| letter| response)?: ?+(?!none\b|no\b|0\b)"
    r"|i(?:'ve| have)? (?:\w+ )?(?:written|drafted|sent|texted|wrote)\b[^:.]{0,60}: ?\"[^\"]*\"[.!]?$"
    r"|the translation (?:is|reads|would be):? ?\""
    r'|"[^"]{1,200}" (?:in \w+ (?:is|would be|means)|means|translates)\b'
    r")"
)
_SPANISH = re.compile(
    r"\b(?:que|puedo|puede|hay|está|están|para|por|una|con|sin|se|es|te|le|su|eso|esto|pero|ningún|ninguna|muy|olvides)\b"
)
_SPANISH_NO = re.compile(r"no (?:puedo|puede|se|hay|es|está|te|tengo|tiene|encontré)\b")
