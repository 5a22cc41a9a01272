"""The structured output of CrewAI for which a client asks that is not the model's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from crewai.utilities.internal_instructor import InternalInstructor

from ...calling import as_text
from ...messages import Message
from ..bridging import wait
from ..foreign import Turn
from .crewai_tools import asking


@functools.cache
def watch_instructor(here: Callable[[], Turn | None]) -> None:
    """Hear what is asked for structured output by a client that is not the model's."""
    plain = InternalInstructor.to_pydantic

    @functools.wraps(plain)
    def to_pydantic(self: Any) -> Any:
        turn = None if asking.get() is not None else here()
        if turn is None:
            return plain(self)
        event = wait(turn.asks())
        try:
            answer = plain(self)
        except BaseException as error:
            wait(turn.said(event, error=error))
            raise
        event.model = str(getattr(self.llm, "model", self.llm))
        event.message = Message(role="assistant", content=as_text(answer), model=event.model)
        wait(turn.said(event))
        return answer

    InternalInstructor.to_pydantic = to_pydantic  # type: ignore[method-assign]
