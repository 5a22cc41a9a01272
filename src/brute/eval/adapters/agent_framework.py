"""The adapter for Microsoft's Agent Framework: every model call of a chat client is heard, and tools run as doubles that ask the turn first."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import agent_framework as af
import anyio

from ...errors import UsageError, literal
from ...messages import Message
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..reaching import reached
from . import agent_framework_tools as tools
from .agent_framework_asking import Asking
from .base import Foreign

CLOSING = 5.0
"""The seconds that closing the connections of an agent's tools may take."""


@dataclasses.dataclass
class Users:
    """How many turns an agent is in, and whether its connections were open before: if not, the last turn closes them."""

    open: bool
    turns: int = 0


_users: dict[int, Users] = {}


class AgentFramework(Foreign):
    """An agent of the Agent Framework, with those that are its tools or that its tools run."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        watch_every_run()
        found = reached(agent, (af.RawAgent, af.FunctionTool), tools.functions)
        self._agents = [each for each in found if isinstance(each, af.RawAgent)]
        for each in self._agents:
            if not isinstance(each.client, af.BaseChatClient):
                raise UsageError(
                    f"the chat client of {literal(each.name)} is a {type(each.client).__name__}, which is not made of "
                    "agent_framework.BaseChatClient: nothing could be seen of what its model is asked"
                )
        held = [each for each in found if isinstance(each, af.FunctionTool)]
        self._claims = [*self._agents, *held]
        self._connected = [each for each in self._agents if each.mcp_tools]
        self.names = None if self._connected else list(dict.fromkeys([tool.name for tool in held]))

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        turn.env.metadata[tools.BEGUN] = False
        messages = [as_message(message) for message in turn.env.messages or [Message(role="user")]]
        with claimed(turn, self._claims):
            if self._connected:
                async with _closed(self._connected):
                    result = await self.agent.run(messages)
            else:
                result = await self.agent.run(messages)
        if result.user_input_requests:
            turn.env.stopped = "approval"
        else:
            turn.reply(tools.parts_of(result.messages[-1:])[0])


@contextlib.asynccontextmanager
async def _closed(agents: list[Any]) -> AsyncGenerator[None, None]:
    """Have the connections that runs of the agents opened closed when no turn needs them any more."""
    for each in agents:
        # Those that were open before are the user's own.
        kept = _users.setdefault(id(each), Users(any(tool.is_connected for tool in each.mcp_tools)))
        kept.turns += 1
    try:
        yield
    finally:
        for each in agents:
            kept = _users[id(each)]
            kept.turns -= 1
            if not kept.turns:
                del _users[id(each)]
                if not kept.open:
                    with anyio.move_on_after(CLOSING, shield=True):
                        await each.__aexit__(None, None, None)  # older ones have no other way


@functools.cache
def watch_every_run() -> None:
    """Put the runs of all agents, the calls of all chat clients and those of all tools under watch. Outside a turn nothing changes."""
    tools.listen()
    run_plain, ask_plain, invoke_plain = af.RawAgent.run, af.BaseChatClient.get_response, af.FunctionTool.invoke

    def run(self: Any, *given: Any, stream: bool = False, **named: Any) -> Any:
        turn = turn_of(self, self.name)
        answer: Any = run_plain(self, *given, stream=stream, **named)
        if turn is None or turn.env.metadata.get(tools.BEGUN) is False:
            if turn is not None:
                turn.env.metadata[tools.BEGUN] = True
            return answer
        inner = turn.inner(self.name)
        inner.env.metadata[tools.BEGUN] = True
        if stream:
            return answer.with_pull_context_manager(functools.partial(_within, inner))
        return _awaited(inner, answer)

    def get_response(self: Any, messages: Any, *, stream: bool = False, options: Any = None, **named: Any) -> Any:
        turn = current.get()
        if turn is None or tools.BEGUN not in turn.env.metadata:
            return ask_plain(self, messages, stream=stream, options=options, **named)
        ask = functools.partial(ask_plain, self, messages, stream=stream, options=options, **named)
        asking = Asking(turn, messages, options or {}, getattr(self, "model", None))
        if stream:
            return af.ResponseStream(asking.parts(ask), finalizer=lambda updates: asking.response)
        return asking.whole(ask)

    async def invoke(self: Any, **named: Any) -> Any:
        turn = turn_of(self, self.name)
        if turn is None or tools.is_double(self) or self.func is None or tools.BEGUN not in turn.env.metadata:
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
