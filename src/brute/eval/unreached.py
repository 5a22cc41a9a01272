"""The sentences on what can't be seen or stubbed of an agent that another framework made."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import did_you_mean
from .showing import listed, quote, visible


def unheard_stub(tool: str, called: Sequence[str]) -> str:
    """A stub for a tool that was not called, of an agent whose tools nobody knows."""
    told = f"called {listed(called, none='no tools')}{visible(did_you_mean(tool, called))}"
    return (
        f"cannot tell whether the stub for {quote(tool)} stubs anything: the agent does not name its tools; it {told}"
    )


def ran_beside(tool: str) -> str:
    """The agent's own code set a result although the tool has a stub."""
    return f"the stub for {visible(tool)} was not taken: the agent set another result, so that it may have run the tool"


def out_of_context(thing: str) -> str:
    """An agent or a tool was used where its turn can't be told."""
    return f"{visible(thing)} was used in a thread or task without the turn's context, where nothing can be seen or stubbed"


def shared_executor() -> str:
    """What runs an agent's code is that of another turn's agent as well, whose tools it would call."""
    return (
        "an executor of generated code was shared with the turn of another attempt; build it where the agent is built"
    )


def out_of_reach(tool: str, stubbed: bool) -> str:
    """A tool that runs where no hook reaches it, and must not run."""
    what = f"the stub for {visible(tool)} can't reach it" if stubbed else f"{visible(tool)} has no stub"
    return f"{what}: the model's provider runs it, or the framework does so past its hooks"


def unanswered(tool: str) -> str:
    """A call came to the tool itself where all tools are frozen."""
    return f"the call of {visible(tool)} came to the tool itself in a replay; it was not run"


def not_frozen(tool: str) -> str:
    """A tool that can't be kept from running where all tools are frozen."""
    return f"{visible(tool)} can't be frozen: the model's provider runs it, or the framework does so past its hooks"


def asked_elsewhere() -> str:
    """A model that a program beside this process asks."""
    return "the model can't be frozen: the framework's own program asks it, in a process of its own; it was not started"


def not_started(why: str) -> str:
    """A framework's own program that did not come to say anything."""
    return f"the framework's own program could not be started ({visible(why)})"


def not_followed(why: str) -> str:
    """Something of what a framework told of its run makes no sense here."""
    return f"cannot tell what the agent did: what the framework told of it was not understood ({visible(why)})"


def too_early(tool: str, stubbed: bool) -> str:
    """A tool that must not run was called before the turn."""
    what = f"the stub for {visible(tool)} can't be served" if stubbed else f"{visible(tool)} has no stub"
    return f"{what}: it was called while the agent was built, before its turn; it was not run"


def never_entered(tool: str) -> str:
    """A traced call was run outside of the `async with` that tells of it."""
    return f'trace.tool_call("{visible(tool)}") is run outside of its `async with`, so that nobody sees the call; it was not run'


def blind_to_calls(refused: bool) -> str:
    """Tools of an agent of which no call can be seen may have run."""
    what = 'what has no stub was not run (unstubbed="refuse")' if refused else "the stubs were served"
    return f"cannot tell whether {what}: the adapter can't see the calls"
