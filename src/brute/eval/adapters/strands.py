"""The adapter for Strands: every hook that its registries call is heard by the turn, and the tools that run are doubles that ask it first."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import anyio
from strands import Agent
from strands.hooks import AfterModelCallEvent, AfterToolCallEvent, BeforeModelCallEvent, BeforeToolCallEvent
from strands.hooks.registry import HookRegistry
from strands.multiagent.base import MultiAgentBase
from strands.tools.decorator import DecoratedFunctionTool

from ...errors import UsageError
from ...hooks import LlmEvent
from ...leaves import in_thread
from ...messages import Message, ToolCall
from ..claims import claimed, turn_of
from ..foreign import Turn
from ..reaching import reached
from . import strands_tools as tools
from .base import Foreign, hosts, tool_offered
from .line import within
from .stepwise import aparts_of
from .strands_asking import RUN, hosted, listen, usage_of

CLEANING = 5.0
"""The seconds that closing the connections of an agent's tools may take."""


class Strands(Foreign):
    """An agent of Strands, with those that are its tools or that its tools run; or a `Swarm` or a `Graph` of agents."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        watch_every_run()
        # Looked at in this order, for to ask whether something is an agent takes long where it is none.
        self._reached = reached(agent, (DecoratedFunctionTool, Agent, MultiAgentBase), tools.functions)
        functions, others = list[Any](), list[Any]()
        for each in self._reached:
            (functions if isinstance(each, DecoratedFunctionTool) else others).append(each)
        self._agents = [each for each in others if isinstance(each, Agent)]
        for each in self._agents:
            listen(type(each.model))
        beside = [each.tool_name for each in functions]
        self.names = list(dict.fromkeys([*(name for each in self._agents for name in tools.held(each)), *beside]))
        if any(hosted(each.model) for each in self._agents):
            # Strands hands on nothing of what the provider ran.
            self.blind.append("calls")

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        Run(turn)
        try:
            with claimed(turn, self._reached):
                result = await self.agent.invoke_async(_prompt(self.agent, turn))
        finally:
            connected = [each for each in self._agents if each.tool_registry._tool_providers]
            if connected:
                with anyio.move_on_after(CLEANING, shield=True):
                    for each in connected:
                        await in_thread(each.cleanup)
        if _interrupted(result):
            turn.env.stopped = "approval"
        else:
            turn.reply(_reply(result))


class Run:
    """One run of an agent: the turn that hears it, and the model call that it waits for. The first in a turn is the turn's own.

    `is_asked`: the model has been asked by now.
    """

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        turn.env.metadata[RUN] = self
        self.begun = False
        self.asking: LlmEvent | None = None
        self.is_asked = False

    async def asks(self, event: Any) -> None:
        """A model call begins, unless a hook of the user's answered it."""
        if event.cancel:
            return
        names = [tool.tool_name for tool in event.agent.tool_registry.registry.values()]
        self.is_asked = False
        beyond = hosted(event.agent.model)
        hosts(self.turn, beyond)  # also of an agent that was built in the turn
        self.asking = await self.turn.asks(map(tool_offered, names), hosted=beyond)

    async def said(self, event: Any) -> None:
        """The model answered, or failed."""
        asked, self.asking = self.asking, None
        if asked is None:
            return
        if event.exception is not None:
            await self.turn.said(asked, error=event.exception)
            return
        message, model = event.stop_response.message, event.agent.model
        asked.model = model.get_config().get("model_id")
        asked.usage = usage_of((message.get("metadata") or {}).get("usage"), model, asked.model)
        output = tools.of_output(event.agent)
        calls = tuple(
            ToolCall(id=use["toolUseId"], name=use["name"], arguments=use["input"])
            for use in (block["toolUse"] for block in message["content"] if "toolUse" in block)
            if use["name"] not in output
        )
        asked.message = Message(
            role="assistant", content=_text(message), tool_calls=calls, usage=asked.usage, model=asked.model
        )
        await self.turn.said(asked)

    async def failed(self, error: BaseException) -> None:
        """The run ended in the middle of what it did."""
        asked, self.asking = self.asking, None
        if asked is not None:
            await self.turn.said(asked, error=error)


_HEARD: dict[type, Callable[[Any, Any], Awaitable[None]]] = {
    BeforeModelCallEvent: Run.asks,
    AfterModelCallEvent: Run.said,
    BeforeToolCallEvent: tools.exchange,
    AfterToolCallEvent: tools.ended,
}


@functools.cache
def watch_every_run() -> None:
    """Put the runs of all agents, and the hooks that they call, under watch. Outside a turn nothing changes."""
    tools.listen()
    plain_hooks, plain_run = HookRegistry.invoke_callbacks_async, Agent.stream_async

    def invoke_callbacks_async(self: Any, event: Any) -> Any:
        called, heard = plain_hooks(self, event), _HEARD.get(type(event))
        return called if heard is None else _told(called, heard, event)

    async def stream_async(self: Any, *given: Any, **named: Any) -> AsyncGenerator[Any, None]:
        turn = turn_of(self, self.name)
        run, inside = (None, False) if turn is None else _begun(turn, self)
        events: Any = plain_run(self, *given, **named)
        if run is not None and inside:
            events = aparts_of(events, functools.partial(within, run.turn))
        try:
            async with contextlib.aclosing(events):
                async for event in events:
                    yield event
        except BaseException as error:
            if run is not None:
                await run.failed(error)
            raise

    HookRegistry.invoke_callbacks_async = functools.wraps(plain_hooks)(invoke_callbacks_async)
    Agent.stream_async = functools.wraps(plain_run)(stream_async)


async def _told(called: Awaitable[Any], heard: Callable[[Any, Any], Awaitable[None]], event: Any) -> Any:
    """What the callbacks of a hook answer; then the run hears of it: what the user's own decided."""
    answer = await called
    if not answer[1]:
        turn = turn_of(event.agent, event.agent.name)
        run = None if turn is None else turn.env.metadata.get(RUN)
        if run is not None:
            await heard(run, event)
    return answer


def _begun(turn: Turn, agent: Any) -> tuple[Run, bool]:
    """The run of an agent that begins in the turn, and whether it is one inside another."""
    listen(type(agent.model))  # of one that was built in the turn
    run: Run | None = turn.env.metadata.get(RUN)
    inside = run is None or run.begun
    if run is None or run.begun:
        run = Run(turn.inner(agent.name))
    run.begun = True
    return run, inside


def _prompt(agent: Any, turn: Turn) -> Any:
    """What the run starts with."""
    messages = turn.env.messages or [Message(role="user")]
    if isinstance(agent, Agent):
        return [as_message(message) for message in messages]
    if len(messages) > 1:
        raise UsageError(
            f"a {type(agent).__name__} of Strands starts with what the user said, and takes no conversation"
        )
    return messages[0].content


def as_message(message: Message) -> dict[str, Any]:
    """A message as Strands has it."""
    if message.role == "tool":
        told = {
            "toolUseId": message.tool_call_id or "",
            "status": "error" if message.failed else "success",
            "content": [{"text": message.content}],
        }
        return {"role": "user", "content": [{"toolResult": told}]}
    blocks: list[dict[str, Any]] = [{"text": message.content}] if message.content or not message.tool_calls else []
    for call in message.tool_calls:
        blocks.append({"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.parsed() or {}}})
    return {"role": "assistant" if message.role == "assistant" else "user", "content": blocks}


def _interrupted(result: Any) -> bool:
    return "interrupt" in str(getattr(result, "stop_reason", getattr(result, "status", ""))).lower()


def _reply(result: Any) -> str:
    """What a run answered: of several agents, what the last said. Raises what made one of them fail."""
    several = getattr(result, "results", None)
    if several is None:
        output = result.structured_output
        return _text(result.message) if output is None else str(output.model_dump_json())
    for each in several.values():
        if isinstance(each.result, Exception):
            raise each.result
    last = getattr(result, "node_history", None) or getattr(result, "execution_order", None) or ()
    return _reply(several[last[-1].node_id].result) if last else ""


def _text(message: Any) -> str:
    return "".join(block["text"] for block in message["content"] if "text" in block)
