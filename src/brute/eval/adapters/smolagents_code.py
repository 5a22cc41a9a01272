"""The tools of smolagents as generated code has them: whatever thread that runs on, they belong to the turn."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Mapping
from typing import Any

from smolagents import MultiStepAgent, Tool

from ...messages import ToolCall
from ..foreign import Turn
from ..known import Known
from . import smolagents_tools as tools
from .line import within


class Bound:
    """A tool, a managed agent or a function as generated code has it: whatever thread that runs on, it belongs to the turn."""

    __slots__ = ("_name", "_tool", "_turn")

    def __init__(self, turn: Turn, name: str, tool: Any) -> None:
        self._turn, self._name, self._tool = turn, name, tool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call it in the turn."""
        tool = self._tool
        with within(self._turn):
            if not isinstance(tool, (Tool, MultiStepAgent)):
                return self._function(given, named)
            arguments = {
                name: value for name, value in tools.arguments_of(tool, given, named).items() if name != tools.SANITIZE
            }
            pending = tools.Pending(tool, ToolCall(name=self._name, arguments=arguments), False)
            token = tools.announced.set(pending)
            try:
                return tool(*given, **named)
            finally:
                tools.announced.reset(token)

    def _function(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        function, signature = self._tool, None
        arguments = {**named, **({"*": list(given)} if given else {})}
        with contextlib.suppress(TypeError, ValueError):  # it has none, or is called in a way that it refuses
            signature = inspect.signature(function)
            arguments = dict(signature.bind(*given, **named).arguments)

        def run(changed: dict[str, Any] | None) -> Any:
            return function(*given, **named) if changed is None else function(**changed)

        asked = ToolCall(name=self._name, arguments=dict(arguments))
        check = tools.taken if signature is None else lambda arguments: signature.bind(**arguments)
        return tools.dispatched(self._turn, asked, arguments, Known(self._name, check=check), run)[0]


def bound(turn: Turn, given: Mapping[str, Any]) -> dict[str, Any]:
    """The tools as generated code has them in this turn."""
    return {name: tool if tools.is_output(tool) else Bound(turn, name, tool) for name, tool in given.items()}
