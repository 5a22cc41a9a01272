"""The calls that a case wants where it says more than which: how many, how they ended, by names that mean several tools, or no others.

Each wish has as many places as it wants and allows calls, and each call stands in one place at the most. There are two questions, and
they can be answered apart: whether every place that must be filled can be, and whether every call that must stand somewhere can. Where
both can, one pairing does both (Mendelsohn and Dulmage).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import callwording, countwording, wording
from .callwishes import Wanted, WithDefaults
from .case import Case
from .globs import is_glob, suits
from .matching import Wish, heard, matches_arguments, paired
from .nearness import differences, filled, marked, nearest
from .outcomes import asked, ended, reached
from .transcript import Call, Transcript
from .verdict import Failure
from .wishes import Only


def is_plain(wanted: Mapping[str, Any]) -> bool:
    """Whether each tool is named by itself, with dicts of arguments and no more."""
    if isinstance(wanted, Only):
        return False
    for tool, arguments in wanted.items():
        if is_glob(tool):
            return False
        for one in arguments if isinstance(arguments, (list, tuple)) else (arguments,):
            if type(one) is not dict and isinstance(one, (Wanted, Wish)):
                return False
    return True


@dataclasses.dataclass(slots=True)
class Demand:
    """One wish for calls, with the calls that suit it: their places in the transcript."""

    tool: str
    wanted: Wanted
    room: int | None
    fits: list[int] = dataclasses.field(default_factory=list)
    missed: int = 0
    untold: list[tuple[int, BaseException | None]] = dataclasses.field(default_factory=list)
    """The calls of which it can't be told whether they suit: their places, and what a predicate raised (None: it can't be read)."""

    @property
    def bounded(self) -> bool:
        """Whether there may be too many."""
        return self.wanted.at_most is not None


def demands(case: Case) -> list[Demand]:
    """What the case wants. A wish without a number wants one call, and has room for one."""
    made = []
    for tool in case.calls:
        for one in case.wanted(tool):
            if isinstance(one, Wanted):
                made.append(Demand(tool, one, one.at_most))
            else:
                made.append(Demand(tool, Wanted(one), 1))
    return made


def calls(case: Case, transcript: Transcript) -> Iterator[Failure]:
    """What is wanted and missing, then what is there and not wanted."""
    wanted = demands(case)
    unseen = _fit(wanted, transcript)
    if unseen:
        yield Failure("error.blind", wording.blind(f"the defaults of {unseen}"))
        return
    yield from _untold(wanted, transcript)
    _miss(wanted)
    spare = [*_excess(case, wanted, transcript)]
    if transcript.error is None:
        for demand in wanted:
            if demand.missed and transcript.hides(demand.tool):
                yield Failure("error.blind", wording.blind(f"whether {demand.tool} was called"))
            elif demand.missed:
                yield _too_few(demand, spare, transcript)
    yield from _too_many(wanted, spare, transcript)
    limited = [demand.tool for demand in wanted if demand.bounded]
    if isinstance(case.calls, Only):
        limited += case.calls.among or ["*"]
    if transcript.error is None and not spare and any(map(transcript.hides, limited)):
        yield Failure("error.blind", wording.blind("whether there were other calls"))


def _fit(wanted: list[Demand], transcript: Transcript) -> str:
    """Find the calls that suit each wish; answers a tool whose defaults are wanted and were not seen."""
    for demand in wanted:
        wish = demand.wanted.wish
        for at, call in enumerate(transcript.calls):
            if not suits(demand.tool, call.name):
                continue
            if not ended(call, demand.wanted.outcome, transcript.tools):
                continue
            known = transcript.defaults.get(call.name)
            if known is None and _asks_defaults(wish) and reached(call, transcript.tools):
                return call.name
            with heard() as raised:
                fits = matches_arguments(wish, call.arguments, known)
            if fits:
                demand.fits.append(at)
            elif raised or call.arguments is None:
                demand.untold.append((at, raised[0] if raised else None))
    return ""


def _untold(wanted: list[Demand], transcript: Transcript) -> Iterator[Failure]:
    """The calls by which there may be too many, and nobody can tell."""
    for demand in wanted:
        most = demand.wanted.at_most
        # Where there are too many already, that is what is wrong.
        if most is not None and len(demand.fits) <= most < len(demand.fits) + len(demand.untold):
            at, error = demand.untold[0]
            sentence = countwording.untold(demand.tool, at + 1, len(transcript.calls), error)
            kind = "error.blind" if error is None else "error.check"
            yield Failure(kind, sentence, {demand.tool: repr(demand.wanted)}, asked(transcript.calls[at]))


def _asks_defaults(wish: Any) -> bool:
    return isinstance(wish, WithDefaults)


def _miss(wanted: list[Demand]) -> None:
    """Note how many of its calls each wish goes without, in the best pairing."""
    places = [demand for demand in wanted for _ in range(demand.wanted.at_least)]
    for demand, call in zip(places, paired([demand.fits for demand in places]), strict=True):
        demand.missed += call is None


def _excess(case: Case, wanted: list[Demand], transcript: Transcript) -> Iterator[int]:
    """The calls that must stand somewhere and can't."""
    among = (case.calls.among or ("*",)) if isinstance(case.calls, Only) else ()
    held = {at for demand in wanted if demand.bounded for at in demand.fits}
    held |= {at for at, call in enumerate(transcript.calls) if any(suits(name, call.name) for name in among)}
    held -= {at for demand in wanted if demand.room is None for at in demand.fits}
    places = [demand for demand in wanted for _ in range(min(demand.room or 0, len(demand.fits)))]
    sets = [set(demand.fits) for demand in wanted]
    index = {id(demand): number for number, demand in enumerate(wanted)}
    each = sorted(held)
    rooms = [[place for place, demand in enumerate(places) if at in sets[index[id(demand)]]] for at in each]
    yield from (at for at, place in zip(each, paired(rooms), strict=True) if place is None)


def _too_few(demand: Demand, spare: list[int], transcript: Transcript) -> Failure:
    tool, wanted, tools = demand.tool, demand.wanted, transcript.tools
    made = [call for call in transcript.calls if suits(tool, call.name)]
    there = [call for call in made if ended(call, wanted.outcome, tools)]
    expected = {tool: repr(wanted)}
    actual = [asked(call) for call in made] or transcript.names
    if made and not there and wanted.outcome is None:
        return Failure("call.missing", callwording.call_denied(tool, len(made), tools), expected, actual)
    if not made and wanted.at_least == 1 and wanted.outcome is None:
        return Failure("call.missing", callwording.call_missing(tool, transcript.names, tools), expected, actual)
    near = _nearest(demand, there, spare, transcript)
    if wanted.at_least == 1 and wanted.outcome is None and not demand.fits:
        defaults = transcript.defaults.get(there[0].name)
        seen = [
            filled(wanted.wish, call.arguments, defaults) if call.arguments is not None else asked(call)
            for call in there
        ]
        refused = any(matches_arguments(wanted.wish, call.arguments) for call in made if call not in there)
        return Failure(
            "call.arguments", callwording.call_wrong(tool, wanted.wish, seen, refused, near), expected, actual
        )
    sentence = countwording.too_few(tool, wanted, len(demand.fits), len(made), demand.missed, near, transcript)
    return Failure("call.missing" if demand.fits or not there else "call.arguments", sentence, expected, actual)


def _nearest(demand: Demand, there: list[Call], spare: list[int], transcript: Transcript) -> str:
    """The nearest call that no other wish has, marked. Being the nearest, it is no call too many besides."""
    wish, fits = demand.wanted.wish, set(demand.fits)
    left = [at for at, call in enumerate(transcript.calls) if any(call is each for each in there) and at not in fits]
    left = [at for at in left if at in spare] or left
    defaults = transcript.defaults.get(transcript.calls[left[0]].name) if left else None
    place = nearest(wish, [transcript.calls[at].arguments for at in left], defaults)
    if place is None or not wish:
        return ""
    at = left[place]
    if at in spare:
        spare.remove(at)
    if not differences(wish, transcript.calls[at].arguments, defaults):
        return ""
    number = f"call {at + 1:,}: " if len(transcript.calls) > 1 else ""
    return number + marked(wish, transcript.calls[at].arguments or {}, defaults)


def _too_many(wanted: list[Demand], spare: Sequence[int], transcript: Transcript) -> Iterator[Failure]:
    told = set[int]()
    for demand in wanted:
        over = [at for at in spare if at in demand.fits] if demand.bounded else []
        if over and told.isdisjoint(over):
            told.update(over)
            sentence = countwording.too_many(demand.tool, demand.wanted, demand.fits, transcript)
            actual = [asked(transcript.calls[at]) for at in demand.fits]
            yield Failure("call.unwanted", sentence, {demand.tool: repr(demand.wanted)}, actual)
    for at in spare:
        if at not in told:
            call = transcript.calls[at]
            sentence = countwording.besides(call.name, at + 1, len(transcript.calls), asked(call), call.outcome)
            yield Failure("call.unwanted", sentence, "no other call", asked(call))
