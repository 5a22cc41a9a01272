"""The adapter for `brute`'s own agents."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from ...agent import Agent
from ...hooks import watching
from ..transcript import CALLS_OF
from .watched import Watched


class Native(Watched):
    """A `brute` agent as the harness sees it."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self.hosted = agent.hosted
        if self.hosted:
            self.blind = [f"{CALLS_OF}{name}" for name in self.hosted]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the agent's layers declare, and of those that its model's provider runs."""
        names = [tool.name for tool in self.agent.tools]
        return names + [name for name in self.hosted if name != "*"] if self.hosted else names

    def ready(self) -> Awaitable[None]:
        """Let the completion import its client or load its model."""
        ready: Awaitable[None] = self.agent.ready()
        return ready

    def start(self, input: Any) -> Awaitable[Any]:
        """Run one turn to its end."""
        # Never reset: what the turn leaves running stays watched, and must not come to the real tools.
        if watching.get() is not self.watch:
            watching.set(self.watch)
        turn: Awaitable[Any] = self.agent.astart(input)
        return turn
