"""The calls of smolagents under watch, whoever makes them: the agent for its model, the code that its model wrote, or another tool."""

from __future__ import annotations

import contextvars
import functools
import inspect
import json
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from smolagents import FinalAnswerTool, LocalPythonExecutor, MultiStepAgent
from smolagents.agent_types import AgentText, handle_agent_output_types

from ...calling import working
from ...hooks import ToolEvent
from ...messages import ToolCall
from ..claims import turn_of
from ..foreign import Turn, current
from ..known import Known, served
from .line import body, tell, within
from .patching import watch

BEGUN = "brute.smolagents.begun"
"""Where an env's metadata says whether the run that the turn is of has begun; one that begins after it is an inner agent's.

In the turn of another framework's agent it says nothing: a tool that is called there is a mere function.
"""

SANITIZE = "sanitize_inputs_outputs"


class Pending:
    """A call that its maker has announced: who is called, as what, and whether it was come to (`taken`); `checked`: so were its arguments."""

    def __init__(self, tool: Any, asked: ToolCall, checked: bool) -> None:
        self.tool = tool
        self.asked = asked
        self.checked = checked
        self.taken = False


announced: contextvars.ContextVar[Pending | None] = contextvars.ContextVar("brute_smolagents_pending", default=None)
_calling: contextvars.ContextVar[tuple[Any, type] | None] = contextvars.ContextVar(
    "brute_smolagents_calling", default=None
)


def is_output(tool: Any) -> bool:
    """Whether it is no tool, but the way in which an agent hands over its answer."""
    return type(tool) is FinalAnswerTool


def held(agent: Any) -> dict[str, Any]:
    """What an agent's model may call, by name."""
    return {name: tool for name, tool in {**agent.tools, **agent.managed_agents}.items() if not is_output(tool)}


def functions(thing: Any) -> Iterator[Any]:
    """What leads from an agent or a tool to others."""
    if isinstance(thing, MultiStepAgent):
        yield from held(thing).values()
        yield from extra(thing).values()
    elif not is_output(thing):
        yield thing.forward
        # One that is wrapped around a function keeps it.
        yield from (each for each in vars(thing).values() if isinstance(each, _FUNCTIONS))


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


def extra(agent: Any) -> Mapping[str, Any]:
    """The functions that an agent's generated code may call besides its tools."""
    return getattr(getattr(agent, "python_executor", None), "additional_functions", None) or {}


def is_out_of_reach(agent: Any) -> bool:
    """Whether what the agent's model writes is run somewhere else, with copies of its tools."""
    executor = getattr(agent, "python_executor", None)
    return executor is not None and not isinstance(executor, LocalPythonExecutor)


def called(owner: type, plain: Any) -> Any:
    """The `__call__` of a class of tools or agents, under watch."""

    def call(self: Any, *given: Any, **named: Any) -> Any:
        pending, outer = announced.get(), _calling.get()
        mine = pending if pending is not None and pending.tool is self and not pending.taken else None
        # An agent that nobody announced is run by somebody's code, which is no call.
        passed = is_output(self) or (mine is None and isinstance(self, MultiStepAgent))
        # By `super().__call__`, from what was called already.
        again = outer is not None and outer[0] is self and outer[1] is not owner and issubclass(outer[1], owner)
        turn = None if passed or again else turn_of(self, self.name)
        if turn is None or (mine is None and BEGUN not in turn.env.metadata):
            return plain(self, *given, **named)
        token = _calling.set((self, owner))
        try:
            return _call(turn, self, mine, functools.partial(plain, self), given, named)
        finally:
            _calling.reset(token)

    return functools.wraps(plain)(call)


def _call(turn: Turn, tool: Any, pending: Pending | None, real: Any, given: Any, named: dict[str, Any]) -> Any:
    sanitizing = {SANITIZE: named.pop(SANITIZE)} if SANITIZE in named else {}
    if pending is not None:
        pending.taken = True
    arguments = arguments_of(tool, given, named)
    asked = pending.asked if pending is not None else ToolCall(name=tool.name, arguments=dict(arguments))
    check = taken if pending is not None and pending.checked else functools.partial(_check, tool, given)

    def run(changed: dict[str, Any] | None) -> Any:
        return real(**changed, **sanitizing) if changed is not None else real(*given, **named, **sanitizing)

    value, ran = dispatched(turn, asked, arguments, Known(asked.name, check=check), run)
    return handle_agent_output_types(value, tool.output_type) if sanitizing.get(SANITIZE) and not ran else value


def dispatched(
    turn: Turn, asked: ToolCall, arguments: dict[str, Any], tool: Known, run: Callable[[dict[str, Any] | None], Any]
) -> tuple[Any, bool]:
    """What the call answers, and whether its tool ran: `run(None)` runs it as it was called, `run(arguments)` with others."""
    event: ToolEvent = tell(turn, _begun(turn, asked, tool, dict(arguments)))
    if event.outcome is not None:
        return served(event), False
    try:
        with within(turn), working(event), body(turn, asked.name):
            result = run(None if event.arguments == arguments else event.arguments or {})
    except BaseException as error:
        tell(turn, turn.end(event, error=error))
        raise
    tell(turn, turn.end(event, result.to_raw() if isinstance(result, AgentText) else result))
    return result, True


async def _begun(turn: Turn, asked: ToolCall, tool: Known, arguments: dict[str, Any]) -> ToolEvent:
    """The event of a call, which is over already where the tool must not run: each way to the loop costs something."""
    event = await turn.begin(asked, tool=tool, arguments=arguments)
    if event.outcome is not None:
        await turn.end(event)
    return event


def arguments_of(tool: Any, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """What the tool is called with, by name; what it has no name for stands under "*"."""
    names = list(getattr(tool, "inputs", None) or ())
    if len(given) == 1 and not named and isinstance(given[0], dict) and all(name in names for name in given[0]):
        return dict(given[0])
    placed = {name: value for name, value in zip(names, given, strict=False) if name not in named}
    over = [*given[len(names) :], *(value for name, value in zip(names, given, strict=False) if name in named)]
    return {**placed, **named, **({"*": over} if over else {})}


def _check(tool: Any, given: tuple[Any, ...], arguments: dict[str, Any]) -> None:
    """Refuse what the tool itself would refuse when it is called from code, where the framework checks nothing."""
    if given and type(tool).__name__ == "MCPAdaptTool" and not isinstance(given[0], dict):
        raise ValueError(f"tool {tool.name} does not support positional arguments")
    signature = inspect.signature(tool.run if isinstance(tool, MultiStepAgent) else tool.forward)
    if "self" in signature.parameters:  # of a decorated function, which the framework gives one that it does not take
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    signature.bind(**arguments)


def taken(arguments: dict[str, Any]) -> None:
    """Refuse nothing: what the framework took is taken."""


def as_arguments(given: Any) -> Any:
    """The arguments that a model asked for, which may be anything, as a call has them."""
    return given if given is None or isinstance(given, (str, Mapping)) else json.dumps(given, default=str)


running: dict[int, list[Turn]] = {}
"""The turns of each agent that runs: a thread of its own may know of none (before smolagents 1.23)."""


def execute_tool_call(plain: Any) -> Any:
    """How an agent runs a call for its model, under watch: calls of which no tool hears are told of here."""

    def execute_tool_call(self: Any, tool_name: str, arguments: Any) -> Any:
        mine = running.get(id(self))
        turn = mine[-1] if current.get() is None and mine else turn_of(self, self.name)
        if turn is None:
            return plain(self, tool_name, arguments)
        tool = {**self.tools, **self.managed_agents}.get(tool_name)
        asked = ToolCall(name=str(tool_name), arguments=as_arguments(arguments))
        with within(turn):
            if tool is None:
                tell(turn, turn.refused(asked, f"Unknown tool {tool_name}", exists=False))
            if tool is None or is_output(tool):
                return plain(self, tool_name, arguments)
            watch(type(tool), "__call__", called)
            return _announced(turn, Pending(tool, asked, True), functools.partial(plain, self, tool_name, arguments))

    return functools.wraps(plain)(execute_tool_call)


def _announced(turn: Turn, pending: Pending, call: Callable[[], Any]) -> Any:
    token = announced.set(pending)
    try:
        return call()
    except Exception as error:
        if not pending.taken:
            tell(turn, turn.refused(pending.asked, str(error)))
        raise
    finally:
        announced.reset(token)
