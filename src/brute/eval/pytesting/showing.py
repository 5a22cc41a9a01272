"""A case that did not pass, as pytest shows a failure: what is wrong, then what each attempt did.

What a model, a tool or an exception wrote is made inert, and secrets are masked, before pytest gets any of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback
from _pytest._io import TerminalWriter

from ..attempt import Attempt
from ..masking import masked
from ..report import CaseResult
from ..reporters.conversation import Room, conversation
from ..reporters.headline import headline
from ..reporters.inert import phrase
from ..reporters.lines import Line, attempt_lines, heading, text_of
from ..reporters.sums import Sums
from ..reporters.telling import guarded
from ..wording import plural

ROOM = Room(lines=20, characters=2000)
"""How much is shown of one text of a turn."""
FULL = 3
"""How many attempts of a case are shown with all that they did."""
MOST = 100
"""How many attempts of a case are shown at all."""

_MARKUP = {"magenta": "purple", "dim": "light"}


def summary(result: CaseResult) -> str:
    """What is wrong with the case, on one line: the first sentence of the first attempt that came to what the case came to."""
    those = [attempt for attempt in result.attempts if attempt.status == result.status]
    found = headline(result)
    sentence = masked(phrase(str(found), 300)) if found is not None else result.status
    several = f"{len(those)} of {plural(len(result.attempts), 'attempt')}" if len(result.attempts) > 1 else ""
    if result.status == "failed":
        return f"{several} failed: {sentence}" if several else sentence
    return f"{several} could not be graded: {sentence}" if several else f"could not be graded: {sentence}"


def lines(result: CaseResult, style: str = "long") -> Iterator[Line]:
    """What each attempt did: the first that did not pass in full, of the others how they ended.

    The style is pytest's `--tb`: `short` leaves out what was said and done, `line` everything.
    """
    if style == "line":
        return
    full = 0 if style != "short" else FULL
    for attempt in result.attempts[:MOST]:
        wrong = not attempt.passed
        full += wrong
        yield from guarded(_attempt(attempt, whole=wrong and full <= FULL), attempt)
    if len(result.attempts) > MOST:
        yield ((f"and {plural(len(result.attempts) - MOST, 'more attempt')}", "dim"),)


def _attempt(attempt: Attempt, *, whole: bool) -> Iterator[Line]:
    if whole:
        yield from conversation(attempt, ROOM)
    elif attempt.passed:
        yield heading(attempt)
    else:
        yield from attempt_lines(attempt)


def told(result: CaseResult) -> list[str]:
    """The lines as plain text."""
    return [masked(text_of(line)) for line in lines(result)]


class Shown(ReprExceptionInfo):
    """The representation of a case that did not pass: in colours on a terminal, plain where pytest sends or writes it elsewhere."""

    def __init__(self, result: CaseResult, path: str, line: int, style: str = "long") -> None:
        self.lines = [*lines(result, style)]
        plain = "".join(f"{masked(text_of(each))}\n" for each in self.lines)
        entries = [ReprEntryNative([plain])]
        crash = ReprFileLocation(path, line, summary(result))
        super().__init__(reprtraceback=ReprTraceback(entries, None, "native"), reprcrash=crash)

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it, as rich would where there are colours."""
        for line in self.lines:
            for text, style in line:
                tw.write(masked(text), **_markup(style))
            tw.line()
        for name, content, separator in self.sections:
            tw.sep(separator, name)
            tw.line(content)


def _markup(style: str) -> dict[str, bool]:
    """A style of ours as pytest's terminal writer has it."""
    return {_MARKUP.get(word, word): True for word in style.split()}


def spent(result: CaseResult) -> Sequence[tuple[str, Any]]:
    """What the case spent, as properties for a report in a file; what is not known is left out, or said to be at least so much."""
    sums = Sums.of([result])
    spent = [(name, each) for name, each in (("tokens", sums.tokens), ("cost", sums.cost)) if not each.nothing]
    return [
        ("attempts", sums.attempts),
        *((name, f"at least {each.known}" if each.unknown else each.known) for name, each in spent),
    ]
