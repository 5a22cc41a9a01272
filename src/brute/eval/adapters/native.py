"""The adapter for `brute`'s own agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...agent import Agent


class Native:
    """A `brute` agent as the harness sees it."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.blind: list[str] = []

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the agent's layers declare."""
        return [tool.name for tool in self.agent.tools]

    def on(self, event: str, subscriber: Callable[[Any], Any], *, inline: bool = False) -> Callable[[], None]:
        """Call `subscriber(payload)` at each event; answers a function that ends it."""
        return self.agent.hooks.on(event, subscriber, inline=inline)

    async def ready(self) -> None:
        """Let the completion import its client or load its model."""
        await self.agent.ready()

    async def start(self, input: Any) -> None:
        """Run one turn to its end."""
        await self.agent.astart(input)
