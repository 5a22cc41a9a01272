"""What all adapters have in common, brute's own too: the watch that is kept on the turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...errors import HookError
from ...hooks import Watch, watching


class Watched:
    """An agent that is watched; `blind` names what can't be seen of it."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        made = watching.get()
        # The one under which the agent was built, so that the tasks which it started then are watched too.
        self.watch = Watch() if made is None or made.kept else made
        self.watch.kept = True
        self.blind: list[str] = []

    @property
    def fault(self) -> HookError | None:
        """What the first subscriber that raised in the turn raised."""
        return self.watch.fault

    def on(
        self, event: str, subscriber: Callable[[Any], Any], *, inline: bool = False, first: bool = False
    ) -> Callable[[], None]:
        """Call `subscriber(payload)` at each event of the turn, inner agents' included; answers a function that ends it."""
        return (self.watch.first if first else self.watch.last).on(event, subscriber, inline=inline)

    def on_all(self, subscribers: Iterable[tuple[str, Callable[[Any], Any]]], *, first: bool = False) -> None:
        """Call each inline at its event, as `on` does, in one go."""
        (self.watch.first if first else self.watch.last).on_all(subscribers)
