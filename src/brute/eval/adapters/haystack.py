"""The adapter for Haystack: every run of an agent, every model call of a generator and every invocation of a tool is heard by the turn."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.agents import agent as loop
from haystack.core.errors import PipelineRuntimeError
from haystack.tools import Tool, flatten_tools_or_toolsets

from ...calling import inside
from ..bridging import wait
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..reaching import reached
from . import haystack_calls as calls
from . import haystack_tools as tools
from .base import Foreign
from .haystack_asking import ALL_NAMES, hosted, looping, watch_every_generator
from .haystack_connections import connected, warmed
from .haystack_talk import Inputs, reply_of
from .haystack_trouble import asking
from .line import Line

BEGUN = "brute.haystack.begun"
"""Where an env's metadata says whether the agent that the turn is of has begun; one that begins after it is an inner agent."""


class Haystack(Foreign):
    """An agent of Haystack, with those that are its tools or that its tools run; or a pipeline of components with agents among them."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self._inputs = Inputs(agent)
        self._reach()
        self._lazy = any(tools.toolsets(each.tools) for each in self._agents)
        self.names = None if self._lazy else self._held()
        generators = [each.chat_generator for each in self._agents]
        if any(hosted(getattr(one, "tools", None), getattr(one, "generation_kwargs", None)) for one in generators):
            # Haystack's generators hand on nothing of what the provider ran.
            self.blind.append("calls")

    def _reach(self) -> None:
        found = reached(self.agent, (Agent, Pipeline), tools.functions)
        self._agents = [each for each in found if isinstance(each, Agent)]
        parts = [part for each in found if isinstance(each, Pipeline) for _, part in each.walk()]
        self._beside = [each for part in parts for each in tools.held_beside(part)]
        self._claims = [*self._agents, *(each.chat_generator for each in self._agents), *parts]
        _watch_every_run()
        watch_every_generator([type(each.chat_generator) for each in self._agents])

    def _held(self) -> list[str] | None:
        found = [tool for each in self._agents for tool in tools.held(each)]
        found += flatten_tools_or_toolsets([each for each in self._beside if not tools.toolsets([each])])
        for tool in found:
            tools.watch_one(tool)
        self._claims += found
        if any(tools.toolsets([each]) for each in self._beside):
            return None  # a component finds out what is in it when it likes
        return list(dict.fromkeys([tool.name for tool in found]))

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        async with connected(self._agents):
            if self._lazy:
                await warmed(self._agents)
                self._reach()
                turn.env.metadata[ALL_NAMES] = self.names = self._held()
            line = Line()
            turn.env.metadata |= {BEGUN: False, calls.BLOCKING: line}
            given = self._inputs.given(turn.env.messages)
            try:
                with claimed(turn, self._claims):
                    answer = await self.agent.run_async(**given)
            except PipelineRuntimeError as error:
                raise error.__cause__ or error from None
            except asyncio.CancelledError:
                await line.given_up(line.idle, "a tool's thread")
                raise
        turn.reply(reply_of(self.agent, answer))


@functools.cache
def _watch_every_run() -> None:
    """Put the runs of all agents, the calls that they run and all tools under watch. Outside a turn nothing changes."""
    tools.watch(Tool)
    plain, plain_async = Agent.run, Agent.run_async
    calls_plain, calls_plain_async = loop._run_tool, loop._run_tool_async

    def run(self: Any, *given: Any, **named: Any) -> Any:
        turn = _entered(self)
        if turn is None:
            return plain(self, *given, **named)
        with _within(turn, self):
            answer = plain(self, *given, **named)
            wait(_unknown(turn, [tool.name for tool in tools.held(self)]))
            return answer

    async def run_async(self: Any, *given: Any, **named: Any) -> Any:
        turn = _entered(self)
        if turn is None:
            return await plain_async(self, *given, **named)
        with _within(turn, self):
            answer = await plain_async(self, *given, **named)
            await _unknown(turn, [tool.name for tool in tools.held(self)])
            return answer

    def run_calls(**named: Any) -> Any:
        turn = current.get()
        if turn is None:
            return calls_plain(**named)
        wait(_unknown(turn, _names(named)))
        with _pending(named["messages"]):
            return calls_plain(**named)

    async def run_calls_async(**named: Any) -> Any:
        turn = current.get()
        if turn is None:
            return await calls_plain_async(**named)
        await _unknown(turn, _names(named))
        with _pending(named["messages"]) as started:
            try:
                return await calls_plain_async(**named)
            except BaseException:
                await _ended(started)
                raise

    Agent.run = functools.wraps(plain)(run)
    Agent.run_async = functools.wraps(plain_async)(run_async)
    loop._run_tool, loop._run_tool_async = run_calls, run_calls_async


def _entered(agent: Any) -> Turn | None:
    """The turn of a run that begins here."""
    hearing = inside.get()
    # Agents have no names in Haystack: it is the one of a component, or of the tool that runs it.
    name = getattr(agent, "__component_name__", None) or (hearing.name if hearing else "agent")
    turn = turn_of(agent, name)
    if turn is not None and turn.env.metadata.get(BEGUN) is not False:
        turn = turn.inner(name)
    if turn is not None:
        turn.env.metadata[BEGUN] = True
    return turn


@contextlib.contextmanager
def _within(turn: Turn, agent: Any) -> Iterator[None]:
    own: Any = ((current, turn), (looping, (turn, agent.chat_generator)), (asking, None), (calls.through, None))
    before = [(variable, variable.set(value)) for variable, value in own]
    try:
        yield
    finally:
        for variable, token in before:
            variable.reset(token)


@contextlib.contextmanager
def _pending(messages: Any) -> Iterator[set[Any]]:
    """While an agent runs the calls that its messages ask for."""
    started: set[Any] = set()
    waiting = calls.pending.set([call for message in messages for call in message.tool_calls])
    tasks, through = calls.tasks.set(started), calls.through.set(None)
    try:
        yield started
    finally:
        calls.pending.reset(waiting)
        calls.tasks.reset(tasks)
        calls.through.reset(through)


async def _ended(started: set[Any]) -> None:
    """See to it that no call of a batch goes on when another has ended the turn."""
    left = [task for task in started if not task.done() and task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def _names(named: dict[str, Any]) -> list[str]:
    found = flatten_tools_or_toolsets(named["tools"])
    for tool in found:
        tools.watch_one(tool)
    return [tool.name for tool in found]


async def _unknown(turn: Turn, names: list[str]) -> None:
    """Tell the turn of calls to tools that there are not."""
    for call in [call for call in turn.waiting if call.name not in names]:
        await turn.refused(call, f"Tool '{call.name}' not found. Available tools: {', '.join(names)}", exists=False)
