"""How a tool that must not run is kept from running, whatever the agent's own hooks and layers do."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from typing import Any

from ..hooks import LlmEvent, ToolEvent
from ..pipeline import HOSTED as HOSTED
from ..pipeline import UNHEARD
from . import globs, unreached, wording
from .faulty import ReplayError, StubError, Unstubbed
from .sealing import Sealed
from .transcript import CALLS_OF


class Near(str):
    """The name of a tool that the framework runs in this process, past its hooks."""

    __slots__ = ()


UNSEEN = "brute.unseen"
"""Where the env's metadata of a turn holds what can't be seen of its agent, a list to which more may be added while it runs."""


NAMES = "brute.names"
"""Where it names the agent's tools, if they are known from the first model call on."""


UNANSWERED = "brute.unanswered"
"""Where it names the tools that can be kept from running, and in whose stead nothing can answer."""


class Guard:
    """The keeper of the tools that must not run: those that have a stub, and, with `refuse` or where the tools are `frozen`, those that have none.

    At the first hook it seals the tool, so that nobody who is handed it can run it; asked last before a tool runs, it stops the
    turn at a call that no stub has answered. `unseen` is what it learns in the turn that can't be seen of the agent.
    """

    def __init__(
        self, stubs: Mapping[str, Any], tools: list[str] | None, refuse: bool, frozen: Collection[str] = ()
    ) -> None:
        self.stubs = stubs
        self.tools = tools
        self.refuse = refuse
        self.frozen = frozen
        self.unseen: list[str] = []
        self._seals: dict[int, Sealed] = {}

    def forbids(self, tool: str) -> bool:
        """Whether the real tool of this name must not run."""
        return self.refuse or "tools" in self.frozen or _has_stub(self.stubs, tool)

    def _has_stub(self, tool: str) -> bool:
        return _has_stub(self.stubs, tool)

    def early(self, tool: str) -> StubError | None:
        """Why the tool must not run before the turn has begun, when no stub is served; None where it may."""
        stubbed = self._has_stub(tool)
        if not stubbed and not self.refuse:
            return None
        return (StubError if stubbed else Unstubbed)(unreached.too_early(tool, stubbed))

    def learn(self, event: LlmEvent) -> None:
        """Stop the turn before a model call where a stub stubs nothing, or the provider may run a tool that must not run."""
        if self.tools is None and event.env.outer is None and event.env.metadata.get(NAMES) is not None:
            self.tools = tools = list(event.env.metadata[NAMES])
            for name in self.stubs:
                if not globs.is_known(name, tools):
                    raise StubError(wording.unknown_stub(name, tools))
        # Those of an inner agent, too.
        for name in event.env.metadata.get(UNHEARD, ()):
            if f"{CALLS_OF}{name}" not in self.unseen:
                self.unseen.append(f"{CALLS_OF}{name}")
        for name in event.env.metadata.get(UNANSWERED, ()):
            if self._has_stub(name):
                raise StubError(unreached.out_of_reach(name, True))
        for name in event.env.metadata.get(HOSTED, ()):
            stubbed = self._has_stub(name)
            if self.refuse or stubbed:
                kind = StubError if stubbed else Unstubbed
                raise kind(unreached.out_of_reach(name, stubbed))
            # What the provider ran is a part of what its model answered.
            if "tools" in self.frozen and (isinstance(name, Near) or "model" not in self.frozen):
                raise ReplayError(unreached.not_frozen(name))

    def seal(self, event: ToolEvent) -> None:
        """Take the tool out of everyone's hands."""
        if event.tool is not None and self.forbids(event.name):
            seal = self._seals[id(event)] = Sealed(
                event.tool, functools.partial(_why, self.stubs, self.refuse, event.name)
            )
            event.swap(seal)

    def __call__(self, event: ToolEvent) -> None:
        """Stop the turn at a call that must not run."""
        if event.answered or event.denied is not None:
            return
        seal = self._seals.get(id(event))
        if seal is not None and seal.opened and event.tool is seal.real:
            return
        # A name that is no tool runs nothing: the model is told so, and goes on.
        exists = event.tool is not None or self.tools is None or event.name in self.tools
        frozen = "tools" in self.frozen and event.tool is not None
        if self._has_stub(event.name) or (self.refuse and exists) or frozen:
            raise _why(self.stubs, self.refuse, event.name)


def _why(stubs: Mapping[str, Any], refuse: bool, tool: str) -> StubError:
    # No method: a guard that holds what holds it is freed by the collector, with all that the turn left behind, and not at once.
    if _has_stub(stubs, tool):
        return StubError(wording.unserved_stub(tool))
    return Unstubbed(wording.unstubbed(tool)) if refuse else ReplayError(unreached.unanswered(tool))


def _has_stub(stubs: Mapping[str, Any], tool: str) -> bool:
    return tool in stubs or globs.meant(stubs, tool) is not None
