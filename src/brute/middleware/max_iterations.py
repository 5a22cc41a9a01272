"""A cap on the passes of the loop."""

from __future__ import annotations

from ..env import Env
from ..errors import UsageError, literal
from ..pipeline import App


class MaxIterations:
    """A cap on the passes of the loop: past `limit` it declines to descend, so the loop above it ends.

    It stands under `ToolLoop`. The turn then ends on a tool result, without a reply, and `env.stopped` says why.
    """

    def __init__(self, app: App, limit: int) -> None:
        self.app = app
        self.limit = limit

    @staticmethod
    def check_options(limit: int) -> None:
        """Refuse a limit below 1 when the agent is built."""
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise UsageError(f"MaxIterations takes a whole number of at least 1, got {literal(limit)}")

    async def __call__(self, env: Env) -> None:
        """Descend, or decline and say so in `env.stopped`."""
        if env.iteration > self.limit:
            env.stopped = f"MaxIterations({self.limit})"
            return
        await self.app(env)
        if env.iteration > self.limit:
            raise UsageError(f"MaxIterations({self.limit}) caps nothing above the loop; put it under ToolLoop")
