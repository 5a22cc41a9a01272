"""The adapter for pydantic-ai: a capability, handed to each run of the turn, that wraps the toolset and the model requests."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_ai import Agent, CallDeferred, ModelRetry, RunContext
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, combined
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, RetryPromptPart, ToolReturnPart
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset, FunctionToolset, WrapperToolset

from ...calling import as_text
from ...completion import translate
from ...messages import ToolCall
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..known import Known, served
from ..reaching import reached
from .base import Foreign, tool_accepting
from .pydantic_ai_asking import answered, call_of, hosted, listen


class PydanticAI(Foreign):
    """A pydantic-ai agent. Agents that its tools run are seen and stubbed too."""

    def __init__(self, agent: AbstractAgent[Any, Any]) -> None:
        super().__init__(agent)
        watch_every_run()
        self._agents = reached(agent, AbstractAgent, _functions)
        self._declared, complete = _declared(self._agents)
        self.names = self._declared if complete and not _hosts(agent) else None

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        earlier, prompt = list(turn.env.messages), None
        if earlier and earlier[-1].role == "user":
            prompt = earlier.pop().content
        with claimed(turn, self._agents):
            result = await self.agent.run(
                prompt,
                message_history=translate.history(earlier, {}) or None,
                capabilities=[Watching(turn, self._declared)],
                infer_name=False,  # looked for where the run is called from, which is here
            )
        await _answers(turn, result.new_messages())
        waiting = [call.name for call in turn.waiting]
        if type(result.output).__name__ == "DeferredToolRequests" and waiting:
            turn.env.stopped = "approval"
            return
        turn.reply(as_text(result.output))


@dataclasses.dataclass
class Watching(AbstractCapability[Any]):
    """The watch on one run: its model requests, and the calls that its toolset gets."""

    turn: Turn
    declared: list[str]
    offered: Any = None
    tools: list[Known] = dataclasses.field(default_factory=list)

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """Stand between the agent's own hooks, which all still fire, and the tools."""
        return Watched(toolset, self.turn)

    async def wrap_model_request(self, ctx: RunContext[Any], *, request_context: Any, handler: Any) -> ModelResponse:
        """A model call."""
        await _answers(self.turn, request_context.messages)
        offered = request_context.model_request_parameters
        if self.offered is not offered.function_tools:
            self.offered = offered.function_tools
            self.tools = [Known(each.name, each.parameters_json_schema) for each in self.offered]
        beyond = [each.kind for each in offered.native_tools]
        names = list(dict.fromkeys([*self.declared, *(tool.name for tool in self.tools), *beyond]))
        event = await self.turn.asks(self.tools, hosted=beyond, names=names)
        try:
            response: ModelResponse = await handler(request_context)
        except BaseException as error:
            await self.turn.said(event, error=error)
            raise
        answered(event, response, {each.name for each in offered.output_tools})
        await self.turn.said(event)
        for call, result in hosted(response):
            await self.turn.hosted(call, result)
        return response

    async def wrap_tool_validate(
        self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """A call whose arguments the tool refuses never gets to the toolset."""
        try:
            return await handler(args)
        except (ValidationError, ModelRetry) as refused:
            if tool_def.kind != "output":
                await self.turn.refused(call_of(call), _why(refused))
            raise


@dataclasses.dataclass
class Watched(WrapperToolset[Any]):
    """A toolset whose calls are told to the turn, and served from there where they are stubbed."""

    turn: Turn

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: Any) -> Any:
        """Run the tool, or serve what stands for it."""
        deferred: list[Exception] = []

        async def run(arguments: dict[str, Any]) -> Any:
            try:
                return await self.wrapped.call_tool(name, arguments, ctx, tool)
            except (ApprovalRequired, CallDeferred) as later:
                deferred.append(later)
                raise

        asked = ToolCall(id=ctx.tool_call_id or "", name=ctx.tool_name or name, arguments=tool_args)
        # Validated before: what the framework took is taken.
        known = tool_accepting(asked.name)
        event = await self.turn.call(asked, run, tool=known, arguments=tool_args)
        if deferred:
            raise deferred[0]
        return served(event)


@functools.cache
def watch_every_run() -> None:
    """Let every run that is started inside a turn be watched: a capability is an argument of the run, and a tool that runs another
    agent gives it none. Outside a turn nothing changes.
    """
    listen()
    _spare()
    plain = Agent.iter

    @contextlib.asynccontextmanager
    async def iter(
        self: Any, *args: Any, capabilities: Sequence[Any] | None = None, **named: Any
    ) -> AsyncIterator[Any]:
        turn = turn_of(self, self.name)
        given = list(capabilities or ())
        if turn is None or any(isinstance(each, Watching) for each in given):
            async with plain(self, *args, capabilities=given or None, **named) as run:
                yield run
            return
        inner = turn.inner(self.name)
        before = current.set(inner)
        try:
            async with plain(self, *args, capabilities=[*given, Watching(inner, [])], **named) as run:
                yield run
        finally:
            with contextlib.suppress(ValueError):  # closed from elsewhere
                current.reset(before)

    Agent.iter = functools.wraps(plain)(iter)  # type: ignore[method-assign]


def _spare() -> None:
    """Have no context copied for the watch, of which most hooks are empty, and none looks at it."""
    plain = getattr(combined, "_ctx_for_active_cap", None)
    if plain is None:
        return

    def _ctx_for_active_cap(capability: Any, ctx: Any) -> Any:
        return ctx if capability.__class__ is Watching else plain(capability, ctx)

    combined._ctx_for_active_cap = functools.wraps(plain)(_ctx_for_active_cap)


def _declared(agents: Sequence[AbstractAgent[Any, Any]]) -> tuple[list[str], bool]:
    """The names of the tools that the agent, and those that its tools run, declare; whether these are all of its own."""
    names: dict[str, None] = {}
    complete = True
    for place, agent in enumerate(agents):
        for toolset in _leaves(agent.toolsets):
            if isinstance(toolset, FunctionToolset):
                names |= dict.fromkeys(toolset.tools)
            elif place == 0:
                complete = False
    return list(names), complete


def _leaves(toolsets: Sequence[Any]) -> Iterator[Any]:
    for toolset in toolsets:
        if type(toolset) is CombinedToolset:
            yield from _leaves(toolset.toolsets)
        elif type(toolset).__name__ in ("ApprovalRequiredToolset", "IncludeReturnSchemasToolset", "SetMetadataToolset"):
            yield from _leaves([toolset.wrapped])
        else:
            yield toolset


def _hosts(agent: AbstractAgent[Any, Any]) -> bool:
    """Whether the agent's provider may run tools by itself; which, is known at the first request."""
    return bool(agent.root_capability.get_native_tools())


def _functions(agent: AbstractAgent[Any, Any]) -> Iterator[Any]:
    for toolset in _leaves(agent.toolsets):
        yield from (tool.function for tool in getattr(toolset, "tools", {}).values())


_SKIPPED = "Tool not executed - a final result was already processed."


async def _answers(turn: Turn, messages: Sequence[ModelMessage]) -> None:
    """What the framework answered by itself to calls of which the toolset has not heard."""
    for call in turn.waiting:
        part = next((each for each in _returns(messages) if each.tool_call_id == call.id), None)
        if part is None:
            continue
        if isinstance(part, RetryPromptPart):  # how older versions refuse a call
            await turn.refused(
                call, part.model_response(), exists=not str(part.content).startswith("Unknown tool name")
            )
        elif part.outcome == "success" and part.content != _SKIPPED:
            turn.asked.answered(call, part.model_response_str())
        else:
            retry = getattr(part, "retry", None)
            unknown = retry is not None and retry.cause == "unknown_tool"
            await turn.refused(call, str(part.content), exists=not unknown)


def _returns(messages: Sequence[ModelMessage]) -> list[ToolReturnPart | RetryPromptPart]:
    """The answers in the last request that is there."""
    last = next((message for message in reversed(messages) if isinstance(message, ModelRequest)), None)
    kinds = (ToolReturnPart, RetryPromptPart)
    return [part for part in last.parts if isinstance(part, kinds)] if last is not None else []


def _why(refused: ValidationError | ModelRetry) -> str:
    if isinstance(refused, ModelRetry):
        return refused.message
    return "; ".join(f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in refused.errors())
