"""The report as Markdown, for a comment on a pull request: what did not pass first, and no longer than a comment may be.

Whatever came from outside stands in code spans and code blocks, where Markdown knows no links, no mentions and no HTML, and in fences that are
longer than any in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from ..attempt import Attempt
from ..report import CaseResult, Report
from ..wording import plural
from .headline import first_line, headline
from .hidden import hidden, notes
from .inert import inert
from .lines import seconds, text_of
from .placing import Places, located
from .summary import ending, totals
from .sums import Sums, dollars
from .telling import ended

ROOM = 60_000
"""How many bytes there are in all: GitHub takes a comment of 65,536 characters."""
_TABLE = 30_000
_MARKS = {"passed": "✅ passed", "failed": "❌ failed", "error": "⚠️ error", "cancelled": "🚫 cancelled"}
_FIRST = ("failed", "error", "cancelled", "passed")
_HEAD = "| | case | what went wrong | passed | tokens | cost | seconds |\n|---|---|---|--:|--:|--:|--:|\n"


def markdown(report: Report, places: Places) -> Iterator[str]:
    """The report in pieces: the totals, a table of the cases, then what is to be read of each that did not pass."""
    head = f"## brute eval: {ending(report)}\n\n{totals(report)}\n"
    for note in notes(report)[:20]:
        head += f"\n- {code(note, 500)}"
    yield head + "\n"
    # The names alone, for the order: transcripts are read one case at a time.
    order = {status: n for n, status in enumerate(_FIRST)}
    report = Report(tuple(a for result in sorted(report.cases, key=lambda r: order[r.status]) for a in result.attempts))
    told = [(_row(result), _details(result, places)) for result in hidden(report)]
    if told:
        yield "\n" + _HEAD + _fitting([row for row, _ in told], _TABLE, "| | ... and {} | | | | | |\n", "more case")
    wrong = [details for _, details in told if details]
    if wrong:
        yield "\n" + _fitting(wrong, ROOM - _TABLE - 8_000, "... and {}\n", "more case")


def _fitting(pieces: Iterable[str], room: int, rest: str, noun: str) -> str:
    """As many of the pieces as there is room for, and how many there are besides."""
    pieces, told = list(pieces), []
    for piece in pieces:
        room -= len(piece.encode())
        if room < 0:
            break
        told.append(piece)
    left = len(pieces) - len(told)
    return "".join(told) + (rest.format(plural(left, noun)) if left else "")


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


def _details(result: CaseResult, places: Places) -> str:
    """What is to be read of a case that did not pass; nothing of one that was only not finished."""
    if result.status not in ("failed", "error"):
        return ""
    those = [attempt for attempt in result.attempts if attempt.status == result.status]
    place = places.get((result.suite, result.case.name))
    where = f"{code(located(place))}\n\n" if place is not None else ""
    more = f"\nand {plural(len(those) - 1, 'more attempt')} like it\n" if len(those) > 1 else ""
    said = f"said: {code(result.case.said)}\n\n" if result.case.said else ""
    return (
        f"<details><summary>{_MARKS[result.status]} <code>{html.escape(inert(_named(result), 200))}</code></summary>\n\n"
        f"{where}{said}{block(_lines(those[0]))}{more}\n</details>\n\n"
    )


def _lines(attempt: Attempt) -> str:
    told = "\n".join(text_of(line) for line in ended(attempt))
    return told[:8000] + (f"\n... {plural(len(told) - 8000, 'more character')}" if len(told) > 8000 else "")


def code(text: str, size: int = 300) -> str:
    """The text as a code span, which no text can get out of."""
    shown = inert(text, size).strip()
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
