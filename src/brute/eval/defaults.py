"""The defaults of the tools that a turn calls, noted in its transcript where the case asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..hooks import ToolEvent
from .callwishes import Wanted, WithDefaults
from .case import Case
from .copying import plainly_copied
from .transcript import Transcript


def asked(case: Case) -> bool:
    """Whether a wish of the case fills in defaults."""
    for arguments in case.calls.values():
        for one in arguments if isinstance(arguments, (list, tuple)) else (arguments,):
            if isinstance(one.wish if isinstance(one, Wanted) else one, WithDefaults):
                return True
    return False


def note(transcript: Transcript) -> Callable[[ToolEvent], None]:
    """A subscriber to `before_tool` that notes the defaults of the tool that is called."""

    def noted(event: ToolEvent) -> None:
        if event.tool is not None and event.name not in transcript.defaults:
            transcript.defaults[event.name] = of_schema(event.tool.parameters)

    return noted


def of_schema(parameters: Any) -> dict[str, Any]:
    """What a tool's JSON schema says its arguments are when they are left out.

    >>> of_schema({"properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 3}}})
    {'limit': 3}
    """
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    if not isinstance(properties, Mapping):
        return {}
    return {
        str(name): plainly_copied(each["default"])
        for name, each in properties.items()
        if isinstance(each, Mapping) and "default" in each
    }
