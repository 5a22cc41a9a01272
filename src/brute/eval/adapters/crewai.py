"""The adapter for CrewAI: every LLM, tool and agent that runs in a turn is heard, and tools run as doubles that ask the turn first."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
from crewai import Agent, Crew, Task

from ...errors import TurnStopped, UsageError
from ...leaves import abandoned, on_thread
from ...messages import Message
from ..claims import claimed, turn_of
from ..daemons import Daemons, outlast
from ..foreign import Turn, current
from . import crewai_asking as asking
from . import crewai_parts as parts
from .base import Foreign
from .crewai_tools import RUNNING, of, watch_tools
from .crewai_waiting import Waits, watch_waiting

OWN = "brute.crewai.own"
"""Where an env's metadata holds the agent that the turn is of; one that runs beside or in it is an inner agent."""

GRACE = 1.0
"""The seconds that a run has to end once it was told to."""

OFFLINE = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
}
"""The variables that CrewAI reads before it sends anything to its makers' servers, as they are while a turn is under way."""

_before: dict[str, str | None] = {}
_lasting = 0
"""How many turns are under way."""


class CrewAI(Foreign):
    """An `Agent` of CrewAI, which is kicked off with the conversation, or a `Crew`, whose tasks ask for one thing in braces."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        made = parts.Parts(agent)
        self._input = parts.placeholder(agent) if isinstance(agent, Crew) else ""
        self._agents = made.agents
        _watch_every_run()
        watch_tools(turn_of)
        asking.hear_models(current.get)
        self.names = made.names()
        self._claims = [*self._agents, *made.tools]

    async def play(self, turn: Turn) -> None:
        """Kick it off once, on a thread and a loop of its own: much of it blocks."""
        kickoff = self._kickoff(turn.env.messages)
        turn.env.metadata[asking.KNOWN] = self.names
        with _under_way(), claimed(turn, self._claims), parts.caches_kept([self.agent, *self._agents]):
            try:
                output = await _apart(turn, kickoff)
            except Waits:
                turn.root.stop, turn.env.stopped = None, "approval"
                return
        await asking.unheard(turn, [], [call.name for call in turn.waiting if call.name in (self.names or ())])
        turn.reply(parts.reply(output))

    def _kickoff(self, messages: Any) -> Callable[[], Awaitable[Any]]:
        if not isinstance(self.agent, Crew):
            given = [_message(message) for message in messages or [Message(role="user")]]
            return functools.partial(self.agent.kickoff_async, given)
        if len(messages) > 1:
            raise UsageError("a Crew of CrewAI starts with what the user said, and takes no conversation")
        said = messages[0].content if messages else ""
        return functools.partial(self.agent.kickoff_async, inputs={self._input: said})


@contextlib.contextmanager
def _under_way() -> Iterator[None]:
    """A turn in which nothing leaves for CrewAI's own servers; several may overlap."""
    global _lasting
    if not _lasting:
        _before.update({name: os.environ.get(name) for name in OFFLINE})
        os.environ.update(OFFLINE)
    _lasting += 1
    try:
        yield
    finally:
        _lasting -= 1
        for name, value in [] if _lasting else _before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


async def _apart(turn: Turn, kickoff: Callable[[], Awaitable[Any]]) -> Any:
    """What the run answers. When it is cancelled, so are its tools, and it is left behind only where it does not end of that."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    async def run() -> Any:
        running = asyncio.get_running_loop()
        # Those of the usual pool would hold up this loop, and then the interpreter, for as long as a model or tool blocks one.
        running.set_default_executor(Daemons())
        of(turn, RUNNING, list).append((running, asyncio.current_task()))
        with _quietly():
            output = await kickoff()
            if hasattr(output, "__aiter__"):
                async for _ in output:
                    pass  # what comes bit by bit is all there at the end
                output = output.result
        return output

    def settle(answer: Any, error: BaseException | None) -> None:
        if not future.done():
            future.set_result((answer, error))

    def done(answer: Any, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: whoever asked has gone
            loop.call_soon_threadsafe(settle, answer, error)

    on_thread(lambda: asyncio.run(run()), done)
    try:
        answer, error = await asyncio.shield(future)
    except asyncio.CancelledError:
        turn.root.stop = turn.root.stop or TurnStopped("the attempt is over")
        for running, task in list(of(turn, RUNNING, list)):
            with contextlib.suppress(RuntimeError):
                running.call_soon_threadsafe(task.cancel)
        with anyio.move_on_after(GRACE, shield=True):
            await asyncio.shield(future)
        told = abandoned.get()
        if (not future.done() or await outlast(GRACE)) and told is not None:
            told.append("kickoff")
        raise
    if error is not None:
        raise error
    return answer


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """While CrewAI draws no boxes on the terminal."""
    try:
        from crewai.events.utils.console_formatter import set_suppress_console_output
    except ImportError:  # an older one
        yield
        return
    set_suppress_console_output(True)
    yield


def _message(message: Message) -> dict[str, Any]:
    """A message as CrewAI has it."""
    if message.role == "tool" or message.tool_calls:
        raise UsageError("a conversation with an agent of CrewAI has what was said and what was answered, and no calls")
    return {"role": message.role, "content": message.content}


@functools.cache
def _watch_every_run() -> None:
    """Put the runs of all agents under watch, and their asking on the terminal. Outside a turn nothing changes."""
    watch_waiting(current.get)
    plain_async = Task._execute_task_async

    @functools.wraps(plain_async)
    def execute(self: Any, agent: Any, context: Any, tools: Any, future: Any) -> None:
        try:
            plain_async(self, agent, context, tools, future)
        except BaseException as stop:  # what stops the turn is no `Exception`, and the crew would wait for ever
            if current.get() is None:
                raise
            future.set_exception(stop)

    Task._execute_task_async = execute  # type: ignore[method-assign]
    for name in ("execute_task", "kickoff"):
        setattr(Agent, name, _blocking(getattr(Agent, name)))
    for name in ("aexecute_task", "kickoff_async", "akickoff"):
        if hasattr(Agent, name):
            setattr(Agent, name, _async(getattr(Agent, name)))


def _blocking(plain: Any) -> Any:
    @functools.wraps(plain)
    def run(self: Any, *args: Any, **named: Any) -> Any:
        with _inside(self):
            return plain(self, *args, **named)

    return run


def _async(plain: Any) -> Any:
    @functools.wraps(plain)
    async def run(self: Any, *args: Any, **named: Any) -> Any:
        with _inside(self):
            return await plain(self, *args, **named)

    return run


@contextlib.contextmanager
def _inside(agent: Any) -> Iterator[None]:
    """The first agent that runs in a turn is the turn's own, any other an inner one, called by its role."""
    turn = turn_of(agent, str(agent.role))
    if turn is None:
        yield
        return
    asking.hear_models(current.get)  # of classes that were made since
    watch_tools(turn_of)
    own = turn.root.env.metadata.setdefault(OWN, agent.id)
    if own != agent.id:
        turn = turn.inner(str(agent.role).strip())
    elif turn.env.outer is not None:
        turn = turn.root
    before = current.set(turn)
    try:
        yield
    finally:
        current.reset(before)
