"""The report as JUnit XML, for the servers that read it: a testsuite for each suite, a testcase for each case, its attempts inside.

It keeps to what the schema of Jenkins (junit-10) allows, which GitLab reads too: a testcase has one failure or error and no properties of
its own, so what a case spent stands in its output, and the sums in the properties of its suite.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from ..arguments import Place
from ..attempt import Attempt
from ..report import CaseResult, Report
from ..wording import both, plural
from .headline import first_line, headline
from .hidden import notes, placed
from .inert import inert, paragraph
from .lines import spent_in_all, text_of
from .placing import Places, located
from .sums import Sums, dollars
from .telling import ended

TOLD = 50
"""How many attempts of a case are told: those that did not pass before those that did."""
ROOM = 200_000
"""How many characters of a case are told. Readers of XML take no text of over 10 MB, and GitLab no file of over 30 MB."""

# Both servers take this for the order to publish a file of the workspace.
_ATTACHMENT = re.compile(r"\[\[(?=\s*ATTACHMENT)", re.I)
# What XML 1.0 has no way to write. Nothing of it is left where text was made inert: this is the second lock.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report, places: Places) -> Iterator[str]:
    """The report as a document in pieces, a case each."""
    sums = Sums.of(report.cases)
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<testsuites name="brute" time="{report.seconds:.3f}" {_counts(sums)}>\n'
    suite: str | None = None
    for result, place, of in _with_sums(report, places):
        if result.suite != suite:
            yield from _begun(result, of, place, notes(report) if suite is None else [], first=suite is None)
            suite, names = result.suite, Counter[str]()
        yield from _case(result, place, names)
    yield f"{'' if suite is None else '</testsuite>'}\n</testsuites>\n"


def _with_sums(report: Report, places: Places) -> Iterator[tuple[CaseResult, Place | None, Sums]]:
    """The cases, suite by suite, each with the sums of its suite."""
    by_suite: dict[str, list[CaseResult]] = {}
    for result in report.cases:
        by_suite.setdefault(result.suite, []).append(result)
    for results in by_suite.values():
        sums = Sums.of(results)
        attempts = tuple(attempt for result in results for attempt in result.attempts)
        for result, place in placed(Report(attempts), places):
            yield result, place, sums


def _begun(result: CaseResult, sums: Sums, place: Place | None, notes: list[str], first: bool) -> Iterator[str]:
    file = f" file={_attribute(inert(place.path, 500))}" if place is not None else ""
    name = result.suite or _class(result, place)
    if not first:
        yield "</testsuite>\n"
    yield f'<testsuite name={_attribute(inert(name, 1000))} {_counts(sums)} skipped="0" time="{sums.seconds.known:.3f}"{file}>\n'
    yield "<properties>\n"
    for key, value in (*_properties(sums), *(("note", inert(note, 1000)) for note in notes)):
        yield f"<property name={_attribute(key)} value={_attribute(value)}/>\n"
    yield "</properties>\n"


def _properties(sums: Sums) -> Iterator[tuple[str, str]]:
    yield "attempts", str(sums.attempts)
    yield "tokens", sums.tokens.said(str)
    yield "cost", sums.cost.said(dollars)
    if sums.pass_k is not None:
        yield f"pass^{sums.pass_k.k}", f"{sums.pass_k.share:.4f}"


def _counts(sums: Sums) -> str:
    # What was not finished can't be counted as skipped: a server that reads nothing else would call such a run green.
    errors = sums.count["error"] + sums.count["cancelled"]
    return f'tests="{sums.cases}" failures="{sums.count["failed"]}" errors="{errors}"'


def _case(result: CaseResult, place: Place | None, names: Counter[str]) -> Iterator[str]:
    seconds = Sums.of([result]).seconds.known
    yield (
        f"<testcase classname={_attribute(_class(result, place))} name={_attribute(_name(result, names))} "
        f'time="{seconds:.3f}">\n'
    )
    if result.status != "passed":
        yield _wrong(result, place)
    yield f"<system-out>{_text(_clipped(_told(result)))}</system-out>\n</testcase>\n"


def _name(result: CaseResult, names: Counter[str]) -> str:
    """The name of the case; what is clipped or masked may be the same twice, and GitLab leaves out the second."""
    name = inert(result.case.name, 500)
    names[name] += 1
    return name if names[name] == 1 else f"{name} ({names[name]})"


def _class(result: CaseResult, place: Place | None) -> str:
    """What the case is filed under: its suite, else its file, as a dotted name, of which Jenkins makes a tree."""
    name = result.suite or (place.path if place is not None else "") or "brute"
    return inert(re.sub(r"[/\\:]+", ".", re.sub(r"\.py(?=$|:)", "", name)).strip(".") or "brute", 500)


def _wrong(result: CaseResult, place: Place | None) -> str:
    those = [attempt for attempt in result.attempts if attempt.status == result.status]
    failures = [failure for attempt in those for failure in attempt.verdict.failures]
    tag = "failure" if result.status == "failed" else "error"
    told = headline(result)
    kind, message = (told.kind, first_line(told)) if told is not None else (result.status, result.status)
    head = [located(place)] if place is not None else []
    if result.case.runs > 1:
        numbers = both((str(each.number) for each in those), most=20)
        head.append(f"{plural(len(those), 'attempt')} of {result.case.runs}: {numbers}")
    lines = (f"- {line}" if n == 0 else f"  {line}" for each in failures for n, line in enumerate(_lines(each.message)))
    return (
        f"<{tag} type={_attribute(inert(kind, 100))} message={_attribute(message)}>"
        f"{_text(_clipped((*head, *lines)))}</{tag}>\n"
    )


def _lines(message: str) -> Iterator[str]:
    return paragraph(message, width=2000)


def _told(result: CaseResult) -> Iterator[str]:
    """The attempts, in their order, as the plain report tells them."""
    attempts = sorted(sorted(result.attempts, key=_passed)[:TOLD], key=lambda attempt: attempt.number)
    for attempt in attempts:
        yield from map(text_of, ended(attempt))
        yield f"    spent: {spent_in_all(attempt)}"
    if len(result.attempts) > len(attempts):
        yield f"and {plural(len(result.attempts) - len(attempts), 'more attempt')}"


def _passed(attempt: Attempt) -> bool:
    return attempt.passed


def _clipped(lines: Iterable[str]) -> str:
    told, room = [], ROOM
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            told.append("... the rest is left out")
            break
        told.append(line)
    return "\n".join(told)


def _text(text: str) -> str:
    return escape(_legal(text))


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _legal(text: str) -> str:
    return _ILLEGAL.sub(lambda found: f"\\u{ord(found[0]):04x}", _ATTACHMENT.sub(r"[\\u005b", text))
