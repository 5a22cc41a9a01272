"""The loop of a turn."""

from __future__ import annotations

from ..env import Env
from ..pipeline import App


class ToolLoop:
    """The loop of a turn: re-enters the stack below for as long as it ends on a tool result."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, env: Env) -> None:
        """Descend until the stack below ends on something else than a tool result, or declines."""
        await self.app(env)
        while env.messages and env.messages[-1].role == "tool":
            last = env.messages[-1]
            env.iteration += 1
            await self.app(env)
            # By identity: a layer below may shorten the conversation and still go on.
            if env.messages and env.messages[-1] is last:
                # A layer below declined, so there was no such iteration; going on would never end.
                env.iteration -= 1
                return
