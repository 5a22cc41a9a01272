"""The connections that tools of Haystack open when they are warmed up, closed when no turn needs them any more."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import anyio

from ...leaves import in_thread
from .haystack_tools import toolsets

CLOSING = 5.0
"""The seconds that closing a connection may take."""


class Use:
    """How many turns use a tool or a toolset, and whether its connection was open before: then it is the user's own."""

    def __init__(self) -> None:
        self.turns = 0
        self.open = False
        self.lock = anyio.Lock()


_uses: dict[int, Use] = {}


@contextlib.asynccontextmanager
async def connected(agents: Sequence[Any]) -> AsyncGenerator[None, None]:
    """Held around a turn of these agents."""
    parts = [part for agent in agents for part in (agent.tools if isinstance(agent.tools, list) else [agent.tools])]
    parts = [part for part in parts if "_worker" in vars(part)]
    for part in parts:
        use = _uses.setdefault(id(part), Use())
        async with use.lock:  # not while it is being closed
            use.open = part._worker is not None if not use.turns else use.open
            use.turns += 1
    try:
        yield
    finally:
        with anyio.move_on_after(CLOSING, shield=True):
            for part in parts:
                await _left(part)


async def _left(part: Any) -> None:
    use = _uses[id(part)]
    async with use.lock:
        use.turns -= 1
        if not use.turns and not use.open:
            await in_thread(part.close)
        if not use.turns and not use.lock.statistics().tasks_waiting:
            del _uses[id(part)]


async def warmed(agents: Sequence[Any]) -> None:
    """Have the toolsets find out what they hold."""
    for agent in agents:
        await agent.warm_up_async()
        for each in toolsets(agent.tools):
            # An agent may believe that it has done so once and for all.
            if hasattr(each, "warm_up_async"):
                await each.warm_up_async()
            elif hasattr(each, "warm_up"):
                each.warm_up()
