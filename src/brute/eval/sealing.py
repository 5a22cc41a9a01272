"""A tool that must not run, put in the place of the real one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ..tools import Tool
from .faulty import StubError


class Sealed(Tool, watched=False):
    """A tool that looks like another and checks its arguments, but can't be run: whoever tries stops the turn.

    `why` makes what is raised then; `real` is that other; `opened` says that a rule let this call through to it.
    """

    __slots__ = ("_why", "opened", "real")

    def __init__(self, tool: Tool, why: Callable[[], StubError]) -> None:
        # No method of its own: a tool that holds itself is freed by the collector, and not at once.
        self.name, self.description = tool.name, tool.description
        self.function = functools.partial(_stop, why)
        self.real = tool
        self.opened = False
        self._why = why

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the tool's arguments."""
        return self.real.parameters

    def validated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the tool's function would get them."""
        return self.real.validated(arguments)

    async def call(self, arguments: Mapping[str, Any]) -> NoReturn:
        """Stop the turn."""
        raise self._why()


def _stop(why: Callable[[], StubError], **arguments: Any) -> NoReturn:
    raise why()
