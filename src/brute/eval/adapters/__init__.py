"""The adapters, one file each, and the one that fits an agent."""

from __future__ import annotations

from typing import Any

from ...agent import Agent
from ...errors import UsageError
from ..frameworks import FRAMEWORKS, framework_of
from ..subject import Subject
from .native import Native


def adapt(thing: Any) -> Subject:
    """The agent as the harness sees it; `UsageError` for what is no agent that it knows."""
    if isinstance(thing, Agent):
        return Native(thing)
    known = framework_of(thing)
    if known is not None:
        return known.adapt(thing)
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
    raise UsageError(
        f"the agent must be a brute agent (brute.agent()...), one of {', '.join(each.name for each in FRAMEWORKS)}, "
        f"or a function of `said` or `messages`, got {kind}"
    )
