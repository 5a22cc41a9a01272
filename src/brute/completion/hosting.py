"""The tools that a model's provider runs by itself, as the settings of a request ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def hosted(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The tools that settings have the provider run by itself, where no hook hears of it; `*` for those whose names nobody here knows.

    >>> hosted({"openai_native_tools": [{"type": "web_search"}], "extra_body": {"plugins": [{"id": "web"}]}})
    ('web_search', 'plugins', '*')
    """
    found: list[str] = []
    for name, value in settings.items():
        if str(name).endswith(("_native_tools", "_builtin_tools")):
            found += _named(value)
        elif name == "extra_body" and isinstance(value, Mapping):
            found += [*_named(value.get("tools")), *(each for each in _HOSTING if value.get(each) is not None)]
    return tuple(dict.fromkeys([*found, *(["*"] if {*found} & {*_HOSTING, *_SERVERS} else [])]))


_HOSTING = ("plugins", "web_search_options", "search_parameters", "mcp_servers")
"""What asks a provider for tools of its own in the body of a request: OpenRouter, OpenAI's chat API, xAI, Anthropic."""
_SERVERS = ("mcp", "mcp_toolset")
_FUNCTIONS = (None, "function", "custom", "functionDeclarations", "function_declarations")


def _named(tools: Any) -> list[str]:
    """The tools that are no functions, which the agent would be asked to call."""
    given = [each for each in tools if isinstance(each, Mapping)] if isinstance(tools, (list, tuple)) else []
    listed = [part for each in given for part in _parts(each)]
    kinds = [(kind, each.get("name")) for each in listed if (kind := each.get("type")) not in _FUNCTIONS]
    return [str(kind if kind in _SERVERS else name or kind) for kind, name in kinds]


def _parts(tool: Mapping[Any, Any]) -> list[Mapping[Any, Any]]:
    """The tool, or, where it is as Gemini has them (`{"google_search": {}}`), each of those that it names by its keys."""
    return [tool] if tool.keys() & {"type", "name", "function"} else [{"type": key} for key in tool]
