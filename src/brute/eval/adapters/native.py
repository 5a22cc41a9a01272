"""The adapter for `brute`'s own agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...agent import Agent
from ...errors import HookError
from ...hooks import Watch, watching


class Native:
    """A `brute` agent as the harness sees it."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.watch = Watch()
        self.blind: list[str] = []

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the agent's layers declare."""
        return [tool.name for tool in self.agent.tools]

    @property
    def fault(self) -> HookError | None:
        """What the first subscriber that raised in the turn raised."""
        return self.watch.fault

    def on(
        self, event: str, subscriber: Callable[[Any], Any], *, inline: bool = False, first: bool = False
    ) -> Callable[[], None]:
        """Call `subscriber(payload)` at each event of the turn, inner agents' included; answers a function that ends it."""
        return (self.watch.first if first else self.watch.last).on(event, subscriber, inline=inline)

    async def ready(self) -> None:
        """Let the completion import its client or load its model."""
        await self.agent.ready()

    async def start(self, input: Any) -> None:
        """Run one turn to its end."""
        # Never reset: what the turn leaves running stays watched, and must not come to the real tools.
        watching.set(self.watch)
        await self.agent.astart(input)
