"""What a crew of CrewAI does where a task asks for somebody's word: the turn is stopped for it, and nobody is asked on the terminal."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from crewai.core.providers.human_input import SyncHumanInputProvider

from ...errors import TurnStopped
from ..foreign import Turn


class Waits(TurnStopped):
    """Somebody would be asked now."""


def watch_waiting(here: Callable[[], Turn | None]) -> None:
    """Stop a turn, which `here()` tells, where CrewAI would ask on the terminal; a provider of the user's own answers as ever."""
    kind: Any = SyncHumanInputProvider
    plain, plain_async = kind.handle_feedback, kind.handle_feedback_async

    @functools.wraps(plain)
    def handle_feedback(self: Any, *given: Any, **named: Any) -> Any:
        _stop(here())
        return plain(self, *given, **named)

    @functools.wraps(plain_async)
    async def handle_feedback_async(self: Any, *given: Any, **named: Any) -> Any:
        _stop(here())
        return await plain_async(self, *given, **named)

    kind.handle_feedback, kind.handle_feedback_async = handle_feedback, handle_feedback_async


def _stop(turn: Turn | None) -> None:
    if turn is not None:
        turn.root.stop = turn.root.stop or Waits("the crew waits for somebody's word")
        raise turn.root.stop
