"""What is said of recordings: the misses, the files, and what can't be recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import wording
from ..showing import plural, quote, value, visible
from .comparing import MISSING
from .sides import Sides, told

AROUND = 24
"""How many characters before a difference in a long text are shown."""


def never_recorded(tool: str, recorded: Sequence[str]) -> str:
    """A call to a tool that was never called when it was recorded."""
    return f"no recording of {visible(tool)}; recorded were {wording.listed(recorded, none='no tools')}"


def unlike(tool: str, arguments: Any, nearest: Any, where: str, recorded: Any, now: Any) -> str:
    """A call with arguments that were not recorded."""
    return (
        f"no recording of {visible(tool)} with {value(arguments)}; the nearest has {value(nearest)}, "
        f"and differs at {visible(where) or 'the arguments'}: {_sides(recorded, now)}"
    )


def spent(what: str, times: int) -> str:
    """What was asked more often than it was recorded."""
    return f"{what} was asked once more than it was recorded ({plural(times, 'time')})"


def call_again(tool: str, arguments: Any) -> str:
    """A call, as the subject of `spent`."""
    return f"{visible(tool)} with {value(arguments)}"


def request_unlike(number: int, of: int, where: str, recorded: Any, now: Any) -> str:
    """A request to the model that was not recorded."""
    return (
        f"the request to the model was not recorded: it differs from the nearest one ({number} of {of}) "
        f"at {visible(where) or 'the request'}: {_sides(recorded, now)}"
    )


def nothing_asked(where: str) -> str:
    """A request to a model where the recording has none at all."""
    return f"the request to the model was not recorded: the recording has none at all (now {visible(where)})"


def _sides(recorded: Any, now: Any) -> str:
    if isinstance(recorded, str) and isinstance(now, str):
        pairs = enumerate(zip(recorded, now, strict=False))
        start = max(0, next((n for n, (a, b) in pairs if a != b), min(len(recorded), len(now))) - AROUND)
        recorded, now = recorded[start:], now[start:]
        before = "..." if start else ""
        return f"recorded {before}{quote(recorded)}, now {before}{quote(now)}"
    return f"recorded {_side(recorded)}, now {_side(now)}"


def _side(thing: Any) -> str:
    return "nothing" if thing is MISSING else value(thing)


def beside_the_recording(where: str) -> str:
    """Something reached for the network where all is frozen."""
    return f"something reached for {visible(where)}, and nothing may leave to the network in a replay; it was not sent"


def in_process() -> str:
    """A model answered without anything that was recorded."""
    return (
        "a model call was answered by nothing that is in the recording: its model runs inside this process, "
        "or is asked over a wire that can't be recorded"
    )


def no_cassette(path: str) -> str:
    """There is no recording of an attempt."""
    return f"there is no recording of this attempt at {visible(path)}; make one with --record"


def no_side(path: str, sides: Sides, wanted: Sides) -> str:
    """A recording that lacks what is to be replayed."""
    return f"the recording {visible(path)} has only the {told(sides)}, not the {told(wanted - sides)}; record both with --record"


def damaged(path: str, why: str) -> str:
    """A recording that can't be read."""
    return f"the recording {visible(path)} can't be read: {visible(why)}; make it again with --record"


def odd_entry(why: str) -> str:
    """An entry that is none, though the rest of the recording can be read."""
    return f"an answer in the recording of this attempt can't be read ({visible(why)}); make it again with --record"


def another_schema(path: str, schema: Any, known: int) -> str:
    """A recording of another version."""
    return (
        f"the recording {visible(path)} is of schema {value(schema)}, and this version of brute reads schema {known}; "
        "make it again with --record"
    )


def another_case(path: str, case: str) -> str:
    """A file that holds another case's recording."""
    return f"the recording {visible(path)} is that of case {quote(case)}; make it again with --record"


def written(path: str) -> str:
    """Where the attempt was recorded."""
    return f"recorded in {path}"


def not_recorded(why: str) -> str:
    """Why the attempt was not."""
    return f"not recorded: {why}"


def judge_not_recorded(why: str) -> str:
    """Why the judge of the attempt was not."""
    return f"the judge was not recorded: {why}"


def no_judge(path: str) -> str:
    """A recording without the judge that is asked about."""
    return f"the recording {visible(path)} has no answers of a judge; make it again with --record"


def replayed(sides: Sides, day: str, opened: Sequence[str]) -> str:
    """That an attempt was answered from its recording."""
    live = "" if len(sides) == 2 else f", the {'tools' if 'model' in sides else 'model'} live"
    ran = f"; {wording.listed(opened)} ran, for an agent works in it" if opened else ""
    return f"replayed from the recording of {day}: {told(sides)}{live}{ran}"


def unwritten(path: str, why: str) -> str:
    """A recording that was made, and could not be written."""
    return f"the recording could not be written to {visible(path)}: {visible(why)}; the one that was there is as it was"


def steered(tool: str) -> str:
    """A call that can't be answered from a recording: it did more than answer."""
    return f"{visible(tool)} can't be frozen: when it was recorded it also changed the state of its session, which no answer does"
