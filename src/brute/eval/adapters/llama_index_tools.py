"""The tools of LlamaIndex under watch, whichever way one is called in a turn; and the agents that an agent's tools run."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from llama_index.core.tools import AsyncBaseTool, BaseTool, FunctionTool

from ..claims import turn_of
from ..foreign import Turn
from .llama_index_calls import Calling, is_output, through


def watch_every_tool() -> None:
    """Have a turn asked before any tool runs. Outside a turn nothing changes."""
    waiting: list[Any] = [BaseTool]
    while waiting:
        kind = waiting.pop()
        _watch_class(kind)
        waiting += kind.__subclasses__()


def watch_one(tool: Any) -> None:
    """Have a turn asked before this tool runs, though its class may be younger than the adapter."""
    for kind in type(tool).__mro__:
        if issubclass(kind, BaseTool):
            _watch_class(kind)


@functools.cache
def _watch_class(kind: Any) -> None:
    for name in ("call", "acall", "__call__"):
        plain = vars(kind).get(name)
        # The framework's own call the others.
        framework = name == "__call__" and kind in (AsyncBaseTool, FunctionTool)
        if plain is not None and not framework and not getattr(plain, "__isabstractmethod__", False):
            setattr(kind, name, (_asking_async if name == "acall" else _asking)(plain))


def _asked(tool: Any) -> Turn | None:
    if any(tool is each for each in through.get()):
        return None
    turn = turn_of(tool, tool.metadata.name)
    if turn is not None and is_output(tool) and tool.metadata.name not in [call.name for call in turn.waiting]:
        return None  # nobody asked for a call
    return turn


def _asking_async(plain: Any) -> Any:
    @functools.wraps(plain)
    async def acall(self: Any, *given: Any, **named: Any) -> Any:
        turn = _asked(self)
        own = plain.__get__(self, type(self))
        return await (own(*given, **named) if turn is None else Calling(turn, self, given, named).run(own))

    return acall


def _asking(plain: Any) -> Any:
    @functools.wraps(plain)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        turn = _asked(self)
        own = plain.__get__(self, type(self))
        return own(*given, **named) if turn is None else Calling(turn, self, given, named).run_blocking(own)

    return call


def functions(thing: Any) -> Iterator[Any]:
    """What leads from an agent to others."""
    yield from getattr(thing, "agents", {}).values()
    for tool in getattr(thing, "tools", None) or ():
        yield tool.real_fn if isinstance(tool, FunctionTool) else tool
