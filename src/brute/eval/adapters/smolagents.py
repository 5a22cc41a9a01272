"""The adapter for smolagents: every run, model call and tool call asks first whether it is in a turn, on whatever thread it is."""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections.abc import Iterator
from typing import Any

from smolagents import LocalPythonExecutor, MultiStepAgent, Tool, ToolCallingAgent
from smolagents import agents as framework
from smolagents.memory import ActionStep, SystemPromptStep, TaskStep
from smolagents.memory import ToolCall as Called
from smolagents.monitoring import Timing

from ...calling import as_text
from ...errors import UsageError, literal
from ...messages import Message
from ..claims import claimed, turn_of
from ..foreign import Turn
from ..reaching import reached
from ..stubs import StubError
from . import smolagents_tools as tools
from .base import Foreign
from .line import LINE, Line, within
from .patching import watch
from .smolagents_asking import AGENT, generate, generate_stream, hosted, text_of
from .smolagents_code import send_tools
from .stepwise import parts_of


class Smolagents(Foreign):
    """A `ToolCallingAgent` or `CodeAgent`, with its managed agents and those that its tools run."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        watch_every_run()
        self._things = reached(agent, (MultiStepAgent, Tool), tools.functions)
        self._agents = [each for each in self._things if isinstance(each, MultiStepAgent)]
        for each in self._things:
            if isinstance(each, MultiStepAgent):
                _watch(each)
            else:
                watch(type(each), "__call__", tools.called)
        own = [name for each in self._agents for name in (*tools.held(each), *tools.extra(each))]
        beside = [each.name for each in self._things if isinstance(each, Tool) and not tools.is_output(each)]
        self.names = list(dict.fromkeys([*own, *beside]))
        if any(hosted(each.model) or tools.is_out_of_reach(each) for each in self._agents):
            # Nothing is handed on of what runs elsewhere.
            self.blind.append("calls")

    async def play(self, turn: Turn) -> None:
        """Run the agent once, on a thread."""
        line = turn.env.metadata[LINE] = Line()
        turn.env.metadata[tools.BEGUN] = False
        run = functools.partial(_run, self.agent, list(turn.env.messages))
        with _alone(self._agents), claimed(turn, self._things):
            output = await line.carry(run, self._interrupt)
        turn.reply(_reply(output))

    def _interrupt(self) -> None:
        for each in self._agents:
            each.interrupt()


_busy: set[int] = set()


@contextlib.contextmanager
def _alone(agents: list[Any]) -> Iterator[None]:
    """While this is held, no other turn may have any of the agents, whose memory is their own, or of what runs their code."""
    mine = set()
    for each in agents:
        executor = getattr(each, "python_executor", None)
        for thing, what, whose in ((each, "", "its memory"), (executor, "the executor of ", "the state of its code")):
            if thing is None:
                continue
            mine.add(id(thing))
            if id(thing) in _busy:
                raise UsageError(
                    f"{what}{literal(each.name or type(each).__name__)} is in the turn of another attempt, and {whose} with it; "
                    "build it where the agent is built"
                )
    _busy.update(mine)
    try:
        yield
    finally:
        _busy.difference_update(mine)


def _run(agent: Any, messages: list[Message]) -> Any:
    messages = messages or [Message(role="user")]
    last = messages.pop()
    if last.role != "user":
        raise UsageError("a run of smolagents starts with what the user said, and so must the conversation end")
    if not messages:
        return agent.run(last.content)
    agent.memory.reset()
    agent.memory.steps += [as_step(message, number) for number, message in enumerate(messages)]
    return agent.run(last.content, reset=False)


def as_step(message: Message, number: int) -> Any:
    """A message as an agent remembers it."""
    if message.role == "user":
        return TaskStep(task=message.content)
    if message.role == "system":
        return SystemPromptStep(system_prompt=message.content)
    now = time.time()
    step = ActionStep(step_number=number, timing=Timing(start_time=now, end_time=now))
    if message.role == "tool":
        step.observations = message.content
    else:
        step.model_output = message.content or None
        step.tool_calls = [
            Called(name=call.name, arguments=call.parsed() or call.arguments, id=call.id) for call in message.tool_calls
        ] or None
    return step


def _reply(output: Any) -> str:
    """What a run answered."""
    full = getattr(framework, "RunResult", ())
    if full and isinstance(output, full):
        output = output.output
    if isinstance(output, list) and output and all(isinstance(each, dict) and "text" in each for each in output):
        return text_of(output)  # what a model says whose steps are spent
    return "" if output is None else str(output) if isinstance(output, str) else as_text(output)


def _watch(agent: Any) -> None:
    """Put the model and the tools of an agent under watch."""
    for each in (agent, *agent.tools.values()):
        watch(type(each), "__call__", tools.called)
    model = agent.model
    own = getattr(model, "__dict__", {})
    seen = "generate" not in own and "generate_stream" not in own and watch(type(model), "generate", generate)
    if seen and hasattr(type(model), "generate_stream"):
        seen = watch(type(model), "generate_stream", generate_stream)
    if not seen:
        raise UsageError(
            f"the model of {literal(agent.name or type(agent).__name__)} is a {type(model).__name__} whose class defines no method "
            "`generate`, or which has its own: nothing could be seen of what it is asked"
        )


@functools.cache
def watch_every_run() -> None:
    """Put the runs of all agents, the calls of all tools and the code of all executors under watch. Outside a turn nothing changes."""
    watch(MultiStepAgent, "run", lambda owner, plain: _watched_run(plain))
    watch(ToolCallingAgent, "execute_tool_call", lambda owner, plain: tools.execute_tool_call(plain))
    watch(LocalPythonExecutor, "send_tools", lambda owner, plain: send_tools(plain))
    watch(MultiStepAgent, "__call__", tools.called)
    watch(Tool, "__call__", tools.called)


def _watched_run(plain: Any) -> Any:
    def run(self: Any, *given: Any, **named: Any) -> Any:
        turn = turn_of(self, self.name)
        if turn is None:
            return plain(self, *given, **named)
        mine = _entered(turn, self)
        with _inside(mine, self):
            answer = plain(self, *given, **named)
        return parts_of(answer, functools.partial(_inside, mine, self)) if inspect.isgenerator(answer) else answer

    return functools.wraps(plain)(run)


def _entered(turn: Turn, agent: Any) -> Turn:
    """The turn of a run that begins here."""
    try:
        _watch(agent)  # one that was built in the turn was not looked at before
    except UsageError as error:
        turn.root.stop = turn.root.stop or StubError(str(error))
        raise turn.root.stop from error
    mine = turn if turn.env.metadata.get(tools.BEGUN) is False else turn.inner(agent.name)
    mine.env.metadata |= {tools.BEGUN: True, AGENT: agent}
    return mine


@contextlib.contextmanager
def _inside(turn: Turn, agent: Any) -> Iterator[None]:
    tools.running.setdefault(id(agent), []).append(turn)
    try:
        with within(turn):
            yield
    finally:
        tools.running[id(agent)].remove(turn)
        if not tools.running[id(agent)]:
            del tools.running[id(agent)]
