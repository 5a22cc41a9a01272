"""The model calls of Haystack under watch: whatever generator is run in a turn, its requests are the turn's."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Sequence
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool, Toolset, flatten_tools_or_toolsets

from ...calling import inside
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..bridging import wait
from ..claims import turn_of
from ..foreign import Turn
from .base import hosts, price, tool_offered
from .haystack_calls import id_of
from .haystack_trouble import among, asking, cause

ALL_NAMES = "brute.haystack.names"
"""Where an env's metadata names the tools of an agent and of those inside it, if they were not known before the turn."""

looping: contextvars.ContextVar[tuple[Turn, Any] | None] = contextvars.ContextVar("brute_haystack_loop", default=None)
"""The turn whose agent runs its loop here, and the generator that it asks."""


def watch_every_generator(kinds: Sequence[type]) -> None:
    """Put these generators, and all that are known to Haystack, under watch."""
    for kind in (*component.registry.values(), *kinds):
        for base in kind.__mro__:
            if "run" in vars(base) and (kind in kinds or _generates(base)):
                _watch(base)


@functools.cache
def _generates(kind: Any) -> bool:
    return "replies" in getattr(vars(kind)["run"], "_output_types_cache", {})


@functools.cache
def _watch(kind: Any) -> None:
    plain, plain_async = vars(kind)["run"], vars(kind).get("run_async")

    @functools.wraps(plain)
    def run(self: Any, *given: Any, **named: Any) -> Any:
        request = _request(self, plain, given, named)
        if request is None:
            with among():
                return plain(self, *given, **named)
        wait(request.begin())
        raised: list[Exception] = []
        token = asking.set(raised)
        try:
            answer = plain(self, *given, **named)
        except BaseException as error:
            wait(request.turn.said(request.event, error=cause(error, raised)))
            raise
        finally:
            asking.reset(token)
        wait(request.end(answer))
        return answer

    kind.run = run
    if not inspect.iscoroutinefunction(plain_async):
        return

    @functools.wraps(plain_async)
    async def run_async(self: Any, *given: Any, **named: Any) -> Any:
        request = _request(self, plain_async, given, named)
        if request is None:
            with among():
                return await plain_async(self, *given, **named)
        await request.begin()
        raised: list[Exception] = []
        token = asking.set(raised)
        try:
            answer = await plain_async(self, *given, **named)
        except BaseException as error:
            await request.turn.said(request.event, error=cause(error, raised))
            raise
        finally:
            asking.reset(token)
        await request.end(answer)
        return answer

    kind.run_async = run_async


def _request(generator: Any, plain: Any, given: Any, named: dict[str, Any]) -> Request | None:
    turn = None if asking.get() is not None else turn_of(generator, type(generator).__name__)
    if turn is None:
        return None
    # What is asked beside an agent's loop (in a tool, by a component of a pipeline) is no part of the agent's conversation.
    loop = looping.get()
    if loop is None or loop[0] is not turn or loop[1] is not generator:
        hearing = inside.get()
        name = getattr(generator, "__component_name__", None) or (hearing.name if hearing else type(generator).__name__)
        turn = turn.inner(name)
    return Request(turn, generator, {**dict(zip(_parameters(plain), (generator, *given), strict=False)), **named})


@functools.lru_cache(maxsize=256)
def _parameters(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


class Request:
    """One model call: the turn that it is of, and what the generator is given."""

    event: LlmEvent

    def __init__(self, turn: Turn, generator: Any, given: dict[str, Any]) -> None:
        self.turn, self.generator, self.given = turn, generator, given

    async def begin(self) -> None:
        """The generator is about to ask its model."""
        tools = self.given.get("tools")
        tools = getattr(self.generator, "tools", None) if tools is None else tools
        offered = [tool.name for tool in _real(tools)]
        await _answers(self.turn, self.given.get("messages"), offered)
        settings = getattr(self.generator, "generation_kwargs", None), self.given.get("generation_kwargs")
        named = hosted(tools, *settings)
        hosts(self.turn, named)
        names = self.turn.env.metadata.get(ALL_NAMES) or offered
        self.event = await self.turn.asks(map(tool_offered, offered), hosted=named, names=[*names, *named])

    async def end(self, answer: Any) -> None:
        """The model answered."""
        replies = list(answer.get("replies") or ())
        metas: list[dict[str, Any]] = [each.meta if isinstance(each, ChatMessage) else {} for each in replies] or [{}]
        meta = metas[-1] or next(iter(answer.get("meta") or ()), {})
        event = self.event
        event.model = meta.get("model") or getattr(self.generator, "model", None)
        event.usage = _usage(meta.get("usage"), event.model)
        event.message = Message(
            role="assistant",
            content=next((_text(each) for each in reversed(replies) if _text(each)), ""),
            tool_calls=calls_of(replies),
            usage=event.usage,
            model=event.model,
        )
        await self.turn.said(event)


def calls_of(replies: Sequence[Any]) -> tuple[ToolCall, ...]:
    """What a model asked for."""
    return tuple(
        ToolCall(id=id_of(call), name=call.tool_name, arguments=call.arguments)
        for reply in replies
        if isinstance(reply, ChatMessage)
        for call in reply.tool_calls
    )


async def _answers(turn: Turn, messages: Any, offered: list[str]) -> None:
    """What was answered to calls of which no tool has heard: by a hook of the user's."""
    if not turn.waiting or not isinstance(messages, list):
        return
    answers = {
        id_of(result.origin): result
        for message in messages
        if isinstance(message, ChatMessage)
        for result in message.tool_call_results
    }
    for call in turn.waiting:
        answer = answers.get(call.id)
        if call.name not in offered:
            await turn.refused(call, "no such tool" if answer is None else str(answer.result), exists=False)
        elif answer is not None and answer.error:
            await turn.refused(call, str(answer.result))
        elif answer is not None:
            turn.asked.answered(call, str(answer.result))


def hosted(tools: Any, *settings: Any) -> list[str]:
    """The tools that the model's provider runs, by what the generator is given and by its settings."""
    found = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list | tuple) else []
    names = []
    told = [each for each in settings if isinstance(each, dict)]
    for each in [*told, *(one.get("extra_body") for one in told)]:
        if isinstance(each, dict):
            found += [tool for tool in each.get("tools") or () if isinstance(tool, dict)]
            names += ["web_search"] if each.get("web_search_options") is not None else []
    return [
        *names,
        *(
            str(tool.get("name") or tool.get("type"))
            for tool in found
            if tool.get("type") not in ("function", "custom")
        ),
    ]


def _real(tools: Any) -> list[Any]:
    given = [tools] if isinstance(tools, Toolset) else tools or ()
    return list(flatten_tools_or_toolsets([each for each in given if isinstance(each, Tool | Toolset)]))


def _text(reply: Any) -> str:
    return (reply.text or "") if isinstance(reply, ChatMessage) else str(reply)


def _usage(used: Any, model: str | None) -> Usage | None:
    """What a model call used, as the APIs of OpenAI and those that are called likewise name it."""
    if not isinstance(used, dict):
        return None
    input, output = _first(used, "prompt_tokens", "input_tokens"), _first(used, "completion_tokens", "output_tokens")
    if not input and not output:
        return None
    details = _first(used, "prompt_tokens_details", "input_tokens_details") or {}
    made = Usage(input=as_count(input), output=as_count(output), cache_read=as_count(details.get("cached_tokens")))
    return price(made, model)


def _first(used: dict[str, Any], *names: str) -> Any:
    return next((used[name] for name in names if used.get(name) is not None), None)
