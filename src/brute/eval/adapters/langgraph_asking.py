"""What the models of LangChain are offered and what they answer, as a turn is told of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from .base import price


def answered(event: LlmEvent, response: Any, outputs: set[str]) -> None:
    """Set what the model answered; `outputs` are the tools by which it hands over structured output, which are no calls."""
    made = response.generations[0][0]
    said, calls = getattr(made, "message", None), tuple[ToolCall, ...]()
    if said is None:  # of a model that completes a text
        told = response.llm_output or {}
        event.model = told.get("model_name")
        event.usage = _tokens(told.get("token_usage"), event.model)
        text = made.text
    else:
        event.model = said.response_metadata.get("model_name")
        event.usage = _usage(said.usage_metadata, event.model)
        text, calls = text_of(said), tuple(call for call in calls_of(said) if call.name not in outputs)
    event.message = Message(role="assistant", content=text, tool_calls=calls, usage=event.usage, model=event.model)


def calls_of(message: AIMessage) -> Iterator[ToolCall]:
    """The calls that a message asks for, those with arguments that are no JSON last."""
    for call in message.tool_calls:
        yield ToolCall(id=call["id"] or "", name=call["name"], arguments=call["args"])
    for bad in message.invalid_tool_calls:
        yield ToolCall(id=bad["id"] or "", name=bad["name"] or "", arguments=bad["args"])


def text_of(message: BaseMessage) -> str:
    """The text of a message, out of its blocks where it has some."""
    if isinstance(message.content, str):
        return message.content
    blocks = [block if isinstance(block, str) else block.get("text", "") for block in message.content]
    return "".join(block for block in blocks if isinstance(block, str))


FUNCTIONS = {"function", "input_schema", "parameters"}
"""What a tool has that is called here, whichever provider's form it has; one of the provider's own has none of them."""


def name_of(offered: Any) -> str:
    """The name of a tool that a model is offered, whichever provider's form it has."""
    if not isinstance(offered, dict):
        return str(getattr(offered, "name", None) or type(offered).__name__)
    function = offered.get("function") or {}
    return str(function.get("name") or offered.get("name") or offered.get("type") or json.dumps(offered)[:40])


_DECLARES = FUNCTIONS | {"description", "function_declarations", "parameter_definitions", "toolSpec"}


def hosted(offered: Iterable[Any]) -> list[str]:
    """The names of the tools that the model's provider runs, of which LangChain hands on nothing that all providers have."""
    beyond = [
        each
        for each in offered
        if isinstance(each, dict) and not each.keys() & _DECLARES and each.get("type") not in ("function", "custom")
    ]
    return [str(each.get("name") or each.get("type") or next(iter(each), "tool")) for each in beyond]


def form_of(options: Any, offered: Any) -> set[str]:
    """The names of the tools that are none, but the form of what `with_structured_output` has a model answer."""
    form = (options or {}).get("ls_structured_output_format") or {}
    if (form.get("kwargs") or {}).get("method") != "function_calling":
        return set()
    names = {name_of(each) for each in offered}
    return names if len(names) == 1 else names & {(form.get("schema") or {}).get("title")}


def _usage(reported: Any, model: str | None) -> Usage | None:
    if not reported or not (reported.get("input_tokens") or reported.get("output_tokens")):
        return None  # some write 0 for what was not reported
    details = reported.get("input_token_details") or {}
    made = Usage(
        input=as_count(reported.get("input_tokens")),
        output=as_count(reported.get("output_tokens")),
        cache_read=as_count(details.get("cache_read")),
        cache_write=as_count(details.get("cache_creation")),
    )
    return price(made, model)


def _tokens(reported: Any, model: str | None) -> Usage | None:
    """What a call of a model that completes a text used, where its client hands it on."""
    if not reported or not (reported.get("prompt_tokens") or reported.get("completion_tokens")):
        return None
    made = Usage(input=as_count(reported.get("prompt_tokens")), output=as_count(reported.get("completion_tokens")))
    return price(made, model)
