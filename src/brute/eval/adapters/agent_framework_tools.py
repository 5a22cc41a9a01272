"""The tools of Microsoft's Agent Framework under watch: doubles whose body asks the turn, and the agents and tools that an agent has."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import agent_framework as af

from ...messages import ToolCall
from ..claims import turn_of
from ..foreign import Turn
from ..known import served
from .base import tool_accepting
from .direct import called

BEGUN = "brute.agent_framework.begun"
"""Where an env's metadata says whether the run that the turn is of has begun; one that begins after it is an inner agent's.

In the turn of another framework's agent it says nothing: tools and clients are that one's there.
"""


async def invoked(turn: Turn, tool: Any, plain: Any, named: dict[str, Any]) -> Any:
    """What the tool answers; the check of arguments before its body, and what is made of its result after it, stay the framework's."""
    given = named.get("arguments")
    if given is None and named.get("context") is not None:
        given = named["context"].arguments
    body = Body(turn, tool, ToolCall(id=named.get("tool_call_id") or "", name=tool.name, arguments=_mapping(given)))
    try:
        return await plain(_double(tool, body), **named)
    except Exception as error:
        if not body.ran:
            await turn.refused(body.asked, str(error))
        raise


def _double(tool: Any, body: Body) -> Any:
    """A copy of the tool with another body."""

    async def func(**given: Any) -> Any:
        return await body(given)

    tool.parameters()  # kept by the tool once it was asked for, which a copy would have to work out each time
    made = object.__new__(type(tool))
    made.__dict__.update(tool.__dict__)
    made.func, made._instance, made.brute_double = func, None, True
    return made


class Body:
    """What runs in the place of a tool's body: the turn is asked first. `ran`: it was come to."""

    def __init__(self, turn: Turn, tool: Any, asked: ToolCall) -> None:
        self.turn = turn
        self.tool = tool
        self.asked = asked
        self.ran = False

    async def __call__(self, given: dict[str, Any]) -> Any:
        """Run the tool, or serve what stands for its answer."""
        self.ran = True
        name, found = self.tool._context_parameter_name, []
        beside = {name: given.pop(name)} if name in given else {}

        async def run(arguments: dict[str, Any]) -> Any:
            fitting = given if arguments == given else self.tool._prepare_arguments(arguments)
            token = _running.set(self.tool)
            try:
                found.append(await self.tool._invoke_function({**fitting, **beside}))
            finally:
                _running.reset(token)
            return value_of(found[0])

        event = await self.turn.call(self.asked, run, tool=tool_accepting(self.tool.name), arguments=dict(given))
        # A server's result is more than its value.
        return found[0] if event.outcome == "ran" and found else served(event)


_running: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_agent_framework_running", default=None)
"""The tool that the turn has run, which calls itself for that."""


def listen() -> None:
    """Put tools under watch that other code calls as the functions that they were made of. Outside a turn nothing changes."""
    plain = af.FunctionTool.__call__

    def call(self: Any, *given: Any, **named: Any) -> Any:
        mine = is_double(self) or _running.get() is self or self.func is None
        turn = None if mine else turn_of(self, self.name)
        if turn is None or BEGUN not in turn.env.metadata:
            return plain(self, *given, **named)
        return called(turn, self.name, _real(self, plain), given, named, {self._context_parameter_name})

    af.FunctionTool.__call__ = functools.wraps(plain)(call)  # type: ignore[method-assign]


def _real(tool: Any, plain: Any) -> Any:
    """The tool's own call, with the face of its function."""

    @functools.wraps(tool.func)
    def real(*given: Any, **named: Any) -> Any:
        return plain(tool, *given, **named)

    if tool._instance is not None:
        parameters = list(inspect.signature(tool.func).parameters.values())[1:]
        real.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return real


def is_double(tool: Any) -> bool:
    """Whether it is the double of a tool already."""
    return "brute_double" in tool.__dict__


def _mapping(given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else dict(given.model_dump(exclude_unset=True))


def value_of(result: Any) -> Any:
    """What a tool answered: the text of a server's, what a function returned."""
    contents = result if isinstance(result, list) else [result]
    if contents and all(isinstance(content, af.Content) for content in contents):
        texts = [content.text for content in contents if content.type == "text"]
        return "\n".join(texts) if len(texts) == len(contents) else [content.to_dict() for content in contents]
    return result


def held(agent: Any) -> list[Any]:
    """The tools that an agent has of its own."""
    return [tool for tool in agent.default_options.get("tools") or () if isinstance(tool, af.FunctionTool)]


def functions(thing: Any) -> Iterator[Any]:
    """What leads from an agent or a tool to others."""
    if isinstance(thing, af.FunctionTool):
        yield thing.func
    else:
        yield from held(thing)


def hosted(tool: Any) -> str:
    """The name of a tool that the provider runs."""
    named = tool if isinstance(tool, Mapping) else getattr(tool, "__dict__", {})
    return str(named.get("name") or named.get("type") or type(tool).__name__)


def parts_of(messages: Iterable[Any]) -> tuple[str, tuple[ToolCall, ...], list[ToolCall]]:
    """What messages of a model say: the text, the calls that it asks for, and those that the provider ran by itself."""
    texts, calls, ran = [], [], []
    for content in (content for message in messages for content in message.contents):
        kind = content.type
        if kind == "text":
            texts.append(content.text or "")
        elif kind == "function_call" and not getattr(content, "informational_only", False):
            calls.append(ToolCall(id=content.call_id, name=content.name, arguments=content.arguments))
        elif kind == "function_call" or kind.endswith("_tool_call"):
            name = getattr(content, "tool_name", None) or getattr(content, "name", None)
            given = getattr(content, "arguments", None)
            name = name or kind.removesuffix("_tool_call")
            ran.append(ToolCall(id=content.call_id or "", name=name, arguments=given))
    return "".join(texts), tuple(calls), ran
