"""The model calls of CrewAI under watch: every LLM that is called in a turn."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

from crewai.agents.parser import AgentAction, parse
from crewai.llms.base_llm import BaseLLM
from crewai.types.usage_metrics import UsageMetrics
from crewai.utilities.agent_utils import extract_tool_call_info

from ...calling import as_text
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage
from ..bridging import wait
from ..foreign import Turn
from .base import hosts, price, tool_offered
from .crewai_output import watch_instructor
from .crewai_parts import plain_name
from .crewai_tools import asking as asked
from .crewai_unheard import unheard as unheard

Here = Callable[[], Turn | None]

COUNT = "brute.crewai.calls"
"""Where the env's metadata counts the calls, for those that have no id."""


def hear_models(here: Here) -> None:
    """Hear the models of all classes that there are now; `here()` tells the turn."""
    for kind in _kinds(BaseLLM):
        own = vars(kind)
        for name in ("call", "acall"):
            plain = own.get(name)
            if plain is None or hasattr(plain, "brute_hears") or getattr(plain, "__isabstractmethod__", False):
                continue
            made: Any = _heard(plain, here) if name == "call" else _heard_async(plain, here)
            made.brute_hears = True
            setattr(kind, name, made)
    _watch_usage()
    watch_instructor(here)


def _kinds(kind: Any) -> Iterator[Any]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)


@functools.cache
def _watch_usage() -> None:
    plain = BaseLLM._track_token_usage_internal

    @functools.wraps(plain)
    def track(self: Any, usage_data: Any) -> None:
        asking = asked.get()
        if asking is not None and asking.llm is self:
            asking.told.append(usage_data)
        plain(self, usage_data)

    BaseLLM._track_token_usage_internal = track  # type: ignore[method-assign]


def _heard(plain: Any, here: Here) -> Any:
    @functools.wraps(plain)
    def call(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        outer = asked.get()
        # One that asks as the class does that it is made of.
        turn = None if outer is not None and outer.llm is self else here()
        if turn is None:
            return plain(self, messages, *args, **named)
        asking = Asking(turn, self, messages, args[0] if args else named.get("tools"))
        event = wait(asking.begin())
        token = asked.set(asking)
        try:
            answer = plain(self, messages, *args, **named)
        except BaseException as error:
            wait(turn.said(event, error=error))
            raise
        finally:
            asked.reset(token)
        asking.end(event, answer)
        wait(turn.said(event))
        return answer

    return call


def _heard_async(plain: Any, here: Here) -> Any:
    @functools.wraps(plain)
    async def acall(self: Any, messages: Any, *args: Any, **named: Any) -> Any:
        outer = asked.get()
        turn = None if outer is not None and outer.llm is self else here()
        if turn is None:
            return await plain(self, messages, *args, **named)
        asking = Asking(turn, self, messages, args[0] if args else named.get("tools"))
        event = await asking.begin()
        token = asked.set(asking)
        try:
            answer = await plain(self, messages, *args, **named)
        except BaseException as error:
            await turn.said(event, error=error)
            raise
        finally:
            asked.reset(token)
        asking.end(event, answer)
        await turn.said(event)
        return answer

    return acall


class Asking:
    """One model call."""

    def __init__(self, turn: Turn, llm: Any, messages: Any, tools: Any) -> None:
        self.turn = turn
        self.llm = llm
        self.messages = messages if isinstance(messages, list) else []
        self.tools = tools or []
        self.told: list[Any] = []

    async def begin(self) -> LlmEvent:
        """Tell that the model is asked."""
        meta = self.turn.root.env.metadata
        offered = [str((tool.get("function") or tool).get("name")) for tool in self.tools if isinstance(tool, dict)]
        if not offered:
            # In the text way the prompt tells of the tools, whose names were found beforehand.
            offered = list(meta.get(KNOWN) or ())
        await unheard(self.turn, self.messages, offered)
        hosted = _hosted(self.llm)
        hosts(self.turn, hosted)
        return await self.turn.asks(map(tool_offered, offered), hosted=hosted, names=[*offered, *hosted])

    def end(self, event: LlmEvent, answer: Any) -> None:
        """Note what the model said."""
        event.model = str(self.llm.model)
        event.usage = _usage(self.told, event.model)
        text, asked = _said(answer)
        calls = tuple(self._call(*one) for one in asked)
        event.message = Message(role="assistant", content=text, tool_calls=calls, usage=event.usage, model=event.model)

    def _call(self, id: str, name: str, given: Any) -> ToolCall:
        meta = self.turn.root.env.metadata
        meta[COUNT] = meta.get(COUNT, 0) + 1
        return ToolCall(id=id or f"call_{meta[COUNT]}", name=name, arguments=given)


KNOWN = "brute.crewai.known"
"""Where the env's metadata holds the names of the tools that were found before the turn."""


def _said(answer: Any) -> tuple[str, list[tuple[str, str, Any]]]:
    """The text of what a model said, and the calls that it asked for: by its provider's means, or in the text."""
    if isinstance(answer, list):
        found = [extract_tool_call_info(each) for each in answer]
        return "", [(str(each[0] or ""), each[1], each[2]) for each in found if each is not None]
    if not isinstance(answer, str):
        return as_text(answer), []
    if "Action:" in answer:
        try:
            action = parse(answer)
        except Exception:  # what can't be read, CrewAI asks for once more
            return answer, []
        if isinstance(action, AgentAction):
            return answer, [("", plain_name(action.tool), _read(action.tool_input))]
    return answer.rpartition("Final Answer:")[2].strip() if "Final Answer:" in answer else answer, []


def _read(given: str) -> Any:
    try:
        return json.loads(given)
    except (TypeError, ValueError):
        return given


def _hosted(llm: Any) -> list[str]:
    """The tools that the model's provider runs, by its settings."""
    settings = getattr(llm, "additional_params", None) or {}
    body = settings.get("extra_body") or {}
    given = [
        *(getattr(llm, "builtin_tools", None) or ()),
        *(settings.get("tools") or ()),
        *(body.get("tools") or ()),
    ]
    searches = any(each.get("web_search_options") is not None for each in (settings, body))
    found = ["web_search"] if searches else []
    for tool in given:
        one = tool if isinstance(tool, dict) else {"type": tool}
        if not one.get("function") and "parameters" not in one:
            found.append(str(one.get("name") or one.get("type") or next(iter(one), "tool")))
    return found


def _usage(told: list[Any], model: str) -> Usage | None:
    """What was used, all tries together; CrewAI writes 0 for what was not reported."""
    found = [_metrics(each) for each in told]
    used = [each for each in found if each is not None and (each.prompt_tokens or each.completion_tokens)]
    if not used or len(used) < len(found):
        return None
    made = Usage(
        input=sum(each.prompt_tokens for each in used),
        output=sum(each.completion_tokens for each in used),
        cache_read=sum(each.cached_prompt_tokens for each in used) or None,
        cache_write=sum(getattr(each, "cache_creation_tokens", 0) for each in used) or None,
    )
    return price(made, model.rpartition("/")[2])


def _metrics(told: Any) -> Any:
    """What a provider told, in CrewAI's words."""
    if hasattr(UsageMetrics, "from_provider_dict"):
        return UsageMetrics.from_provider_dict(told)
    made = UsageMetrics()  # as older ones count it
    for name, keys in _KEYS.items():
        setattr(made, name, next((told[key] for key in keys if told.get(key)), 0))
    return made


_KEYS = {
    "prompt_tokens": ("prompt_tokens", "prompt_token_count", "input_tokens"),
    "completion_tokens": ("completion_tokens", "candidates_token_count", "output_tokens"),
    "cached_prompt_tokens": ("cached_tokens", "cached_prompt_tokens", "cache_read_input_tokens"),
}
