"""The adapter for agno: every run, model call and tool call asks first whether it is in a turn; tools run as doubles that ask the turn."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import inspect
import sys
import uuid
from collections.abc import Iterator
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.message import Message as FrameworkMessage
from agno.team import Team
from agno.tools.function import FunctionCall
from pydantic import BaseModel

from ...calling import as_text
from ...messages import Message
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..reaching import reached
from . import agno_calling as calling
from . import agno_parts as parts
from .agno_asking import KNOWN, answers, asynchronous, blocking, by_parts, in_parts, unkept
from .base import Foreign
from .line import LINE, Line, within
from .patching import watch
from .stepwise import aparts_of, parts_of

BEGUN = "brute.agno.begun"
"""Where an env's metadata says whether the run that the turn is of has begun; one that begins after it is an inner agent's."""

FAILED = "brute.agno.failed"
"""Where the metadata holds what ended a run that agno then says has an error."""


class Failed(Exception):
    """What a run ended with of which agno hands on nothing but words."""


class Agno(Foreign):
    """An `Agent` or a `Team`, with its members and the agents that its tools run."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        watch_every_run()
        self._agents = reached(agent, (Agent, Team), parts.functions)

    async def play(self, turn: Turn) -> None:
        """Run the agent once, in a session of the turn's own."""
        line = turn.env.metadata[LINE] = Line()
        known = list(dict.fromkeys(name for each in self._agents for name in parts.names(each)))
        turn.env.metadata |= {BEGUN: False, KNOWN: known}
        with claimed(turn, self._agents), _untold(self._agents):
            try:
                result = await self.agent.arun(_input(turn.env.messages), stream=False, session_id=str(uuid.uuid4()))
            except asyncio.CancelledError:
                await line.given_up(line.idle, "a tool's thread")
                raise
        line.cut()
        await answers(turn, getattr(result, "messages", None) or (), None)
        if result.is_paused:
            turn.env.stopped = "approval"
        elif str(getattr(result.status, "value", result.status)).lower() in ("error", "cancelled"):
            raise turn.env.metadata.get(FAILED) or Failed(str(result.content))
        else:
            _replied(turn, result)


_telling: dict[int, list[Any]] = {}


@contextlib.contextmanager
def _untold(agents: list[Any]) -> Iterator[None]:
    """While this is held, the agents tell agno nothing of their runs."""
    for each in agents:
        kept = _telling.setdefault(id(each), [0, each.telemetry])
        kept[0] += 1
        each.telemetry = False
    try:
        yield
    finally:
        for each in agents:
            kept = _telling[id(each)]
            kept[0] -= 1
            if not kept[0]:
                each.telemetry = _telling.pop(id(each))[1]


def _input(messages: list[Message]) -> Any:
    """What the run starts with: what was said, or the conversation."""
    if len(messages) < 2:
        return messages[0].content if messages else ""
    return [as_message(message) for message in messages]


def as_message(message: Message) -> Any:
    """A message as agno has it."""
    made: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": as_text(call.arguments or {})},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    return FrameworkMessage(**made)


def _replied(turn: Turn, result: Any) -> None:
    """Note what the run answered: agno hands out all that its model said in one piece, whereas the reply is what it said last."""
    said, last = "", None
    for message in reversed(
        result.messages or ()
    ):  # the run's own: a model of its memory has its say in the turn as well
        if message.role != "assistant":
            continue
        text = "" if message.content is None else as_text(message.content)
        said, last = text + said, text if last is None else last
        if said == result.content:
            break
    else:
        turn.reply(_text(result.content))
        return
    if turn.env.messages.reply != last:
        turn.reply(last)


def _text(content: Any) -> str:
    """What a run answered: a text as it is, structured output as JSON."""
    if isinstance(content, BaseModel):
        return content.model_dump_json()
    return "" if content is None else as_text(content)


@functools.cache
def watch_every_run() -> None:
    """Put the runs of all agents and teams, the calls of all models and those of all tools under watch. Outside a turn nothing changes."""
    for kind in (Agent, Team):
        watch(kind, "run", lambda owner, plain: _watched_run(plain))
        watch(kind, "arun", lambda owner, plain: _watched_run(plain))
    watch(Model, "_process_model_response", lambda owner, plain: blocking(plain))
    watch(Model, "_aprocess_model_response", lambda owner, plain: asynchronous(plain))
    watch(Model, "process_response_stream", lambda owner, plain: in_parts(plain))
    watch(Model, "aprocess_response_stream", lambda owner, plain: by_parts(plain))
    for name in ("_get_cached_model_response", "_save_model_response_to_cache", "_save_streaming_responses_to_cache"):
        watch(Model, name, lambda owner, plain: unkept(plain))
    watch(Model, "arun_function_call", lambda owner, plain: calling.arun_function_call(plain))
    watch(FunctionCall, "execute", lambda owner, plain: calling.execute(plain))
    watch(FunctionCall, "aexecute", lambda owner, plain: calling.aexecute(plain))
    for name in ("agno.agent._run", "agno.team._run", "agno.agent.agent", "agno.team.team"):
        with contextlib.suppress(ImportError):  # what a run ends with is said there in some versions alone
            module = importlib.import_module(name)
            if hasattr(module, "log_error"):
                module.log_error = _noted(module.log_error)  # type: ignore[attr-defined]


def _noted(plain: Any) -> Any:
    def log_error(*given: Any, **named: Any) -> Any:
        turn, error = current.get(), sys.exc_info()[1]
        if turn is not None and error is not None:
            turn.env.metadata[FAILED] = error
        return plain(*given, **named)

    return functools.wraps(plain)(log_error)


def _watched_run(plain: Any) -> Any:
    def run(self: Any, *given: Any, **named: Any) -> Any:
        turn = turn_of(self, self.name)
        if turn is None:
            return plain(self, *given, **named)
        mine = turn if turn.env.metadata.get(BEGUN) is False else turn.inner(self.name)
        mine.env.metadata[BEGUN] = True
        with within(mine):
            answer = plain(self, *given, **named)
        if inspect.isgenerator(answer):
            return parts_of(answer, functools.partial(within, mine))
        if hasattr(answer, "__aiter__"):
            return aparts_of(answer, functools.partial(within, mine))
        return _awaited(mine, answer) if inspect.isawaitable(answer) else answer

    return functools.wraps(plain)(run)


async def _awaited(turn: Turn, answer: Any) -> Any:
    with within(turn):
        return await answer
