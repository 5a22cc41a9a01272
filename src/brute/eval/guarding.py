"""How a tool that must not run is kept from running, whatever the agent's own hooks and layers do."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NoReturn

from ..hooks import LlmEvent, ToolEvent
from ..tools import Tool
from . import unreached, wording
from .stubs import StubError, Unstubbed

HOSTED = "brute.hosted"
"""Where an env's metadata names the tools that the model's provider runs by itself, so that nobody can keep them from running."""

NAMES = "brute.names"
"""Where it names the agent's tools, if they are known from the first model call on."""


class Guard:
    """The keeper of the tools that must not run: those that have a stub, and, with `refuse`, those that have none.

    At the first hook it seals the tool, so that nobody who is handed it can run it; asked last before a tool runs, it stops the
    turn at a call that no stub has answered.
    """

    def __init__(self, stubs: Mapping[str, Any], tools: list[str] | None, refuse: bool) -> None:
        self.stubs = stubs
        self.tools = tools
        self.refuse = refuse

    def forbids(self, tool: str) -> bool:
        """Whether the real tool of this name must not run."""
        return tool in self.stubs or self.refuse

    def learn(self, event: LlmEvent) -> None:
        """Stop the turn before a model call where a stub stubs nothing, or the provider may run a tool that must not run."""
        if self.tools is None and event.env.outer is None and event.env.metadata.get(NAMES) is not None:
            self.tools = tools = list(event.env.metadata[NAMES])
            for name in self.stubs:
                if name not in tools:
                    raise StubError(wording.unknown_stub(name, tools))
        for name in event.env.metadata.get(HOSTED, ()):
            if self.forbids(name):
                kind = StubError if name in self.stubs else Unstubbed
                raise kind(unreached.out_of_reach(name, name in self.stubs))

    def seal(self, event: ToolEvent) -> None:
        """Take the tool out of everyone's hands."""
        if event.tool is not None and self.forbids(event.name):
            event.swap(Sealed(event.tool, self._why(event.name)))

    def __call__(self, event: ToolEvent) -> None:
        """Stop the turn at a call that must not run."""
        if event.answered or event.denied is not None:
            return
        # A name that is no tool runs nothing: the model is told so, and goes on.
        exists = event.tool is not None or self.tools is None or event.name in self.tools
        if event.name in self.stubs or (self.refuse and exists):
            raise self._why(event.name)

    def _why(self, tool: str) -> StubError:
        return StubError(wording.unserved_stub(tool)) if tool in self.stubs else Unstubbed(wording.unstubbed(tool))


class Sealed(Tool):
    """A tool that looks like another and checks its arguments, but can't be run: whoever tries stops the turn."""

    __slots__ = ("_tool", "_why")

    def __init__(self, tool: Tool, why: StubError) -> None:
        # No method of its own: a tool that holds itself is freed by the collector, and not at once.
        self.name, self.description = tool.name, tool.description
        self.function = functools.partial(_stop, why)
        self._tool = tool
        self._why = why

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the tool's arguments."""
        return self._tool.parameters

    def validated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the tool's function would get them."""
        return self._tool.validated(arguments)

    async def call(self, arguments: Mapping[str, Any]) -> NoReturn:
        """Stop the turn."""
        raise self._why


def _stop(why: StubError, **arguments: Any) -> NoReturn:
    raise why
