"""Every sentence about a run as a whole, in one place: why it was stopped, and what its report has to remark.

Lower case, no full stop, as in `wording.py`, which has those about an attempt.
"""

from __future__ import annotations

from collections.abc import Sequence

from .showing import beyond, listed, number, plural, quote, visible
from .showing import seconds as in_seconds

# --- why an attempt was not finished


def not_finished(why: str) -> str:
    """An attempt of the plan that the run did not get to the end of."""
    return f"not finished: {why}"


INTERRUPTED = "the run was interrupted"
ENDED = "the run ended before it"


def cap_of_cost(cap: float, spent: float) -> str:
    """The run spent what it may in all, in US dollars."""
    return (
        f"reached the run's cap of ${number(cap)} (spent ${beyond(float(spent), cap) if spent > cap else number(cap)})"
    )


def cap_of_tokens(cap: int, spent: int) -> str:
    """The run spent what it may in all, in tokens."""
    return f"reached the run's cap of {plural(cap, 'token')} (spent {number(spent)})"


def cap_of_seconds(cap: float) -> str:
    """The run lasted for as long as it may."""
    return f"reached the run's cap of {in_seconds(cap)}"


def took_the_run(where: str, way: str, asked: object, apart: str = "--isolate") -> str:
    """Code of the agent's wanted to end the process that the whole run is made in; `apart` is how each attempt has a process of its own."""
    status = f" (exit status {asked})" if way == "os._exit" else ""
    return (
        f"{visible(where)} called {way}{status}, which ends the run: no verdict can be had of what was under way; "
        f"with {apart} it costs its own attempt alone"
    )


# --- what the report remarks


def cap_blind(what: str, unknown: int, calls: int) -> str:
    """A cap that did not see all that was spent."""
    return f"the cap did not see all: of {plural(calls, 'model call')}, {unknown:,} did not tell {what}, and counted as none"


def lagged(count: int, worst: float, at: str, running: Sequence[str]) -> str:
    """The event loop stood still for longer than a model's answer should wait."""
    where = _blocking(at, running) or " outside the agent's code (a busy machine, or the harness)"
    return (
        f"the event loop stood still {plural(count, 'time')}, at worst for {worst:.2g} seconds{where}; "
        "the seconds of all attempts hold that time, which is not the model's"
    )


def not_counted(seconds: float) -> str:
    """An attempt that another one held up."""
    return (
        f"the event loop stood still for {seconds:.2g} seconds by another attempt's code: "
        "how many of them this one would have waited anyway can't be seen"
    )


def kept_in_part(what: str, most: int) -> str:
    """A tool or a model said more than a transcript keeps."""
    return (
        f"{visible(what)} is longer than {most:,} characters: the transcript keeps its beginning, and is graded by that"
    )


# --- while it runs


def blocking(late: float, at: str, running: Sequence[str]) -> str:
    """Something blocks the event loop just now, and with it every attempt."""
    return f"the event loop has been blocked for {late:.1f} seconds{_blocking(at, running)}; every attempt waits for it"


def stands_still(seconds: float) -> str:
    """No code of Python's has run for so long that no attempt can come to its end; told among the stacks of all threads."""
    return (
        f"no Python code could run for {seconds:.0f} seconds: a tool, in one of these stacks, holds the interpreter's lock. The run ends here, "
        "without a report. What was finished is in its log, and --resume goes on with it; --isolate ends such a tool alone"
    )


def _blocking(at: str, running: Sequence[str]) -> str:
    return (f" at {visible(at)}" if at else "") + (f" ({listed(running, most=5)})" if running else "")


def in_tool(where: str, case: str) -> str:
    """What an attempt is in the middle of."""
    return f"{where} of {quote(case)}"


# --- retries


def tried(sentence: str) -> str:
    """An attempt that was made again; the sentence says why, and how long was waited."""
    return f"made again after {sentence}"


def given_up(sentence: str) -> str:
    """An attempt that was not made again although there were retries left."""
    return f"not made again: {sentence}"


def made_again(attempts: int, times: int) -> str:
    """How many attempts were made again in a run."""
    more = f", {times:,} times in all" if times != attempts else ""
    return f"infrastructure failed, and {plural(attempts, 'attempt')} {'was' if attempts == 1 else 'were'} made again{more}"


def narrowed(provider: str, times: int, calls: int) -> str:
    """A provider that was asked too much, so that fewer of its calls were let be under way at a time."""
    return (
        f"{visible(provider)} was asked too much {plural(times, 'time')}: "
        f"calls to it were narrowed to {number(calls)} at a time, and waited for each other"
    )


# --- replay


def not_recorded_in_a_lost_process() -> str:
    """An attempt that was to be recorded by a process which is gone."""
    return "not recorded: its process was lost"


def replayed(attempts: int, unpaid: int) -> str:
    """How many attempts of a run were answered from recordings, and what that means for what they cost."""
    paid = (
        "; the tokens and the cost of their models are those of the recordings, and nothing was paid" if unpaid else ""
    )
    return f"replayed {plural(attempts, 'attempt')} from recordings{paid}"
