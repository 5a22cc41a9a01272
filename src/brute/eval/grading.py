"""The judgement: what is wrong with an attempt, from its case and its transcript alone.

One function a row of the table of expectations, in the table's order, listed in `EXPECTATIONS`. They are pure: same
case and transcript, same verdict. A row that could not be seen is an error and never a pass.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import nearest
from . import wording
from .absence import says_nothing_found
from .case import Case
from .matching import matches_arguments, pair
from .transcript import Call, Transcript
from .verdict import Failure, Verdict
from .words import says

Row = Callable[[Case, Transcript], Iterator[Failure]]


def grade(case: Case, transcript: Transcript) -> Verdict:
    """The verdict on one attempt.

    A turn that did not end by itself is graded for what no later step could mend; the root cause comes first and hides
    its shadows. The check has been run before: its sentences are in `transcript.failures`.
    """
    found = list(_root(transcript))
    for name, row in EXPECTATIONS.items():
        found += row(case, transcript) if _applies(name, transcript) else ()
    return Verdict(tuple(found))


def _root(transcript: Transcript) -> Iterator[Failure]:
    # A spent budget stops the turn, but is a row of the table, and stands in its place there.
    if transcript.error is not None:
        yield transcript.error


def _applies(row: str, transcript: Transcript) -> bool:
    if transcript.error is not None:
        return row in ("never", "order", "budget")
    if overrun(transcript):
        return row in ("calls", "never", "order", "budget")
    return True


def overrun(transcript: Transcript) -> bool:
    """Whether the harness stopped the turn because its budget was spent."""
    return transcript.stopped is not None and transcript.stopped.startswith("budget.")


def calls(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """Each named tool was called with matching arguments; a list wants as many different calls, by best pairing."""
    for tool in case.calls:
        if "calls" in transcript.blind:
            yield Failure("error.blind", wording.blind(f"whether {tool} was called"))
            continue
        made = [call for call in transcript.calls if call.name == tool]
        wanted = case.wanted(tool)
        if not made:
            sentence = wording.call_missing(tool, transcript.names, transcript.tools)
            yield Failure("call.missing", sentence, expected={tool: wording.wishes(wanted[0])}, actual=transcript.names)
            continue
        yield from _unpaired(tool, wanted, made)


def _unpaired(tool: str, wanted: Sequence[Mapping[str, Any]], made: list[Call]) -> Iterator[Failure]:
    arguments = [call.arguments for call in made]
    malformed = [call.malformed for call in made if call.malformed is not None]
    for one, index in zip(wanted, pair(wanted, arguments), strict=True):
        if index is not None:
            continue
        expected = {tool: wording.wishes(one)}
        if any(matches_arguments(one, each) for each in arguments):
            sentence = wording.calls_too_few(tool, wanted, one, arguments)
            yield Failure("call.missing", sentence, expected=expected, actual=arguments)
        elif not one:
            sentence = wording.calls_too_few(tool, wanted, one, arguments)
            yield Failure("call.missing", sentence, expected=expected, actual=arguments)
        else:
            sentence = wording.call_wrong(tool, one, arguments, malformed)
            yield Failure("call.arguments", sentence, expected=expected, actual=arguments)


def never(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """None of these tools was called; a denied or failed call counts as called."""
    for tool in dict.fromkeys(case.never):
        if "calls" in transcript.blind:
            yield Failure("error.blind", wording.blind(f"whether {tool} was called"))
        numbers = [number for number, call in enumerate(transcript.calls, 1) if call.name == tool]
        for number in numbers[:1]:
            call = transcript.calls[number - 1]
            arguments = call.arguments if call.malformed is None else call.malformed
            sentence = wording.call_forbidden(tool, number, len(transcript.calls), arguments, call.outcome)
            yield Failure("call.forbidden", sentence, expected=f"no call to {tool}", actual=arguments)
        known = transcript.tools
        if not numbers and known is not None and tool not in known and nearest(tool, known):
            yield Failure("error.tool", wording.never_unknown(tool, known), expected=known, actual=tool)


def order(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The calls to the listed tools are exactly this list; repeats in a row count once unless the list has some."""
    if case.order is None:
        return
    if "calls" in transcript.blind or "order" in transcript.blind:
        yield Failure("error.blind", wording.blind("the order of the calls"))
        return
    wanted, got = list(case.order), ordered(case.order, transcript.names)
    if got == wanted or (transcript.error is not None and got == wanted[: len(got)]):
        return
    yield Failure("order", wording.order_wrong(wanted, got, transcript.tools), expected=wanted, actual=got)


def ordered(wanted: Sequence[str], names: Sequence[str]) -> list[str]:
    """The calls to the listed tools, as the order is compared with them.

    >>> ordered(["read", "write"], ["read", "read", "list", "write"])
    ['read', 'write']
    """
    got = [name for name in names if name in wanted]
    repeats = any(one == other for one, other in itertools.pairwise(wanted))
    return got if repeats else [name for name, _ in itertools.groupby(got)]


def mentions(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """Every word is in the reply; a turn that is to answer, and gave no reply, said nothing."""
    reply = transcript.reply
    if not reply.strip() and not case.silent and not case.absent:
        sentence = wording.said_nothing(_ending(transcript), transcript.iterations, transcript.stopped)
        yield Failure("reply.missing", sentence, expected="a reply", actual=reply)
        return
    for word in case.mentions:
        if not says(reply, word):
            yield Failure("mentions", wording.not_said(word, reply), expected=word, actual=reply)


def _ending(transcript: Transcript) -> str:
    if not transcript.messages:
        return "without a message"
    last = transcript.messages[-1]
    if last.role == "assistant":
        return "on a request for " + wording.listed([call.name for call in last.tool_calls]) if last.tool_calls else "on a blank reply"
    return {"tool": "on a tool result", "user": "on what the user said", "system": "on the system prompt"}[last.role]


def silent(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The turn answered nothing: a blank reply, nothing published, and not because it was cut off."""
    if not case.silent:
        return
    if transcript.reply.strip():
        yield Failure("reply.unwanted", wording.not_silent(transcript.reply), expected="no reply", actual=transcript.reply)
    if transcript.published:
        sentence = wording.published(transcript.published)
        yield Failure("reply.unwanted", sentence, expected="nothing published", actual=transcript.published)
    if transcript.stopped and not transcript.reply.strip():
        sentence = wording.cut_silent(transcript.stopped, transcript.iterations)
        yield Failure("reply.missing", sentence, expected="silence by choice", actual=transcript.stopped)


def absent(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The reply says that there is nothing."""
    if case.absent and not says_nothing_found(transcript.reply, case.absence):  # type: ignore[arg-type]
        yield Failure("absent", wording.not_absent(transcript.reply), expected="a word of absence", actual=transcript.reply)


def budget(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """The turn stayed inside the budget, by what was really spent; what could not be seen is no pass."""
    allowed = case.budget
    for field, spent in _SPENT.items():
        limit = getattr(allowed, field)
        if limit is None:
            continue
        used = spent(transcript)
        if field == "tokens" and used is None:
            yield from _unknown_tokens(transcript, limit)
        elif used is None:
            yield Failure("error.blind", wording.blind(f"{field.replace('_', ' ')} spent"))
        elif used > limit:
            sentence = wording.overspent(used, limit, field.replace("_", " "))
            yield Failure(f"budget.{field}", sentence, expected=limit, actual=used)


_SPENT: dict[str, Callable[[Transcript], float | None]] = {
    "iterations": lambda transcript: None if "iterations" in transcript.blind else transcript.iterations,
    "tool_calls": lambda transcript: None if "calls" in transcript.blind else len(transcript.calls),
    "tokens": lambda transcript: transcript.tokens,
    "seconds": lambda transcript: transcript.seconds,
}


def _unknown_tokens(transcript: Transcript, limit: int) -> Iterator[Failure]:
    """What is known may be over the budget already; otherwise nobody can tell."""
    known = known_tokens(transcript)
    if known > limit:
        yield Failure("budget.tokens", wording.overspent(known, limit, "tokens"), expected=limit, actual=known)
    elif transcript.error is None:
        silent = sum(request.usage is None or request.usage.total is None for request in transcript.requests)
        yield Failure("error.blind", wording.unknown_tokens(silent, len(transcript.requests)), expected=limit)


def known_tokens(transcript: Transcript) -> int:
    """The tokens that were reported: a floor of what was spent."""
    usages = [request.usage for request in transcript.requests if request.usage is not None]
    return sum((usage.input or 0) + (usage.output or 0) for usage in usages)


def check(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """What the case's own check said."""
    for said in transcript.failures:
        yield said if isinstance(said, Failure) else Failure("check", str(said))


EXPECTATIONS: dict[str, Row] = {
    "calls": calls,
    "never": never,
    "order": order,
    "mentions": mentions,
    "silent": silent,
    "absent": absent,
    "budget": budget,
    "check": check,
}
"""One function a row of the table of expectations, in the table's order."""
