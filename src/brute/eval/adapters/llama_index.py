"""The adapter for LlamaIndex: every run and step of an agent, every model call and every tool is heard by the turn."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import anyio
from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.workflow import Context

from ...leaves import abandoned
from ...messages import Message
from ..claims import claimed, turn_of
from ..daemons import outlast
from ..foreign import Turn, current
from ..reaching import reached
from . import llama_index_calls as calls
from . import llama_index_tools as tools
from .base import Foreign
from .line import PATIENCE
from .llama_index_asking import watch_every_model
from .llama_index_requests import Step, asking, stepping
from .llama_index_talk import as_message, hosted, reply_of

BEGUN = "brute.llama_index.begun"
"""Where an env's metadata says whether the run that the turn is of has begun; one that begins after it is an inner agent's."""

FIRST = "brute.llama_index.first"
"""Where it says what the agent is called that the run begins with."""

WAITS = "brute.llama_index.waits"
"""Where it has what is set when a run waits for somebody's answer."""

CLOSING = 5.0
"""The seconds that ending what a run left running may take."""


class LlamaIndex(Foreign):
    """An agent of LlamaIndex, with those that its tools run; or a workflow of agents that hand over to one another."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        _watch_every_run()
        self._reached = reached(agent, (BaseWorkflowAgent, AgentWorkflow), tools.functions)
        self._agents = [each for each in self._reached if isinstance(each, BaseWorkflowAgent)]
        _watch_classes()
        held = [tool for each in self._agents for tool in each.tools or ()]
        names = [tool.metadata.get_name() for tool in held]
        names += ["handoff"] if any(len(getattr(each, "agents", ())) > 1 for each in self._reached) else []
        # What a retriever finds is known once it has found it.
        self.names = (
            None if any(each.tool_retriever is not None for each in self._agents) else list(dict.fromkeys(names))
        )
        self._claims = [*self._reached, *held, *(each.llm for each in self._agents)]
        if any(hosted(each) for each in self._agents):
            # Of what the provider ran, or the agent's own code, nothing is handed on.
            self.blind.append("calls")

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        messages = [as_message(message) for message in turn.env.messages or [Message(role="user")]]
        last = messages.pop() if messages[-1].role.value == "user" else None
        waits = asyncio.Event()
        started: set[Any] = set()
        turn.env.metadata |= {BEGUN: False, WAITS: waits, calls.TASKS: started}
        with claimed(turn, self._claims):
            handler = self.agent.run(user_msg=last, chat_history=messages or None)
            try:
                result = await _result(handler, waits)
            finally:
                with anyio.move_on_after(CLOSING, shield=True):
                    await _ended(handler, started)
                told = abandoned.get()
                if told is not None and await outlast(PATIENCE):
                    cut = turn.env.metadata.get(calls.CUT)
                    told.append("a thread of the agent's" if cut is None else f"tool {cut}")
        if waits.is_set():
            turn.env.stopped = "approval"
        else:
            turn.reply(reply_of(result))


async def _result(handler: Any, waits: asyncio.Event) -> Any:
    """What the run comes to; None where it waits for somebody."""

    async def run() -> Any:
        return await handler

    result, waiting = asyncio.ensure_future(run()), asyncio.ensure_future(waits.wait())
    try:
        await asyncio.wait({result, waiting}, return_when=asyncio.FIRST_COMPLETED)
        return result.result() if result.done() else None
    finally:
        for each in (result, waiting):
            each.cancel()
        await asyncio.gather(result, waiting, return_exceptions=True)


async def _ended(handler: Any, started: set[Any]) -> None:
    """See to it that nothing of a run goes on."""
    left = [task for task in started if not task.done()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    if not handler.is_done():
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await handler.cancel_run()


@functools.cache
def _watch_every_run() -> None:
    """Put the runs of all agents under watch, and their waiting for somebody. Outside a turn nothing changes."""
    for kind in (BaseWorkflowAgent, AgentWorkflow):
        kind.run = functools.wraps(kind.run)(_running(kind.run))  # type: ignore[method-assign]
    plain_wait: Any = Context.wait_for_event

    async def wait_for_event(self: Any, *given: Any, **named: Any) -> Any:
        turn = current.get()
        if turn is not None and WAITS in turn.root.env.metadata:
            turn.root.env.metadata[WAITS].set()
        return await plain_wait(self, *given, **named)

    Context.wait_for_event = functools.wraps(plain_wait)(wait_for_event)  # type: ignore[method-assign]


def _running(plain: Any) -> Any:
    def run(self: Any, *given: Any, **named: Any) -> Any:
        name = getattr(self, "root_agent", None) or self.name
        turn = turn_of(self, name)
        if turn is None:
            return plain(self, *given, **named)
        if turn.env.metadata.get(BEGUN) is not False:
            turn = turn.inner(name)
        turn.env.metadata |= {BEGUN: True, FIRST: name}
        with _within(turn):
            return plain(self, *given, **named)

    return run


@contextlib.contextmanager
def _within(turn: Turn) -> Iterator[None]:
    """What is started meanwhile is the turn's."""
    own: Any = ((current, turn), (stepping, None), (asking, False), (calls.through, ()))
    before = [(variable, variable.set(value)) for variable, value in own]
    try:
        yield
    finally:
        for variable, token in before:
            variable.reset(token)


def _watch_classes() -> None:
    """Put the steps of all agents, all models and all tools under watch, as many as there are by now."""
    tools.watch_every_tool()
    watch_every_model()
    waiting: list[Any] = [BaseWorkflowAgent]
    while waiting:
        kind = waiting.pop()
        _watch_steps(kind)
        waiting += kind.__subclasses__()


@functools.cache
def _watch_steps(kind: Any) -> None:
    for name, watch in (("take_step", _taking), ("handle_tool_call_results", _handling)):
        plain = vars(kind).get(name)
        if plain is not None and not getattr(plain, "__isabstractmethod__", False):
            setattr(kind, name, functools.wraps(plain)(watch(plain)))


def _taking(plain: Any) -> Any:
    async def take_step(self: Any, ctx: Any, llm_input: Any, given: Any, *more: Any, **named: Any) -> Any:
        turn = current.get()
        step = stepping.get()
        if turn is None or (step is not None and step.agent is self):
            return await plain(self, ctx, llm_input, given, *more, **named)
        calls.started(turn)
        for tool in given:
            tools.watch_one(tool)
        first = turn.env.metadata.get(FIRST)
        turn.env.metadata[calls.AGENT] = None if self.name == first else self.name
        step = Step(turn, self, given, hosted(self))
        token = stepping.set(step)
        try:
            output = await plain(self, ctx, llm_input, given, *more, **named)
        except BaseException as error:
            await step.end((), error)
            raise
        finally:
            stepping.reset(token)
        await step.end(output.tool_calls)
        return output

    @functools.wraps(plain)
    async def by_name(self: Any, ctx: Any, llm_input: Any, tools: Any, *more: Any, **named: Any) -> Any:
        return await take_step(self, ctx, llm_input, tools, *more, **named)

    return by_name


def _handling(plain: Any) -> Any:
    async def handle_tool_call_results(self: Any, ctx: Any, results: Sequence[Any], *more: Any, **named: Any) -> Any:
        turn = current.get()
        for call in [] if turn is None else turn.waiting:
            for result in [each for each in results if (each.tool_id or "") == call.id]:
                await _unheard(turn, call, result.tool_output)
        return await plain(self, ctx, results, *more, **named)

    return handle_tool_call_results


async def _unheard(turn: Any, call: Any, output: Any) -> None:
    """A call of which no tool has heard: there is none of that name, or the framework answered it otherwise."""
    if output.is_error:
        exists = getattr(output, "exception", None) is not None
        await turn.refused(call, output.content, exists=exists, agent=turn.env.metadata.get(calls.AGENT))
    else:
        turn.asked.answered(call, output.content)
