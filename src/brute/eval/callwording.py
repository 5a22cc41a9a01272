"""Every sentence about the calls of an attempt, top to bottom; the formula is that of `wording.py`."""

from __future__ import annotations

import itertools
import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import did_you_mean
from .globs import is_glob, is_known
from .matching import Wish, matches
from .nearness import is_needed, named_of
from .showing import both, listed, quote, times, value, visible, wishes

Arguments = Mapping[str, Any] | str | None
"""The arguments of a call as they were made; a text where they were malformed."""


def call_missing(tool: str, names: Sequence[str], tools: Sequence[str] | None) -> str:
    """A wanted tool was never called."""
    return f"never called {visible(tool)}{no_tool(tool, tools)}; called {listed(names, none='no tools')}"


def call_denied(tool: str, count: int, tools: Sequence[str] | None) -> str:
    """A wanted tool was asked for, but no call got as far as the tool or its stub."""
    if no_tool(tool, tools):
        return f"called {visible(tool)}{no_tool(tool, tools)}"
    return f"called {visible(tool)} {times(count)}, denied{' each time' if count > 1 else ''}"


def call_wrong(tool: str, wanted: Any, made: Sequence[Arguments], denied: bool = False, nearest: str = "") -> str:
    """A wanted tool was called, but never with matching arguments; `denied`: but for a call that was denied."""
    known = [each or {} for each in made if not isinstance(each, str)]
    called, often, named = f"called {visible(tool)}", times(len(made)), named_of(wanted)
    rest = f"; the nearest was {nearest}" if nearest else ""
    but = f"; a call with {wishes(wanted)} was denied" if denied else ""
    if not known:
        return f"{called} {often} with malformed arguments: {_arguments(made)}{but}"
    absent = [name for name in named if is_needed(wanted, name) and not any(name in each for each in known)]
    if absent:
        others = [key for each in known for key in itertools.islice(each, 100) if key not in named]
        near = _near(absent[0], others) if len(absent) == 1 else ""
        return f"{called} without {' and '.join(map(visible, absent))}; arguments were {_arguments(made)}{near}{but}"
    never = {
        name: named[name]
        for name in named
        if not any(matches(named[name], each[name]) if name in each else not is_needed(wanted, name) for each in known)
    }
    if not never:
        together = " together" if isinstance(wanted, Mapping) and not isinstance(wanted, Wish) else ""
        return f"{called} {often}, never with {wishes(wanted)}{together}{rest or f'; arguments were {_arguments(made)}'}{but}"
    got = "; ".join(
        f"{visible(name)} was {both(value(each[name]) for each in known if name in each)}" for name in never
    )
    return (
        f"{called} {often}, never with {wishes(never)}; {got}{_hint(never, known)}{rest if len(made) > 1 else ''}{but}"
    )


def _near(name: str, others: Sequence[str]) -> str:
    """The hint for an argument that may be meant by another name: a slip, or the same word cut short (q for query)."""
    # A framework, or a script, may hand on names that are no texts.
    texts = [other for other in others if isinstance(other, str)]
    short = next((other for other in texts if name.startswith(other) or other.startswith(name)), None)
    return visible(did_you_mean(name, texts) or (f' (did you mean "{short}"?)' if short else ""))


def calls_too_few(tool: str, wanted: int, left: Mapping[str, Any], made: Sequence[Arguments]) -> str:
    """Several calls to a tool were wanted, and one of them has no call of its own."""
    none = f", and none was left with {wishes(left)}" if left else ""
    return (
        f"wanted {wanted:,} different calls to {visible(tool)}{none}; "
        f"called {visible(tool)} {times(len(made))}, with {_arguments(made)}"
    )


def _arguments(made: Sequence[Arguments], most: int = 5) -> str:
    more = f" and {len(made) - most:,} more" if len(made) > most else ""
    return both(value({} if each is None else each) for each in made[:most]) + more


def call_forbidden(tool: str, number: int, total: int, arguments: Arguments, how: str, by: str = "") -> str:
    """A forbidden tool was called; `by` is the name in the case that forbids it."""
    ended = "" if how in ("ran", "stubbed") else f", {visible(how)}"
    shown = value({} if arguments is None else arguments)
    name = f" by {visible(by)}" if by not in ("", tool) else ""
    return f"called {visible(tool)}, which this case forbids{name} (call {number:,} of {total:,}{ended}: {shown})"


def order_denied(order: Sequence[str], denied: Sequence[str], tools: Sequence[str] | None) -> str:
    """The listed tools were asked for in order, but not every step has a call that got as far as its tool."""
    return f"{_wanted(order)}; {not_there(denied, tools)}"


def not_there(denied: Sequence[str], tools: Sequence[str] | None) -> str:
    """The tools to which no call got, each with the reason."""
    return "; ".join(f"{visible(tool)}{no_tool(tool, tools) or ' was denied'}" for tool in denied)


def _wanted(order: Sequence[str]) -> str:
    # Of one alone there is no order to speak of.
    return f"wanted {listed(order)}{' in that order' if len(order) > 1 else ''}"


def order_wrong(order: Sequence[str], got: Sequence[str], tools: Sequence[str] | None) -> str:
    """The listed tools were called in another order."""
    missing = [tool for tool in dict.fromkeys(order) if tool not in got]
    wanted = _wanted(order)
    if missing and list(got) == [tool for tool in order if tool in got]:
        never = "; ".join(f"{visible(tool)} was never called{no_tool(tool, tools)}" for tool in missing)
        return f"{wanted}; {never}"
    unknown = "".join(
        f"; {visible(tool)} was never called{no_tool(tool, tools)}" for tool in missing if no_tool(tool, tools)
    )
    return f"{wanted}; got {listed(got)}{unknown}"


def no_tool(tool: str, tools: Sequence[str] | None) -> str:
    """The remark that a name in the case is no tool of the agent, with the nearest that is."""
    if tools is None or is_known(tool, tools):
        return ""
    if is_glob(tool):
        return f", which suits no tool of this agent{visible(did_you_mean(tool.rstrip('*'), tools))}"
    return f", which is no tool of this agent{visible(did_you_mean(tool, tools))}"


def never_unknown(tool: str, tools: Sequence[str]) -> str:
    """A forbidden name that is no tool, where a near name is one: it would pass for ever."""
    return f"never forbids {quote(tool)}{no_tool(tool, tools)}"


def _hint(never: Mapping[str, Any], known: Sequence[Mapping[str, Any]]) -> str:
    """The hint that only the kind of the value is off: "1" is text where 1 was wanted, or the other way."""
    for name, wanted in never.items():
        for got in (arguments[name] for arguments in known if name in arguments):
            if isinstance(got, str) and _written(wanted) == got.strip():
                return f" ({quote(got)} is text, not {_written(wanted)})"
            if isinstance(wanted, str) and _written(got) == wanted.strip():
                return f" ({_written(got)} is not text, as {quote(wanted)} is)"
            if isinstance(wanted, str) and isinstance(got, str) and (apart := _look_alike(wanted, got)):
                return apart
    return ""


def _look_alike(wanted: str, got: str) -> str:
    """The remark on two texts that a reader could take for the same: a letter of another script, or one composed of two."""
    pairs = itertools.zip_longest(wanted, got, fillvalue="")
    at, one, other = next(((at, *pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1]), (0, "", ""))
    same = unicodedata.normalize("NFKC", wanted) == unicodedata.normalize("NFKC", got)
    if not at or not (
        same or (len(wanted) == len(got) and one.isascii() != other.isascii() and wanted[at:] == got[at:])
    ):
        return ""
    codes = [f"U+{ord(each):04X}" if each else "nothing" for each in (other, one)]
    return f" (character {at} is {codes[0]}, not {codes[1]})"


def _written(thing: Any) -> str | None:
    """A number, a truth value or null as JSON writes it."""
    small = thing is None or isinstance(thing, (bool, float)) or (isinstance(thing, int) and abs(thing) < 10**18)
    return json.dumps(thing) if small else None
