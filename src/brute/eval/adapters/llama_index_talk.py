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
    told = [each for each in (settings, asked) if isinstance(each, Mapping)]
    told += [each["extra_body"] for each in told if isinstance(each.get("extra_body"), Mapping)]
    for each in told:
        found = [*_listed(each.get("built_in_tools")), *_listed(each.get("tools"))]
        # Those of the agent are told of in each call.
        given += found if each is settings else [tool for tool in found if _is_hosted(tool)]
    searches = any(each.get("web_search_options") is not None for each in told)
    return [*map(_named, given), *(["web_search"] if searches else [])]


_DECLARES = {
    "description",
    "function",
    "function_declarations",
    "input_schema",
    "inputSchema",
    "parameters",
    "parameter_definitions",
    "toolSpec",
}
"""What stands in the declaration of a tool that a program runs by itself, as providers have it."""


def _is_hosted(tool: Any) -> bool:
    return isinstance(tool, dict) and not _DECLARES & tool.keys()


def _listed(given: Any) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else ()


def _named(tool: Any) -> str:
    if isinstance(tool, dict):
        return str(tool.get("name") or tool.get("type") or next(iter(tool), "tool"))
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
