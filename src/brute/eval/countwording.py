"""Every sentence about calls that are too few, too many or not wanted, and about steps; the formula is that of `wording.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .callwording import Arguments, no_tool, not_there
from .globs import suits
from .showing import listed, plural, times, value, visible, wishes
from .steps import Group
from .wording import exception

if TYPE_CHECKING:
    from .callwishes import Wanted
    from .transcript import Call, Transcript

_ENDINGS = {"ran": " that ran", "failed": " that failed", "denied": " that was denied"}


def too_few(tool: str, wanted: Wanted, fits: int, made: int, missed: int, nearest: str, transcript: Transcript) -> str:
    """Fewer calls than are wanted, or none that ended so."""
    unknown = no_tool(tool, transcript.tools)
    if not made:
        return f"wanted {_calls(tool, wanted)}{unknown}; called {listed(transcript.names, none='no tools')}"
    had = f"called {visible(tool)} {times(made)}{unknown}"
    so = f", {'never' if not fits else f'{fits:,} of them'} so" if fits != made else ""
    taken = " and none was left" if fits >= wanted.at_least else ""
    return f"wanted {_calls(tool, wanted)}; {had}{so}{taken}{f'; the nearest was {nearest}' if nearest else ''}"


def too_many(tool: str, wanted: Wanted, fits: Sequence[int], transcript: Transcript) -> str:
    """More calls than are wanted."""
    numbers = listed([f"{at + 1:,}" for at in fits], most=5)
    which = f" (call{'s' if len(fits) > 1 else ''} {numbers} of {len(transcript.calls):,})"
    return f"wanted {_calls(tool, wanted)}; called so {times(len(fits))}{which}"


def besides(tool: str, number: int, total: int, arguments: Arguments, how: str) -> str:
    """A call that the case does not want, where it wants no others."""
    ended = "" if how in ("ran", "stubbed") else f", {visible(how)}"
    shown = value({} if arguments is None else arguments)
    return f"called {visible(tool)} besides what this case wants (call {number:,} of {total:,}{ended}: {shown})"


def _calls(tool: str, wanted: Wanted) -> str:
    """How many calls are wanted, to which tool, with what, and how they are to end."""
    low, high = wanted.at_least, wanted.at_most
    if high == low:
        amount = "no call" if low == 0 else f"exactly {plural(low, 'call')}"
    elif high is None:
        amount = "a call" if low == 1 else f"at least {plural(low, 'call')}"
    else:
        amount = f"{low:,} to {plural(high, 'call')}" if low else f"at most {plural(high, 'call')}"
    arguments = "" if isinstance(wanted.wish, Mapping) and wanted.wish == {} else f" with {wishes(wanted.wish)}"
    return f"{amount} to {visible(tool)}{arguments}{_ENDINGS.get(wanted.outcome or '', '')}"


# --- steps of an order


def steps_wrong(
    wanted: Sequence[Group], got: Sequence[str], calls: Sequence[Call], apart: bool, tools: Sequence[str] | None
) -> str:
    """The calls did not come as the steps say; `apart`: they would have, had those that belong together come at once."""
    if apart:
        group = next(group for group in wanted if group.at_once and len(_batches(group, calls)) > 1)
        iterations = listed([f"{iteration:,}" for iteration in _batches(group, calls)])
        return f"wanted {_steps([group])}; they came in iterations {iterations}"
    missing = [
        name
        for group in wanted
        for name, loose in zip(group.names, group.loose, strict=True)
        if not loose and not any(suits(name, each) for each in got)
    ]
    never = "".join(f"; {visible(name)} was never called{no_tool(name, tools)}" for name in dict.fromkeys(missing))
    return f"wanted {_in_order(wanted)}; got {listed(got)}{never}"


def steps_denied(wanted: Sequence[Group], denied: Sequence[str], tools: Sequence[str] | None) -> str:
    """The steps were asked for, but not every one has a call that got as far as its tool."""
    return f"wanted {_in_order(wanted)}; {not_there(denied, tools)}"


def untold(tool: str, number: int, total: int, error: BaseException | None) -> str:
    """A call of which there may only be so many can't be read, or a predicate raised on it."""
    why = "its arguments can't be read" if error is None else f"what it is asked by raised {exception(error)}"
    return f"cannot tell whether call {number} of {total} ({visible(tool)}) is one of those that are limited: {why}"


def _batches(group: Group, calls: Sequence[Call]) -> list[Any]:
    return list(dict.fromkeys(call.iteration for call in calls if any(suits(name, call.name) for name in group.names)))


def _in_order(wanted: Sequence[Group]) -> str:
    return f"{_steps(wanted)}{' in that order' if len(wanted) > 1 else ''}"


def _steps(wanted: Sequence[Group]) -> str:
    return ", ".join(map(_group, wanted))


def _group(group: Group) -> str:
    names = [
        f"{visible(name)}{' (or not)' if loose else ''}" for name, loose in zip(group.names, group.loose, strict=True)
    ]
    if group.single:
        return names[0]
    return f"{' and '.join(names)} {'at once' if group.at_once else 'in any order'}"
