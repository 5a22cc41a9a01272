"""What a terminal says about an attempt: pure functions from values to lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..attempt import Attempt
from ..transcript import Transcript
from ..verdict import Failure
from ..wording import beyond, both, plural, value
from .inert import inert, paragraph, phrase
from .sums import Sum, as_seconds, dollars, judge

Line = tuple[tuple[str, str], ...]
"""A line as pairs of a text and the style that it has where there are colours."""

STYLES = {"passed": "green", "failed": "bold red", "error": "bold yellow", "cancelled": "magenta"}
INDENT = "    "
NAME = 200
"""How many characters of a name are shown."""


def text_of(line: Line) -> str:
    """The line without its styles."""
    return "".join(text for text, _ in line)


def plain(text: str, style: str = "") -> Line:
    """A line of one style, indented under its attempt."""
    return ((INDENT + text.rstrip(), style),)


def attempt_lines(attempt: Attempt) -> Iterator[Line]:
    """What is said when an attempt ends: little where it passed, where it did not what was wrong and the turn step by step."""
    from .turn import turn_lines  # which is made of lines itself

    transcript = attempt.transcript
    yield heading(attempt)
    if _anything(transcript) or attempt.passed:
        yield plain(f"{tools(transcript)}; {spent(attempt)}")
    if attempt.passed:
        yield from remarks(attempt)
        yield from reply_lines(attempt)
        return
    for failure in attempt.verdict.failures:
        yield from failure_lines(failure)
    yield from turn_lines(attempt) if attempt.status != "cancelled" else ()
    yield from story(transcript)
    yield from remarks(attempt)


def heading(attempt: Attempt) -> Line:
    """The outcome, the case and which of its attempts this is."""
    return (outcome(attempt.status), (title(attempt), "bold"))


def outcome(status: str) -> tuple[str, str]:
    """The status in its column and its colour."""
    return f"{status:<9}  ", STYLES[status]


def title(attempt: Attempt) -> str:
    """The case by name, with its suite where there are several, and the number of the attempt where there are several."""
    name = named(attempt.suite, attempt.case.name)
    return name if attempt.case.runs == 1 else f"{name}, attempt {attempt.number} of {attempt.case.runs}"


def named(suite: str, case: str) -> str:
    """The name of a case, after that of its suite where there is one."""
    return f"{inert(suite, NAME)}: {inert(case, NAME)}" if suite else inert(case, NAME)


def _anything(transcript: Transcript) -> bool:
    """Whether the turn got anywhere: an agent that could not be built spent nothing that is worth a line."""
    return bool(transcript.iterations or transcript.calls or transcript.requests or transcript.messages)


def tools(transcript: Transcript) -> str:
    """The tools that were called, how often, and how the calls ended: `search x2 (stubbed), fetch x2 (1 ran, 1 failed)`."""
    if "calls" in transcript.blind:
        return "tools ?"
    ended: dict[str, Counter[str]] = {}
    for call in transcript.calls:
        ended.setdefault(call.name, Counter())[call.outcome] += 1
    return (
        both((_tool(name, how) for name, how in ended.items()), most=20)
        if ended
        else "tools ?"
        if transcript.hides()
        else "no tools"
    )


def _tool(name: str, how: Counter[str]) -> str:
    count = sum(how.values())
    each = ", ".join(how) if len(how) == 1 else ", ".join(f"{number} {outcome}" for outcome, number in how.items())
    return f"{inert(name, 60)}{f' x{count}' if count > 1 else ''} ({each})"


def spent(attempt: Attempt) -> str:
    """What was spent, against the budget where it has a limit; what is not known is `?`, never 0."""
    transcript, budget = attempt.transcript, attempt.case.budget
    # Nobody saw the end of what was not finished.
    seen = attempt.status != "cancelled"
    iterations = transcript.iterations if seen and "iterations" not in transcript.blind else None
    parts = [f"iterations {_of(iterations, budget.iterations)}"]
    if budget.tool_calls is not None:
        calls = len(transcript.calls) if seen and not transcript.hides() else None
        parts.append(f"tool calls {_of(calls, budget.tool_calls)}")
    parts.append(f"tokens {_of(transcript.tokens if seen else None, budget.tokens)}")
    parts.append(f"seconds {_seconds_of(as_seconds(transcript.seconds), budget.seconds)}")
    return ", ".join(parts)


def spent_in_all(attempt: Attempt) -> str:
    """The same with the cost, and what was spent beside the turn: by tries before it, and by a judge."""
    cost = attempt.transcript.cost if attempt.status != "cancelled" else None
    parts = [f"{spent(attempt)}, cost {dollars(cost)}"]
    if attempt.earlier is not None:
        tokens, priced = attempt.earlier.total or 0, attempt.earlier.cost or 0.0
        known = Sum(tokens, 1).said("{:,}".format), Sum(priced, 1).said(dollars)
        parts.append(f"tries before: tokens {known[0]}, cost {known[1]}")
    if attempt.judged is not None and attempt.judged.calls:
        parts.append(judge(attempt.judged))
    return "; ".join(parts)


def _of(used: int | None, limit: int | None) -> str:
    return f"{'?' if used is None else used}{'' if limit is None else f'/{limit}'}"


def _seconds_of(used: float | None, limit: float | None) -> str:
    if used is None or limit is None:
        return ("?" if used is None else seconds(used)) + ("" if limit is None else f"/{limit:g}")
    return f"{beyond(float(used), limit) if used > limit else seconds(used)}/{limit:g}"


def seconds(spent: float) -> str:
    """A duration in seconds, as exact as one wants to read it."""
    return f"{spent:.1f}" if spent >= 0.1 or spent == 0 else f"{spent:.3f}"


def failure_lines(failure: Failure) -> Iterator[Line]:
    """One thing that is wrong: its sentence, then its detail."""
    first, *rest = [*paragraph(str(failure.message), width=2000)] or [failure.kind]
    yield plain(f"- {first}", "yellow" if failure.kind.startswith("error.") else "red")
    for line in rest:
        yield plain(f"  | {line}")
    for line in paragraph(str(failure.detail)) if failure.detail else ():
        yield plain(f"  | {line}", "dim")


def story(transcript: Transcript) -> Iterator[Line]:
    """What else helps to see why: tries of model calls that failed, what was sent outward."""
    for number, request in enumerate(transcript.requests, 1):
        for tried in request.retries:
            yield plain(f"retry: model call {number} failed before: {inert(tried)}", "dim")
    if transcript.published:
        yield plain(
            f"published {plural(len(transcript.published), 'thing')}: {inert(both(map(value, transcript.published)))}",
            "dim",
        )


def remarks(attempt: Attempt) -> Iterator[Line]:
    """The notes on an attempt, and, where it passed, that model calls were tried again (elsewhere `story` tells)."""
    retries = sum(len(request.retries) for request in attempt.transcript.requests)
    if retries and attempt.passed:
        yield plain(f"note: model calls were tried again {plural(retries, 'time')}", "dim")
    for note in attempt.transcript.notes:
        yield plain(f"note: {inert(note)}", "dim")


def reply_lines(attempt: Attempt) -> Iterator[Line]:
    """The beginning of the reply."""
    reply = attempt.transcript.reply
    if reply and not reply.isspace():
        yield plain(f"| {phrase(reply)}")
