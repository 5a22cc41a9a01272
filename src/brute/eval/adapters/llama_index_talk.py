"""What an agent of LlamaIndex is given at the start of a turn, what of its output is the reply, and what runs past its hooks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from llama_index.core.agent.workflow import CodeActAgent
from llama_index.core.llms import ChatMessage

from ...calling import as_text
from ...errors import UsageError
from ...messages import Message
from ..guarding import Near


def hosted(agent: Any) -> list[str]:
    """The tools that the model's provider runs, by its settings, and those that code runs which the agent's model writes."""
    names = hosted_by(agent.llm)
    if isinstance(agent, CodeActAgent):
        names += [Near(tool.metadata.get_name()) for tool in agent.tools or () if tool.metadata.name != "execute"]
    return names


def hosted_by(llm: Any, asked: Mapping[str, Any] = MappingProxyType({})) -> list[str]:
    """The tools that a model's provider runs, by the model's settings and by what it is `asked` with."""
    given: list[Any] = []
    settings = getattr(llm, "additional_kwargs", None) or {}
    for each in (getattr(llm, name, None) for name in ("built_in_tools", "built_in_tool", "tools")):
        given += each if isinstance(each, list | tuple) else [] if each is None else [each]
    given += settings.get("tools") or () if isinstance(settings, dict) else ()
    for name in ("built_in_tools", "tools"):
        given += [tool for tool in _listed(asked.get(name)) if isinstance(tool, dict) and not _DECLARES & tool.keys()]
    searches = [
        each for each in (settings, asked) if isinstance(each, Mapping) and each.get("web_search_options") is not None
    ]
    return [*map(_named, given), *("web_search" for _ in searches[:1])]


_DECLARES = {"function", "parameters", "input_schema", "toolSpec"}
"""What stands in the declaration of a tool that a program runs by itself, as providers have it."""


def _listed(given: Any) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else ()


def _named(tool: Any) -> str:
    if isinstance(tool, dict):
        return str(tool.get("name") or tool.get("type"))
    return str(getattr(tool, "name", None) or getattr(tool, "type", None) or type(tool).__name__)


def as_message(message: Message) -> Any:
    """A message as LlamaIndex has it."""
    more: dict[str, Any] = {}
    if message.role == "tool":
        more["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        calls = []
        for call in message.tool_calls:
            arguments = call.parsed()
            if arguments is None:
                raise UsageError(f"the arguments of {call.name} in the conversation are no JSON object")
            function = {"name": call.name, "arguments": json.dumps(arguments)}
            calls.append({"id": call.id, "type": "function", "function": function})
        more["tool_calls"] = calls
    return ChatMessage(role=message.role, content=message.content, additional_kwargs=more)


def reply_of(result: Any) -> str:
    """What a run answered; structured output as JSON text."""
    output = getattr(result, "structured_response", None)
    if output is not None:
        return as_text(output)
    response = getattr(result, "response", None)
    return str(result) if response is None else response.content or ""
