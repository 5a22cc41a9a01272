"""What an adapter makes of an agent: a subject, something that the harness can watch, stub and start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol


class Subject(Protocol):
    """An agent as the harness sees it, whatever it was built with.

    `tools` are the names of its tools (None: not known before the turn); `blind` names what the adapter can't see, of `calls`,
    `order`, `usage`, `iterations`, `messages`, or the `calls of` one tool. The events and payloads are those of `brute.hooks.EVENTS`.
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

    def ready(self) -> Awaitable[None]:
        """Do what the first model call would have to do first, so that it does not count as the turn's time."""
        ...

    def start(self, input: Any) -> Awaitable[Any]:
        """Run one turn to its end."""
        ...


Watcher = tuple[str, Callable[[Any], Any]]
"""A quick subscriber of the harness's own, and the event that it is called at."""


def keep_watch(subject: Subject, watchers: Iterable[Watcher], *, first: bool) -> None:
    """Call each of them at its event, where it stands; in one go where the adapter offers that (`on_all`)."""
    on_all = getattr(subject, "on_all", None)
    if on_all is not None:
        on_all(watchers, first=first)
        return
    for event, subscriber in watchers:
        subject.on(event, subscriber, inline=True, first=first)
