"""The adapter for Microsoft's Agent Framework: every model call of a chat client is heard, and tools run as doubles that ask the turn first."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from typing import Any

import agent_framework as af
import anyio

from ...errors import UsageError
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..known import Known
from ..reaching import reached
from . import agent_framework_tools as tools
from .base import Foreign, price

BEGUN = "brute.agent_framework.begun"
"""Where an env's metadata says whether the run that the turn is of has begun; one that begins after it is an inner agent's."""

CLOSING = 5.0
"""The seconds that closing the connections of an agent's tools may take."""

_users: dict[int, int] = {}
"""How many turns an agent is in, by its id: the last one out closes what the runs opened."""


class AgentFramework(Foreign):
    """An agent of the Agent Framework, with those that are its tools or that its tools run."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        _watch_every_run()
        self._agents = reached(agent, af.RawAgent, tools.functions)
        self._tools = [tool for each in self._agents for tool in tools.held(each)]
        self._connected = [each for each in self._agents if each.mcp_tools]
        self.names = None if self._connected else list(dict.fromkeys(tool.name for tool in self._tools))

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        turn.env.metadata[BEGUN] = False
        messages = [as_message(message) for message in turn.env.messages or [Message(role="user")]]
        async with contextlib.AsyncExitStack() as stack:
            for each in self._connected:
                await stack.enter_async_context(_closed(each))
            stack.enter_context(claimed(turn, [*self._agents, *self._tools]))
            result = await self.agent.run(messages)
        if result.user_input_requests:
            turn.env.stopped = "approval"
        else:
            turn.reply(_text(result.messages[-1:]))


@contextlib.asynccontextmanager
async def _closed(agent: Any) -> AsyncGenerator[None, None]:
    """Have the connections that runs of the agent opened closed when no turn needs them any more."""
    key = id(agent)
    # Those that were open before are the user's own.
    ours = key in _users or not any(tool.is_connected for tool in agent.mcp_tools)
    _users[key] = _users.get(key, 0) + 1
    try:
        yield
    finally:
        _users[key] -= 1
        if not _users[key]:
            del _users[key]
            if ours:
                with anyio.move_on_after(CLOSING, shield=True):
                    await agent.close()


@functools.cache
def _watch_every_run() -> None:
    """Put the runs of all agents, the calls of all chat clients and those of all tools under watch. Outside a turn nothing changes."""
    run_plain, ask_plain, invoke_plain = af.RawAgent.run, af.BaseChatClient.get_response, af.FunctionTool.invoke

    def run(self: Any, *given: Any, stream: bool = False, **named: Any) -> Any:
        turn = turn_of(self, self.name)
        answer: Any = run_plain(self, *given, stream=stream, **named)
        if turn is None or turn.env.metadata.get(BEGUN) is False:
            if turn is not None:
                turn.env.metadata[BEGUN] = True
            return answer
        inner = turn.inner(self.name)
        inner.env.metadata[BEGUN] = True
        if stream:
            return answer.with_pull_context_manager(functools.partial(_within, inner))
        return _awaited(inner, answer)

    def get_response(self: Any, messages: Any, *, stream: bool = False, options: Any = None, **named: Any) -> Any:
        ask = functools.partial(ask_plain, self, messages, stream=stream, options=options, **named)
        turn = current.get()
        if turn is None:
            return ask()
        asking = Asking(turn, messages, options or {}, getattr(self, "model", None))
        if stream:
            parts = asking.parts(ask)
            return af.ResponseStream(parts, finalizer=lambda updates: asking.response)
        return asking.whole(ask)

    async def invoke(self: Any, **named: Any) -> Any:
        turn = turn_of(self, self.name)
        if turn is None or tools.is_double(self) or self.func is None:
            return await invoke_plain(self, **named)
        return await tools.invoked(turn, self, invoke_plain, named)

    af.RawAgent.run = functools.wraps(run_plain)(run)  # type: ignore[method-assign]
    af.BaseChatClient.get_response = functools.wraps(ask_plain)(get_response)  # type: ignore[method-assign]
    af.FunctionTool.invoke = functools.wraps(invoke_plain)(invoke)  # type: ignore[method-assign]


@contextlib.contextmanager
def _within(turn: Turn) -> Iterator[None]:
    before = current.set(turn)
    try:
        yield
    finally:
        current.reset(before)


async def _awaited(turn: Turn, answer: Any) -> Any:
    with _within(turn):
        return await answer


class Asking:
    """One model call: what it is asked with, and, once it is over, the response."""

    def __init__(self, turn: Turn, messages: Sequence[Any], options: Any, model: Any) -> None:
        self.turn = turn
        self.messages = messages
        self.options = options
        self.model = options.get("model") or model
        self.response: Any = None

    async def whole(self, ask: Any) -> Any:
        """The response, in one piece."""
        event = await self._begin()
        try:
            self.response = await ask()
        except BaseException as error:
            await self.turn.said(event, error=error)
            raise
        await self._end(event)
        return self.response

    async def parts(self, ask: Any) -> AsyncGenerator[Any, None]:
        """The response as it comes."""
        event = await self._begin()
        try:
            stream = ask()
            if not isinstance(stream, af.ResponseStream):
                stream = await stream
            async for update in stream:
                yield update
            self.response = await stream.get_final_response()
        except BaseException as error:
            await self.turn.said(event, error=error)
            raise
        await self._end(event)

    async def _begin(self) -> LlmEvent:
        given = self.options.get("tools") or ()
        offered = [tool.name for tool in given if isinstance(tool, af.FunctionTool)]
        hosted = [tools.hosted(tool) for tool in given if not isinstance(tool, af.FunctionTool)]
        await _answers(self.turn, self.messages, offered)
        return await self.turn.asks(
            [Known(name) for name in offered], hosted=hosted, names=list(dict.fromkeys([*offered, *hosted]))
        )

    async def _end(self, event: LlmEvent) -> None:
        response = self.response
        event.model = response.model or self.model
        event.usage = _usage(response.usage_details, event.model)
        contents = [content for message in response.messages for content in message.contents]
        calls = tuple(
            ToolCall(id=content.call_id, name=content.name, arguments=content.arguments)
            for content in contents
            if content.type == "function_call" and not getattr(content, "informational_only", False)
        )
        event.message = Message(
            role="assistant", content=_text(response.messages), tool_calls=calls, usage=event.usage, model=event.model
        )
        await self.turn.said(event)
        for call in tools.hosted_calls(contents):
            await self.turn.hosted(call)


async def _answers(turn: Turn, messages: Iterable[Any], offered: list[str]) -> None:
    """What was answered to calls of which no tool has heard: by the framework, or by middleware of the user's."""
    if not turn.waiting:
        return
    contents = [content for message in messages for content in message.contents]
    answers = {content.call_id: str(content.result) for content in contents if content.type == "function_result"}
    for call in turn.waiting:
        if call.name not in offered:
            await turn.refused(call, answers.get(call.id, "no such tool"), exists=False)
        elif call.id in answers:
            turn.asked.answered(call, answers[call.id])


def as_message(message: Message) -> Any:
    """A message as the framework has it."""
    if message.role == "tool":
        told = af.Content.from_function_result(call_id=message.tool_call_id or "", result=message.content)
        return af.Message("tool", [told])
    contents = [af.Content.from_text(message.content)] if message.content or not message.tool_calls else []
    for call in message.tool_calls:
        given = call.parsed()
        if given is None:
            raise UsageError(f"the arguments of {call.name} in the conversation are no JSON object")
        contents.append(af.Content.from_function_call(call_id=call.id, name=call.name, arguments=given))
    return af.Message(message.role, contents)


def _text(messages: Iterable[Any]) -> str:
    contents = [content for message in messages for content in message.contents]
    return "".join(content.text for content in contents if content.type == "text")


def _usage(used: Any, model: str | None) -> Usage | None:
    if not used or not (used.get("input_token_count") or used.get("output_token_count")):
        return None
    made = Usage(
        input=as_count(used.get("input_token_count")),
        output=as_count(used.get("output_token_count")),
        cache_read=as_count(used.get("cache_read_input_token_count")),
        cache_write=as_count(used.get("cache_creation_input_token_count")),
    )
    return price(made, model)
