"""Every sentence that says what is wrong with an attempt, in one place, so that a reviewer reads them top to bottom.

Formula: what was expected, in the case's words; what happened instead; a hint only for a near-certain slip. Past tense, the
agent is the silent subject, lower case, no full stop. Same transcript, same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import did_you_mean
from .jsonable import plain
from .matching import matches

CLIP = 120
"""How many characters of a value a sentence shows."""


# --- calls


def call_missing(tool: str, names: Sequence[str], tools: Sequence[str] | None) -> str:
    """A wanted tool was never called."""
    return f"never called {visible(tool)}{no_tool(tool, tools)}; called {listed(names, none='no tools')}"


def call_wrong(tool: str, wanted: Mapping[str, Any], made: Sequence[Mapping[str, Any] | None], malformed: Sequence[str]) -> str:
    """A wanted tool was called, but never with matching arguments."""
    known = [arguments or {} for arguments in made]
    if malformed and len(malformed) == len(made):
        return f"called {visible(tool)} {times(len(made))} with malformed arguments: {both(quote(text) for text in malformed)}"
    for name in wanted:
        if not any(name in arguments for arguments in known):
            shown = both(value(arguments) for arguments in known)
            near = did_you_mean(name, {key for arguments in known for key in arguments})
            return f"called {visible(tool)} without {visible(name)}; arguments were {shown}{visible(near)}"
    never = [name for name in wanted if not any(name in a and matches(wanted[name], a[name]) for a in known)]
    told = " and ".join(f"{visible(name)} {wish(wanted[name])}" for name in never or wanted)
    if not never:
        return f"called {visible(tool)} {times(len(made))}, never with {told} together; arguments were {both(map(value, known))}"
    got = "; ".join(f"{visible(name)} was {both(value(a[name]) for a in known if name in a)}" for name in never)
    return f"called {visible(tool)} {times(len(made))}, never with {told}; {got}{_hint(wanted, never, known)}"


def calls_too_few(tool: str, wanted: Sequence[Mapping[str, Any]], left: Mapping[str, Any], made: Sequence[Mapping[str, Any] | None]) -> str:
    """Several calls to a tool were wanted, and one of them has no call of its own."""
    return (
        f"wanted {len(wanted)} different calls to {visible(tool)}; none of the {plural(len(made), 'call')} is left for "
        f"{wishes(left)}; arguments were {both(value(arguments or {}) for arguments in made)}"
    )


def call_forbidden(tool: str, number: int, total: int, arguments: Any, how: str) -> str:
    """A forbidden tool was called."""
    ended = "" if how in ("ran", "stubbed") else f", {how}"
    return f"called {visible(tool)}, which this case forbids (call {number} of {total}{ended}: {value(arguments)})"


def order_wrong(order: Sequence[str], got: Sequence[str], tools: Sequence[str] | None) -> str:
    """The listed tools were called in another order."""
    missing = [tool for tool in dict.fromkeys(order) if tool not in got]
    wanted = f"wanted {listed(order)} in that order"
    if missing and list(got) == [tool for tool in order if tool in got]:
        told = "; ".join(f"{visible(tool)} was never called{no_tool(tool, tools)}" for tool in missing)
        return f"{wanted}; {told}"
    hints = "".join(no_tool(tool, tools) and f"; {visible(tool)}{no_tool(tool, tools)}" for tool in missing)
    return f"{wanted}; got {listed(got, none='none of them')}{hints}"


def no_tool(tool: str, tools: Sequence[str] | None) -> str:
    """The remark that a name in the case is no tool of the agent, with the nearest that is."""
    if tools is None or tool in tools:
        return ""
    return f", which is no tool of this agent{visible(did_you_mean(tool, tools))}"


def never_unknown(tool: str, tools: Sequence[str]) -> str:
    """A forbidden name that is no tool, where a near name is one: it would pass for ever."""
    return f"never forbids {quote(tool)}{no_tool(tool, tools)}"


# --- the reply


def not_said(word: Any, reply: str) -> str:
    """A word is not in the reply."""
    words = word if isinstance(word, tuple) else (word,)
    told = " or ".join(quote(one) if isinstance(one, str) else f"anything matching {pattern(one)}" for one in words)
    return f"never said {told}; the reply was {quote(reply)}"


def said_nothing(last: str, iterations: int, stopped: str | None) -> str:
    """The turn gave no reply."""
    because = f" ({visible(stopped)})" if stopped else ""
    return f"said nothing; the turn ended {last} after {plural(iterations, 'iteration')}{because}"


def not_silent(reply: str) -> str:
    """The turn answered when it should not have."""
    return f"answered when it should have stayed silent: {quote(reply)}"


def published(sent: Sequence[Any]) -> str:
    """The turn sent something outward when it should not have."""
    return f"published {plural(len(sent), 'thing')} when it should have stayed silent: {both(map(value, sent))}"


def cut_silent(stopped: str, iterations: int) -> str:
    """The turn was cut off, so that its silence means nothing."""
    return f"should have stayed silent, but was cut off by {visible(stopped)} after {plural(iterations, 'iteration')}"


def not_absent(reply: str) -> str:
    """The reply does not say that there is nothing."""
    said = f"the reply was {quote(reply)}" if reply.strip() else "said nothing at all"
    return f"did not say it found nothing; {said}"


# --- budget, deadline and what went wrong


def overspent(spent: float, budget: float, unit: str) -> str:
    """More was spent than the budget allows; never rounded to agreement."""
    return f"spent {beyond(spent, budget)} {unit if unit == 'seconds' or spent != 1 else unit.removesuffix('s')}, budget {budget:g}"


def unknown_tokens(silent: int, calls: int) -> str:
    """A budget of tokens can't be graded."""
    return f"cannot tell tokens spent: the model reported no usage on {silent} of {plural(calls, 'call')}"


def blind(what: str, adapter: str = "the adapter") -> str:
    """The case asks about something that was not seen."""
    return f"cannot tell {what}: {adapter} can't see it"


def deadline(seconds: float, where: str) -> str:
    """The turn was stopped at the deadline."""
    return f"stopped after {seconds:g} seconds; still in {visible(where)}"


def raised(error: BaseException) -> str:
    """The turn raised an exception of the agent's own."""
    return f"the turn raised {exception(error)}"


def model_failed(error: BaseException) -> str:
    """The model call failed."""
    told = str(error) if type(error).__name__ == "ModelError" else exception(error)
    return f"the model call failed: {clipped(visible(told))}"


def check_said_no(name: str, where: str) -> str:
    """The case's own check returned False and no words."""
    return f"the check {quote(name)} returned False ({visible(where)})"


def check_crashed(name: str, error: BaseException) -> str:
    """The case's own check raised something else than an AssertionError."""
    return f"the check {quote(name)} raised {exception(error)}"


def check_answered(name: str, answer: Any) -> str:
    """The case's own check returned something that says neither yes nor no."""
    return f"the check {quote(name)} returned {value(answer)}; it may return None, True, False, a sentence or a list of sentences"


def left_behind(what: Sequence[str]) -> str:
    """A thread or task of the agent that could not be stopped."""
    return f"left behind, still running: {listed(list(dict.fromkeys(what)))}"


def unstubbed(tool: str) -> str:
    """A tool without a stub was called where that is refused."""
    return f"called {visible(tool)}, which has no stub; the suite refuses to run tools"


def unknown_stub(tool: str, tools: Sequence[str]) -> str:
    """A stub for a tool that the agent does not have."""
    return f"the stub for {quote(tool)} stubs nothing: the agent has no such tool{visible(did_you_mean(tool, tools))}; its tools are {listed(tools)}"


def unserved_stub(tool: str) -> str:
    """A stub that was not served, so that the real tool would have run."""
    return f"the stub for {visible(tool)} was not served by the world, and the tool was kept from running"


def exception(error: BaseException) -> str:
    """An exception in a sentence: its type and its words, on one line."""
    text = clipped(visible(" ".join(str(error).split())))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


# --- the pieces


def visible(text: str) -> str:
    """The text with everything that a terminal, a CI log or a reader could be fooled by written out as an escape.

    >>> visible("a\\x1b[31mb")
    'a\\\\u001b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() if c in "\n\r\t" else _escape(c) for c in text)


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def quote(text: str) -> str:
    """A text in quotes, clipped, with the amount left out."""
    head = json.dumps(text[:CLIP], ensure_ascii=False)
    left = len(text) - CLIP
    return visible(head) + (f"... {left:,} more character{'s' if left != 1 else ''}" if left > 0 else "")


def clipped(text: str, size: int = CLIP) -> str:
    """A text, clipped, with the amount left out."""
    left = len(text) - size
    return text if left <= 0 else f"{text[:size]}... {left:,} more character{'s' if left != 1 else ''}"


def value(thing: Any) -> str:
    """A value as a sentence shows it: JSON, clipped."""
    if isinstance(thing, str):
        return quote(thing)
    return clipped(visible(json.dumps(plain(thing), ensure_ascii=False)))


def both(values: Iterable[str], most: int = 5) -> str:
    """Values in a row; of many, the first few and how many more."""
    each = list(values)
    rest = f" and {len(each) - most:,} more" if len(each) > most else ""
    return ", ".join(each[:most]) + rest


def listed(names: Sequence[str], none: str = "none", most: int = 20) -> str:
    """Names in a row."""
    return both(map(visible, names), most) if names else none


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def times(count: int) -> str:
    """How often."""
    return plural(count, "time")


def beyond(spent: float, budget: float) -> str:
    """A number with as many digits as it takes to see that it is over the budget."""
    if isinstance(spent, int):
        return str(spent)
    return next((text for digits in range(1, 7) if float(text := f"{spent:.{digits}f}") > budget), repr(spent))


def pattern(wanted: re.Pattern[str]) -> str:
    """A compiled pattern as it is written elsewhere: /bank|rate/i."""
    flags = "".join(letter for flag, letter in ((re.I, "i"), (re.M, "m"), (re.S, "s"), (re.X, "x")) if wanted.flags & flag)
    return f"/{clipped(visible(str(wanted.pattern)))}/{flags}"


def wish(wanted: Any) -> str:
    """What an argument should have been."""
    if isinstance(wanted, re.Pattern):
        return f"matching {pattern(wanted)}"
    if isinstance(wanted, type):
        return f"of type {wanted.__name__}"
    if isinstance(wanted, range):
        return f"in {wanted!r}"
    return _literal(wanted)


def wishes(wanted: Mapping[str, Any]) -> str:
    """What a whole call should have been."""
    return " and ".join(f"{visible(name)} {wish(wanted[name])}" for name in wanted) or "any arguments"


def _literal(wanted: Any) -> str:
    """A wanted value, nested ones included, in the shape of JSON with the matchers in their own words."""
    if isinstance(wanted, Mapping):
        return clipped("{" + ", ".join(f"{quote(str(k))}: {_inner(v)}" for k, v in wanted.items()) + "}")
    if isinstance(wanted, (list, tuple)):
        return clipped("[" + ", ".join(map(_inner, wanted)) + "]")
    if wanted is None or isinstance(wanted, (bool, int, float, str)):
        return value(wanted)
    name = getattr(wanted, "__name__", None)
    if callable(wanted) and name:
        where = getattr(wanted, "__code__", None)
        line = f" (line {where.co_firstlineno})" if name == "<lambda>" and where else ""
        return f"satisfying {visible(name)}{line}"
    return clipped(visible(re.sub(r" at 0x[0-9a-fA-F]+", "", repr(wanted))))


def _inner(wanted: Any) -> str:
    return pattern(wanted) if isinstance(wanted, re.Pattern) else wanted.__name__ if isinstance(wanted, type) else _literal(wanted)


def _hint(wanted: Mapping[str, Any], never: Sequence[str], known: Sequence[Mapping[str, Any]]) -> str:
    """The hint that only the kind of the value is off: "1" is text where the number 1 was wanted, or the other way."""
    for name in never:
        for arguments in known:
            got = arguments.get(name)
            if isinstance(got, str) and _number(wanted[name]) and got.strip() == str(wanted[name]):
                return f" ({quote(got)} is text, not the number {wanted[name]})"
            if isinstance(wanted[name], str) and _number(got) and wanted[name].strip() == str(got):
                return f" ({got} is a number, not the text {quote(wanted[name])})"
    return ""


def _number(thing: Any) -> bool:
    return isinstance(thing, (int, float)) and not isinstance(thing, bool)
