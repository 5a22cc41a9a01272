"""The report as Markdown, for a comment on a pull request: what did not pass first, and no longer than a comment may be.

Whatever came from outside stands in code spans and code blocks, where Markdown knows no links, no mentions and no HTML, and in fences that are
longer than any in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence

from ..arguments import Place
from ..attempt import Attempt
from ..report import CaseResult, Report
from ..wording import plural
from .headline import first_line, headline
from .hidden import hidden, notes, placed
from .inert import inert
from .lines import seconds, text_of
from .placing import Places, located
from .summary import ending, totals
from .sums import Sums, dollars
from .telling import ended

ROOM = 60_000
"""How many bytes there are in all: GitHub takes a comment of 65,536 characters."""
_TABLE, _NOTES, _LEAST = 30_000, 8_000, 3_000
"""How many of them a table has, notes, and at the least what is to be opened of a case, if it is told."""
_SHARED = 8
"""How many cases the room that is left is shared among."""
_MARKS = {"passed": "✅ passed", "failed": "❌ failed", "error": "⚠️ error", "cancelled": "🚫 cancelled"}
_FIRST = ("failed", "error", "cancelled", "passed")
_HEAD = "| | case | what went wrong | passed | tokens | cost | seconds |\n|---|---|---|--:|--:|--:|--:|\n"


def markdown(report: Report, places: Places) -> Iterator[str]:
    """The report in pieces: the totals, a table of the cases, then what is to be read of each that did not pass."""
    head = _head(report)
    yield head
    if not report.attempts:
        return
    # The names alone, for the order: transcripts are read one case at a time, and no more of them than there is room for.
    order = {status: n for n, status in enumerate(_FIRST)}
    cases = sorted(report.cases, key=lambda result: order[result.status])
    rows = "".join(_rows(cases))
    yield f"\n{_HEAD}{rows}"
    wrong = [result for result in cases if result.status in ("failed", "error")]
    if wrong:
        left = ROOM - len(f"{head}\n{_HEAD}{rows}\n".encode())
        yield "\n" + "".join(_opened(wrong, places, left))


def _head(report: Report) -> str:
    head, room, said = f"## brute eval: {ending(report)}\n\n{totals(report)}\n", _NOTES, notes(report)
    for number, note in enumerate(said):
        line = f"\n- {code(note, 500)}"
        room -= len(line.encode())
        if room < 0 or number == 20:
            return f"{head}\n- and {plural(len(said) - number, 'more note')}\n"
        head += line
    return head + "\n"


def _report(cases: Iterable[CaseResult]) -> Report:
    return Report(tuple(attempt for result in cases for attempt in result.attempts))


def _rows(cases: Sequence[CaseResult]) -> Iterator[str]:
    """The rows that there is room for, and how many cases there are besides."""
    room = _TABLE
    for number, result in enumerate(hidden(_report(cases))):
        row = _row(result)
        room -= len(row.encode())
        if room < 0:
            yield f"| | ... and {plural(len(cases) - number, 'more case')} | | | | | |\n"
            return
        yield row


def _opened(cases: Sequence[CaseResult], places: Places, room: int) -> Iterator[str]:
    """What is to be read of the cases: each has its share of the room, and what the short ones leave goes to those behind them."""
    room -= 100  # for how many are left
    for number, (result, place) in enumerate(placed(_report(cases), places)):
        left = len(cases) - number
        piece = _details(result, place, max(_LEAST, room // min(left, _SHARED)))
        room -= len(piece.encode())
        if room < 0:
            yield f"... and {plural(left, 'more case')}\n"
            return
        yield piece


def _row(result: CaseResult) -> str:
    sums = Sums.of([result])
    passed = sum(attempt.passed for attempt in result.attempts)
    cells = (
        _MARKS[result.status],
        cell(_named(result)),
        cell(first_line(headline(result))),
        f"{passed}/{sums.attempts}",
        sums.tokens.shown("{:,}".format),
        sums.cost.shown(dollars),
        sums.seconds.shown(seconds),
    )
    return f"| {' | '.join(cells)} |\n"


def _named(result: CaseResult) -> str:
    return f"{result.suite}: {result.case.name}" if result.suite else result.case.name


def _details(result: CaseResult, place: Place | None, room: int) -> str:
    """What is to be read of a case that did not pass, in so many bytes."""
    those = [attempt for attempt in result.attempts if attempt.status == result.status]
    where = f"{code(located(place))}\n\n" if place is not None else ""
    more = f"\nand {plural(len(those) - 1, 'more attempt')} like it\n" if len(those) > 1 else ""
    said = f"said: {code(result.case.said)}\n\n" if result.case.said else ""
    name = html.escape(inert(_named(result), 200)[:300])
    head = f"<details><summary>{_MARKS[result.status]} <code>{name}</code></summary>\n\n{where}{said}"
    foot = f"{more}\n</details>\n\n"
    return f"{head}{_shortened(_lines(those[0]), room - len((head + foot).encode()))}{foot}"


def _lines(attempt: Attempt) -> str:
    return "\n".join(text_of(line) for line in ended(attempt))


def _shortened(text: str, room: int) -> str:
    """The text as a code block in so many bytes, as much of it as there is room for; its fences may be long, too."""
    size = min(len(text), 8000)
    while True:
        left = len(text) - size
        made = block(text[:size] + (f"\n... {plural(left, 'more character')}" if left else ""))
        over = len(made.encode()) - room
        if over <= 0 or size <= 200:
            return made
        # No character has more than four bytes: nothing is cut off that there was room for, but for what the fences take.
        size = max(200, size - max(over // 4, 1))


def code(text: str, size: int = 300) -> str:
    """The text as a code span, which no text can get out of."""
    # What is written out takes up to ten times as much.
    shown = inert(text, size).strip()
    shown = shown if len(shown) <= size + 40 else f"{shown[:size]}..."
    if not shown:
        return ""
    fence = _fence(shown, 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def cell(text: str, size: int = 300) -> str:
    """The text as a code span in a table, where a bar would end the cell."""
    # How many backslashes escape a bar is read in more than one way.
    return re.sub(r"(\\*)\|", lambda found: rf"{found[1]}\u007c" if found[1] else r"\|", code(text, size))


def block(text: str) -> str:
    """The text as a code block."""
    fence = _fence(text, 3)
    return f"{fence}text\n{text}\n{fence}\n"


def _fence(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
