"""The adapters, one file each, and the one that fits an agent."""

from __future__ import annotations

from typing import Any

from ...agent import Agent
from ...errors import UsageError
from ..frameworks import FRAMEWORKS, MARK, PLAIN, Framework, framework_of
from ..subject import Subject
from .native import Native


def adapt(thing: Any) -> Subject:
    """The agent as the harness sees it; `UsageError` for what is no agent that it knows."""
    if isinstance(thing, Agent):
        return Native(thing)
    known = _framework_of(thing)
    if known is not None:
        return known.adapt(thing)
    kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
    raise UsageError(
        f"the agent must be a brute agent (brute.agent()...), one of {', '.join(each.name for each in FRAMEWORKS)}, "
        f"or a function of `said` or `messages`, got {kind}"
    )


_SEEN: dict[type, Framework] = {}
"""The frameworks of the agents' classes that were looked at. Most can be called, and to read a signature takes longer than all else here."""

_MOST = 256

_OWN = frozenset({MARK, "__signature__", "__wrapped__"})
"""What makes one of them a plain function, or one that is called in another way, where it has that for itself."""


def _framework_of(thing: Any) -> Framework | None:
    """The same as `framework_of`, which is asked once for each class."""
    kind, own = type(thing), getattr(thing, "__dict__", ())
    known = _SEEN.get(kind)
    if known is not None and _OWN.isdisjoint(own):
        return known
    known = framework_of(thing)
    if known is not None and known is not PLAIN and _OWN.isdisjoint(own):
        if len(_SEEN) >= _MOST:
            _SEEN.clear()
        _SEEN[kind] = known
    return known
