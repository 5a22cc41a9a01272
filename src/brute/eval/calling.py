"""The rows of the table that are about calls: those that are wanted, and those that are forbidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import nearest as nearest_name
from . import callwording, counting, wording
from .case import Case
from .globs import is_glob, is_known, suits
from .matching import matches_arguments, pair
from .nearness import marked, nearest
from .outcomes import asked, reached
from .transcript import Call, Transcript
from .verdict import Failure


def calls(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """Each named tool was called with matching arguments; a list wants as many different calls, by best pairing.

    A call that was denied, or whose tool does not exist, never got there, and so meets no wish that does not say otherwise.
    """
    if not counting.is_plain(case.calls):
        yield from counting.calls(case, transcript)
        return
    if transcript.error is not None:
        return  # a later step could have called it
    for tool in case.calls:
        made = [call for call in transcript.calls if call.name == tool]
        found = _unmet(tool, case.wanted(tool), made, transcript)
        if found and transcript.hides(tool):
            yield Failure("error.blind", wording.blind(f"whether {tool} was called"))
        else:
            yield from found


def _unmet(tool: str, wanted: Sequence[Mapping[str, Any]], made: list[Call], transcript: Transcript) -> list[Failure]:
    there = [call for call in made if reached(call, transcript.tools)]
    if not there:
        expected = {tool: [wording.wishes(one) for one in wanted]}
        sentence = callwording.call_missing(tool, transcript.names, transcript.tools)
        if made:
            sentence = callwording.call_denied(tool, len(made), transcript.tools)
        return [Failure("call.missing", sentence, expected, [asked(call) for call in made] or transcript.names)]
    pairs = pair(wanted, [call.arguments for call in there])
    if None not in pairs:
        return []
    denied = [call for call in made if call not in there]
    left = [call for at, call in enumerate(there) if at not in pairs]
    return [
        _unpaired(tool, one, len(wanted), there, denied, left)
        for one, call in zip(wanted, pairs, strict=True)
        if call is None
    ]


def _unpaired(
    tool: str, one: Mapping[str, Any], wanted: int, there: list[Call], denied: list[Call], left: list[Call]
) -> Failure:
    expected, made = {tool: wording.wishes(one)}, [asked(call) for call in there]
    if any(matches_arguments(one, call.arguments) for call in there):
        return Failure("call.missing", callwording.calls_too_few(tool, wanted, one, made), expected, made)
    refused = any(matches_arguments(one, call.arguments) for call in denied)
    sentence = callwording.call_wrong(tool, one, made, refused, nearest_of(one, left, there))
    return Failure("call.arguments", sentence, expected, made)


def nearest_of(one: Mapping[str, Any], left: list[Call], there: list[Call]) -> str:
    """The nearest of the calls that no other wish has, marked; an empty text where the sentence shows all there is to it."""
    at = nearest(one, [call.arguments for call in left])
    if at is None or len(one) < 2:
        return ""
    number = f"call {next(n for n, call in enumerate(there, 1) if call is left[at])}: " if len(there) > 1 else ""
    return number + marked(one, left[at].arguments or {})


def never(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """None of these tools was called; a denied or failed call counts as called."""
    known = transcript.tools
    for tool in dict.fromkeys(case.never):
        number, call = _first(tool, transcript)
        if call is not None:
            sentence = callwording.call_forbidden(
                call.name, number, len(transcript.calls), asked(call), call.outcome, tool
            )
            yield Failure("call.forbidden", sentence, expected=f"no call to {tool}", actual=asked(call))
        elif transcript.hides(tool):
            yield Failure("error.blind", wording.blind(f"whether {tool} was called"))
        elif known is not None and not is_known(tool, known) and nearest_name(tool.rstrip("*"), known):
            yield Failure("error.tool", callwording.never_unknown(tool, known), expected=known, actual=tool)


def _first(tool: str, transcript: Transcript) -> tuple[int, Call | None]:
    """The first call to the tool, with its number."""
    if is_glob(tool):
        return next(((n, call) for n, call in enumerate(transcript.calls, 1) if suits(tool, call.name)), (0, None))
    return next(((n, call) for n, call in enumerate(transcript.calls, 1) if call.name == tool), (0, None))
