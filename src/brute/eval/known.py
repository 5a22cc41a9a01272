"""Tools of other frameworks as the harness knows them, never to be called from here; and what a model reads of a call's end."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..calling import as_text
from ..hooks import UNSET, ToolEvent
from ..tools import BadArguments, Tool

_NOTHING: dict[str, Any] = {}

missing: contextvars.ContextVar[str | None] = contextvars.ContextVar("brute_missing_tool", default=None)
"""What the model was told of the call under way, where its agent has no such tool; another of the turn may, and a stub for it."""


@contextlib.contextmanager
def lacking(why: str | None) -> Iterator[None]:
    """While a call is told of whose agent has no such tool, in these words; None: it has."""
    token = missing.set(why)
    try:
        yield
    finally:
        missing.reset(token)


class Known(Tool):
    """A tool of another framework: its name, its JSON schema, and its own check of arguments, which raises for what it refuses."""

    __slots__ = ("_check",)

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        description: str = "",
        check: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        # Not by Tool's own: a framework has looked at it already, and each model call makes some anew.
        self.name, self.description, self.function = name, description, _elsewhere
        self._parameters = dict(parameters or {})
        self._model, self._fit, self._near, self._annotations = None, None, _NOTHING, None
        self._check = check

    def validated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as they came; `BadArguments` where the tool refuses them."""
        if self._check is None:
            return self._fitting(arguments)
        try:
            self._check(dict(arguments))
        except Exception as error:
            raise BadArguments(str(error)) from error
        return dict(arguments)


class Unfit(Known):
    """A tool that has refused the arguments already."""

    __slots__ = ("_why",)

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name)
        self._why = why

    def validated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Refuse them again."""
        raise BadArguments(self._why)


def _elsewhere(**arguments: Any) -> None:
    """Stand for a function that only the framework may call."""


def served(event: ToolEvent) -> Any:
    """What the tool answers in this event: the result, or the exception, which is raised as the tool's own."""
    if event.denied is not None:
        return f"denied: {event.denied}"
    if event.error is not None:
        # What the tool's own check raised is what the framework knows how to tell the model.
        own = event.error.__cause__ if isinstance(event.error, BadArguments) else None
        raise own or event.error
    return None if event.result is UNSET else event.result


def told(event: ToolEvent) -> str:
    """What a model reads of the call's end."""
    if event.denied is not None:
        return f"denied: {event.denied}"
    if event.error is not None:
        return f"error: {event.error}"
    return as_text(None if event.result is UNSET else event.result)
