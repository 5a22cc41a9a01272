"""The adapter for the OpenAI Agents SDK: run hooks hear the model, and each run's tools are copies that ask the turn first."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterator
from typing import Any

from agents import Agent, FunctionTool, RunConfig, RunHooks, Runner
from agents.agent import AgentBase
from agents.run import AgentRunner, get_default_agent_runner, set_default_agent_runner

from ...calling import as_text
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..known import Known
from ..reaching import reached
from . import openai_tools
from .base import Foreign, price


class OpenAIAgents(Foreign):
    """An agent of the OpenAI Agents SDK, with those that it hands over to, has as tools, or runs in its tools."""

    def __init__(self, agent: Agent[Any]) -> None:
        super().__init__(agent)
        watch_every_run()
        self._agents = reached(agent, Agent, openai_tools.functions)
        self._declared = list(
            dict.fromkeys(tool.name for each in self._agents for tool in each.tools if isinstance(tool, FunctionTool))
        )
        functions = all(isinstance(tool, FunctionTool) for tool in agent.tools)
        self.names = self._declared if functions and not agent.mcp_servers else None

    async def play(self, turn: Turn) -> None:
        """Run the agent once, its MCP servers connected."""
        async with contextlib.AsyncExitStack() as stack:
            for server in {id(server): server for each in self._agents for server in each.mcp_servers}.values():
                if getattr(server, "session", None) is None:
                    await server.connect()
                    stack.push_async_callback(server.cleanup)
            stack.enter_context(claimed(turn, self._agents))
            result = await Runner.run(
                self.agent,
                [item for message in turn.env.messages for item in as_items(message)],
                hooks=Heard(turn, self._declared, self.agent),
                run_config=RunConfig(tracing_disabled=True),
            )
        if result.interruptions:
            turn.env.stopped = "approval"
        elif isinstance(result.final_output, str) or not turn.env.messages.reply:
            turn.reply("" if result.final_output is None else as_text(result.final_output))


class Heard(RunHooks[Any]):
    """What one run tells its turn; `own` are the hooks that whoever started the run gave it."""

    def __init__(self, turn: Turn, declared: list[str], agent: Agent[Any], own: Any = None) -> None:
        self.turn = turn
        self.declared = declared
        self.first = agent
        self.own = own
        self.offered: list[Any] = []
        self.asking: LlmEvent | None = None
        self._watched: dict[tuple[int, str], tuple[Any, Any]] = {}

    def watched(self, tool: Any, agent: Any) -> Any:
        """The tool of this agent as the run gets it; one copy for the whole run."""
        key = (id(tool), agent.name)
        if key not in self._watched:
            # The tool is held, so that no other can have its id.
            self._watched[key] = tool, openai_tools.watched(tool, self.turn, self.agent_of(agent))
        return self._watched[key][1]

    def agent_of(self, agent: Any) -> str | None:
        """The name that stands on the calls of this agent: none on those of the agent that the turn began with."""
        return None if agent.name == self.first.name else str(agent.name)

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
        """A model call begins."""
        functions = [tool for tool in self.offered if isinstance(tool, FunctionTool)]
        hosted = [tool.name for tool in self.offered if not isinstance(tool, FunctionTool)]
        tools = [Known(tool.name, tool.params_json_schema) for tool in functions]
        names = list(dict.fromkeys([*self.declared, *(tool.name for tool in functions), *hosted]))
        self.asking = await self.turn.asks(tools, hosted=hosted, names=names)
        if self.own is not None:
            await self.own.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """The model answered."""
        event, self.asking = self.asking, None
        if event is not None:
            event.model = _model(agent)
            event.usage = _usage(response.usage, event.model)
            event.message = _message(response.output, event)
            await self.turn.said(event)
            offered = [tool.name for tool in self.offered if not isinstance(tool, FunctionTool)]
            for asked, result in openai_tools.hosted(response.output, offered):
                await self.turn.hosted(asked, result)
        if self.own is not None:
            await self.own.on_llm_end(context, agent, response)

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        """The call by which an agent hands over is one that ran."""
        tools = {tool.name for tool in self.offered}

        async def run(arguments: dict[str, Any]) -> str:
            return str(to_agent.name)

        for call in [call for call in self.turn.waiting if call.name not in tools][:1]:
            await self.turn.call(call, run, agent=self.agent_of(from_agent))
        if self.own is not None:
            await self.own.on_handoff(context, from_agent, to_agent)


class HeardToo(Heard):
    """The same for a run whose starter gave it hooks of its own: what is not heard here goes to those."""

    def __getattribute__(self, name: str) -> Any:
        """Find the hook."""
        ours = not name.startswith("on_") or name in ("on_llm_start", "on_llm_end", "on_handoff")
        return object.__getattribute__(self, name) if ours else getattr(self.own, name)


class Watching(AgentRunner):
    """The runner that all runs go through: one that is started inside a turn is heard, be it in a tool or as one."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    async def run(self, starting_agent: Any, input: Any, **more: Any) -> Any:
        """Run the agent."""
        with _heard(starting_agent, more) as heard:
            try:
                return await self.plain.run(starting_agent, input, **more)
            except BaseException as error:
                # The SDK has no hook for a model call that failed.
                if heard is not None and heard.asking is not None:
                    event, heard.asking = heard.asking, None
                    await heard.turn.said(event, error=error)
                raise

    def run_sync(self, starting_agent: Any, input: Any, **more: Any) -> Any:
        """Run the agent, blocking."""
        with _heard(starting_agent, more):
            return self.plain.run_sync(starting_agent, input, **more)

    def run_streamed(self, starting_agent: Any, input: Any, **more: Any) -> Any:
        """Run the agent, streaming; its task takes the context over from here."""
        with _heard(starting_agent, more):
            return self.plain.run_streamed(starting_agent, input, **more)


@contextlib.contextmanager
def _heard(agent: Any, more: dict[str, Any]) -> Iterator[Heard | None]:
    """Let the run be heard by the turn that it is started in."""
    turn = turn_of(agent, agent.name)
    if turn is None:
        yield None
        return
    heard = more.get("hooks")
    if not isinstance(heard, Heard):
        turn = turn.inner(agent.name)
        heard = more["hooks"] = (Heard if heard is None else HeardToo)(turn, [], agent, heard)
    before, hearing = current.set(turn), openai_tools.hearing.set(heard)
    try:
        yield heard
    finally:
        openai_tools.hearing.reset(hearing)
        current.reset(before)


@functools.cache
def watch_every_run() -> None:
    """Put the runner and the tools of every run under watch. Outside a turn nothing changes."""
    set_default_agent_runner(Watching(get_default_agent_runner()))
    plain = AgentBase.get_all_tools

    async def get_all_tools(self: Any, run_context: Any) -> list[Any]:
        found: list[Any] = await plain(self, run_context)
        heard = openai_tools.hearing.get()
        if turn_of(self, self.name) is None or heard is None:
            return found
        heard.offered = found
        return [heard.watched(tool, self) for tool in found]

    AgentBase.get_all_tools = functools.wraps(plain)(get_all_tools)


def as_items(message: Message) -> list[dict[str, Any]]:
    """A message as the SDK's input items."""
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.content}]
    items: list[dict[str, Any]] = []
    if message.content or not message.tool_calls:
        items.append({"role": message.role, "content": message.content})
    for call in message.tool_calls:
        given = call.arguments if isinstance(call.arguments, str) else json.dumps(dict(call.arguments or {}))
        items.append({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": given})
    return items


def _message(output: list[Any], event: LlmEvent) -> Message:
    parts = [part for item in output if getattr(item, "type", "") == "message" for part in item.content]
    text = "".join(getattr(part, "text", None) or getattr(part, "refusal", None) or "" for part in parts)
    calls = tuple(
        ToolCall(id=item.call_id, name=item.name, arguments=item.arguments)
        for item in output
        if getattr(item, "type", "") == "function_call"
    )
    return Message(role="assistant", content=text, tool_calls=calls, usage=event.usage, model=event.model)


def _model(agent: Any) -> str | None:
    """The name of the model that was asked; the SDK does not hand on that of the one that answered."""
    model = agent.model
    named = model if isinstance(model, str) else getattr(model, "model", None)
    return named if isinstance(named, str) else None


def _usage(used: Any, model: str | None) -> Usage | None:
    """What the call used; the SDK writes 0 for what was not reported."""
    if not used.input_tokens and not used.output_tokens:
        return None
    read = getattr(used.input_tokens_details, "cached_tokens", None) or None
    made = Usage(input=used.input_tokens, output=used.output_tokens, cache_read=read)
    return price(made, model, "openai")
