"""What an adapter makes of an agent: a subject, something that the harness can watch, stub and start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Subject(Protocol):
    """An agent as the harness sees it, whatever it was built with.

    `tools` are the names of its tools (None: not known before the turn); `blind` names what the adapter can't see, of `calls`,
    `order`, `usage`, `iterations`, `messages`. The events and payloads are those of `brute.hooks.EVENTS`.
    """

    @property
    def tools(self) -> list[str] | None:
        """The names of the agent's tools, as far as they are known now."""
        ...

    @property
    def blind(self) -> list[str]:
        """What this adapter can't see."""
        ...

    @property
    def fault(self) -> BaseException | None:
        """What the first subscriber that raised in the turn raised, kept because the agent may swallow it."""
        ...

    def on(
        self, event: str, subscriber: Callable[[Any], Any], *, inline: bool = False, first: bool = False
    ) -> Callable[[], None]:
        """Call `subscriber(payload)` at each event; answers a function that ends it.

        `first`: before the agent's own subscribers, so that it sees what happened as it happened; otherwise after them.
        """
        ...

    async def ready(self) -> None:
        """Do what the first model call would have to do first, so that it does not count as the turn's time."""
        ...

    async def start(self, input: Any) -> None:
        """Run one turn to its end."""
        ...
