"""What an agent of LlamaIndex is given at the start of a turn, what of its output is the reply, and what runs past its hooks."""

from __future__ import annotations

import json
from typing import Any

from llama_index.core.agent.workflow import CodeActAgent
from llama_index.core.llms import ChatMessage

from ...errors import UsageError
from ...messages import Message
from ..guarding import Near


def hosted(agent: Any) -> list[str]:
    """The tools that the model's provider runs, by its settings, and those that code runs which the agent's model writes."""
    given: list[Any] = []
    settings = getattr(agent.llm, "additional_kwargs", None) or {}
    for each in (getattr(agent.llm, name, None) for name in ("built_in_tools", "built_in_tool", "tools")):
        given += each if isinstance(each, list | tuple) else [] if each is None else [each]
    given += settings.get("tools") or () if isinstance(settings, dict) else ()
    names = [_named(tool) for tool in given]
    if isinstance(settings, dict) and settings.get("web_search_options") is not None:
        names.append("web_search")
    if isinstance(agent, CodeActAgent):
        names += [Near(tool.metadata.get_name()) for tool in agent.tools or () if tool.metadata.name != "execute"]
    return names


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
        return json.dumps(output, ensure_ascii=False, default=lambda each: each.model_dump(mode="json"))
    response = getattr(result, "response", None)
    return str(result) if response is None else response.content or ""
