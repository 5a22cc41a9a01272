"""Every sentence that says what is wrong with an attempt, in one place, so that a reviewer reads them top to bottom.

Formula: what was expected, in the case's words; what happened instead; a hint only for a near-certain slip. Past tense, the
agent is the silent subject, lower case, no full stop. Same transcript, same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError, did_you_mean
from .showing import CLIP as CLIP
from .showing import beyond as beyond
from .showing import both as both
from .showing import clipped as clipped
from .showing import listed as listed
from .showing import literal, number, one_line, pattern
from .showing import plural as plural
from .showing import quote as quote
from .showing import value as value
from .showing import visible as visible
from .showing import wishes as wishes
from .tags import untagged
from .words import folded, is_blank, unstruck


def not_graded(row: str, error: BaseException) -> str:
    """A row of the table that broke while it was graded."""
    return f"{row} could not be graded: {exception(error)}"


def too_slow_a_search(row: str, slow: Any, error: BaseException) -> str:
    """A pattern or a function of the case's that did not end, and was stopped by the alarm."""
    which = f"the pattern {pattern(slow)}" if isinstance(slow, re.Pattern) else f"the function {literal(slow)}"
    return f"{row} could not be graded: {which} {told(error)}"


# --- the reply


def not_said(word: Any, reply: str) -> str:
    """A word is not in the reply."""
    words = word if isinstance(word, tuple) else (word,)
    wanted = " or ".join(quote(one) if isinstance(one, str) else f"anything matching {pattern(one)}" for one in words)
    text = folded(untagged(unstruck(reply)))
    # A reader who sees the letters there wonders.
    inside = any(isinstance(one, str) and folded(one.strip()) in text for one in words)
    return f"never said {wanted}{' as a word of its own' if inside else ''}; the reply was {quote(reply)}"


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
    return (
        f"did not say it found nothing; {'said nothing at all' if is_blank(reply) else f'the reply was {quote(reply)}'}"
    )


# --- budget, deadline and what went wrong


def overspent(spent: float, budget: float, unit: str) -> str:
    """More was spent than the budget allows; never rounded to agreement."""
    return f"spent {beyond(spent, budget)} {unit.removesuffix('s') if spent == 1 else unit}, budget {number(budget)}"


def cut_spent(unit: str, budget: float | None) -> str:
    """The turn was stopped for its budget, although what was counted is not over it."""
    return f"was stopped for having spent its budget of {unit if budget is None else f'{number(budget)} {unit}'}"


def unknown_tokens(silent: int, calls: int) -> str:
    """A budget of tokens can't be graded."""
    return f"cannot tell tokens spent: the model reported no usage on {silent:,} of {plural(calls, 'call')}"


def unclear_seconds(lost: float, spent: float, budget: float, others: bool = False) -> str:
    """A budget of seconds can't be graded: without the time for which the loop stood still it was kept, with it it was not.

    `others`: that it was another attempt's code is known.
    """
    whose = " by another attempt's code" if others else ", and by whose code is not known"
    return (
        f"cannot tell seconds spent: the event loop stood still for {lost:.2g} of {beyond(spent, budget)} seconds"
        f"{whose}; budget {number(budget)}"
    )


def blind(what: str, adapter: str = "the adapter") -> str:
    """The case asks about something that was not seen."""
    return f"cannot tell {what}: {adapter} can't see it"


def raised(error: BaseException) -> str:
    """The turn raised an exception of the agent's own."""
    return f"the turn raised {exception(error)}"


def agent_unfit(error: BaseException) -> str:
    """The agent is put together in a way that it can't run."""
    return f"the agent could not run: {told(error, 400)}"


def model_failed(error: BaseException) -> str:
    """The model call failed."""
    return f"the model call failed: {told(error) if isinstance(error, ModelError) else exception(error)}"


def left_behind(what: Sequence[str]) -> str:
    """A thread or task of the agent that could not be stopped."""
    return f"left behind, still running: {listed(list(dict.fromkeys(what)))}"


CUT_CALL = "stopped before it ended"
"""What a call says that was stopped under way, with its turn or by the agent itself."""
NEVER_MADE, STOPPED_BEFORE = "never made", "never made: the turn was stopped before it"
"""What a call says that the model asked for and that never began."""

CUT_REQUEST = "stopped before the model answered"
"""What a model call says that was stopped under way, with its turn or by the agent itself."""


def unstubbed(tool: str) -> str:
    """A tool without a stub was called where that is refused."""
    return f"called {one_line(tool)}, which has no stub; the suite refuses to run tools"


def unknown_stub(tool: str, tools: Sequence[str]) -> str:
    """A stub for a tool that the agent does not have."""
    near = visible(did_you_mean(tool.rstrip("*"), tools))
    return f"the stub for {quote(tool)} stubs nothing: the agent has no such tool{near}; its tools are {listed(tools)}"


def stub_spent(tool: str, answers: int, number: int) -> str:
    """A stub of answers in turn has none left."""
    return f"the stub for {visible(tool)} has {plural(answers, 'answer')} in turn; call {number} found none left"


def stub_unfit(tool: str, name: str, error: BaseException) -> str:
    """A stub function does not take the arguments of a call that the tool takes."""
    return f"the stub for {visible(tool)} ({visible(name)}) can't be called with what the tool was asked: {told(error)}"


def stub_raised(tool: str, name: str, error: BaseException) -> str:
    """A stub function raised, which is a slip in it: an exception that is meant is given as the stub itself."""
    return (
        f"the stub for {visible(tool)} ({visible(name)}) raised {exception(error)}; "
        "to make the tool fail, give the exception as the stub"
    )


def unhooked(tool: str) -> str:
    """A tool that has a stub, or must have one, was answered without the agent's hooks."""
    return f"{visible(tool)} was answered outside the agent's hooks, where no stub can be served"


def unserved_stub(tool: str) -> str:
    """A stub that was not served, so that the real tool would have run."""
    return f"the stub for {visible(tool)} was not served by the world, and the tool was kept from running"


def given_otherwise(changed: Sequence[str]) -> str:
    """A stored transcript that is to be graded under a case that is given something else today."""
    return f"cannot tell: what the case is given has changed since its turn ({listed(changed)})"


def masked_since() -> str:
    """A stored transcript that is graded otherwise than the turn was, and in which secrets are masked."""
    return (
        "cannot tell: secrets in the stored transcript are masked, and the verdict was another while they could be read"
    )


def told(error: BaseException, size: int = CLIP) -> str:
    """The words of an exception, on one line."""
    try:
        return one_line(str(error), size)
    except Exception:
        return "(its text can't be read)"


def exception(error: BaseException) -> str:
    """An exception in a sentence: its type and its words, on one line."""
    text = told(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
