"""The adapter for Google ADK: a plugin on the run's own runner hears the models, and hands them doubles of the tools."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.apps.app import App
from google.adk.events import Event
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner, Runner
from google.genai import types

from ...calling import as_text, inside
from ...errors import UsageError
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..claims import claimed, turn_of
from ..foreign import Turn
from ..known import Known, served
from ..reaching import reached
from . import google_adk_tools as tools
from .base import Foreign, price


class GoogleADK(Foreign):
    """An agent of ADK, or an `App`, with its sub-agents, those that are tools, and those that its tools run."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        _watch_every_run()
        self._root: Any = agent.root_agent if isinstance(agent, App) else agent
        self._agents = reached(self._root, BaseAgent, tools.functions)
        self._declared, complete = tools.declared(self._agents)
        self.names = self._declared if complete else None

    async def play(self, turn: Turn) -> None:
        """Run the agent once, in a session of its own."""
        watch = Watching(turn, self._declared, self._root.name)
        if isinstance(self.agent, App):
            app = self.agent.model_copy(update={"plugins": [*self.agent.plugins, watch]})
        else:
            app = App(name="brute", root_agent=self._root, plugins=[watch])
        runner = InMemoryRunner(app=app)
        session = await runner.session_service.create_session(app_name=runner.app_name, user_id="user")
        *earlier, last = turn.env.messages or [Message(role="user")]
        if last.role != "user" or not last.content:
            raise UsageError("an ADK agent's turn starts with what the user said")
        for message in earlier:
            author = "user" if message.role == "user" else self._root.name
            await runner.session_service.append_event(session, Event(author=author, content=as_content(message)))
        reply = ""
        try:
            with claimed(turn, self._agents):
                async for event in runner.run_async(
                    user_id="user", session_id=session.id, new_message=as_content(last)
                ):
                    if event.is_final_response() and event.content is not None:
                        reply = _text(event.content)
        finally:
            if self.names is None:  # toolsets hold connections
                await runner.close()
        turn.reply(reply)


class Watching(BasePlugin):
    """The watch on a run and those that it starts: a run in a run, or on a branch of its own, is an inner agent's."""

    def __init__(self, turn: Turn, declared: list[str], first: str | None) -> None:
        super().__init__(name="brute_watching")
        self.declared = declared
        self.first = first
        self._turn = turn
        self._turns: dict[Any, Turn] = {}
        self._asking: dict[Any, LlmEvent] = {}

    def turn(self, context: Any) -> Turn:
        """The turn of the run that the context is one of."""
        inside = context._invocation_context
        key = (inside.invocation_id, inside.branch)
        if key not in self._turns:
            self._turns[key] = self._turn.inner(context.agent_name) if self._turns else self._turn
        return self._turns[key]

    def agent(self, context: Any) -> str | None:
        """The name that stands on the calls: none on those of the agent that the turn began with."""
        return None if context.agent_name == self.first else str(context.agent_name)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """A model call begins; the tools that may run after it are exchanged for doubles."""
        turn = self.turn(callback_context)
        await _answers(turn, llm_request)
        for name, tool in llm_request.tools_dict.items():
            llm_request.tools_dict[name] = tools.double(tool, self)
        offered = list(llm_request.tools_dict)
        hosted = _hosted(llm_request.config)
        names = list(dict.fromkeys([*self.declared, *offered, *hosted]))
        event = await turn.asks([Known(name) for name in offered], hosted=hosted, names=names)
        event.model = llm_request.model
        self._asking[id(turn), callback_context.agent_name] = event

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """The model answered."""
        turn = self.turn(callback_context)
        event = None if llm_response.partial else self._asking.pop((id(turn), callback_context.agent_name), None)
        if event is None:
            return
        event.model = llm_response.model_version or event.model
        event.usage = _usage(llm_response.usage_metadata, event.model)
        parts = (llm_response.content.parts if llm_response.content else None) or []
        calls = tuple(
            ToolCall(id=part.function_call.id or "", name=part.function_call.name, arguments=part.function_call.args)
            for part in parts
            if part.function_call
        )
        text = _text(llm_response.content) if llm_response.content else ""
        event.message = Message(role="assistant", content=text, tool_calls=calls, usage=event.usage, model=event.model)
        await turn.said(event)

    async def on_model_error_callback(self, *, callback_context: Any, llm_request: Any, error: Exception) -> None:
        """The model call failed."""
        turn = self.turn(callback_context)
        event = self._asking.pop((id(turn), callback_context.agent_name), None)
        if event is not None:
            await turn.said(event, error=error)

    async def run(self, tool: Any, args: dict[str, Any], context: Any) -> Any:
        """What the tool answers, or what is served in its stead."""
        turn, agent = self.turn(context), self.agent(context)
        asked = ToolCall(id=context.function_call_id or "", name=tool.name, arguments=args)
        if await tools.refuses(tool, args, context):
            # It does so itself, without running its function.
            answer = await tool.run_async(args=args, tool_context=context)
            await turn.refused(asked, str(answer["error"]) if isinstance(answer, dict) else str(answer), agent=agent)
            return answer

        async def run(arguments: dict[str, Any]) -> Any:
            answer = await tool.run_async(args=arguments, tool_context=context)
            event = inside.get()
            if event is not None:
                event.steered = tools.steered(context.actions)
            return answer

        known = Known(tool.name, check=tools.taken)
        return served(await turn.call(asked, run, tool=known, agent=agent, arguments=dict(args)))


async def _answers(turn: Turn, request: Any) -> None:
    """What was answered to calls of which no tool has heard: by the framework, or by a callback of the user's."""
    parts = [part for content in request.contents for part in content.parts or []] if turn.waiting else []
    answers = [part.function_response for part in parts if part.function_response]
    for call in turn.waiting:
        answer = next(
            (each for each in answers if each.id == call.id or (not call.id and each.name == call.name)), None
        )
        if call.name not in request.tools_dict:
            await turn.refused(call, as_text(answer.response) if answer else "no such tool", exists=False)
        elif answer is not None:
            turn.asked.answered(call, as_text(answer.response))


@functools.cache
def _watch_every_run() -> None:
    """Let a runner that a tool makes for another agent be watched too. Outside a turn nothing changes."""
    plain = Runner.run_async

    async def run_async(self: Any, **named: Any) -> AsyncIterator[Any]:
        turn = turn_of(self.agent, getattr(self.agent, "name", None))
        watched = turn is None or any(isinstance(each, Watching) for each in self.plugin_manager.plugins)
        inner = None if watched or turn is None else turn.inner(self.agent.name)
        if inner is not None:
            self.plugin_manager.plugins.append(Watching(inner, [], None))
        async with contextlib.aclosing(plain(self, **named)) as events:
            async for event in events:
                yield event

    Runner.run_async = functools.wraps(plain)(run_async)


def _hosted(config: Any) -> list[str]:
    """The tools that Google runs."""
    found = []
    for tool in config.tools or []:
        given = tool.model_dump(exclude_none=True) if isinstance(tool, types.Tool) else {}
        found += [name for name in given if name != "function_declarations"]
    return found


def as_content(message: Message) -> types.Content:
    """A message as the framework has it."""
    if message.role == "tool":
        answer = types.FunctionResponse(id=message.tool_call_id, name="tool", response={"result": message.content})
        return types.Content(role="user", parts=[types.Part(function_response=answer)])
    parts = [types.Part(text=message.content)] if message.content else []
    for call in message.tool_calls:
        parts.append(types.Part(function_call=types.FunctionCall(id=call.id, name=call.name, args=call.parsed() or {})))
    return types.Content(role="model" if message.role == "assistant" else "user", parts=parts)


def _text(content: Any) -> str:
    return "".join(part.text or "" for part in content.parts or [] if not part.thought)


def _usage(reported: Any, model: str | None) -> Usage | None:
    if reported is None or not reported.prompt_token_count:
        return None
    made = Usage(
        input=as_count(reported.prompt_token_count),
        # What the model thought is output too, and is paid for as such.
        output=(reported.candidates_token_count or 0) + (reported.thoughts_token_count or 0),
        cache_read=as_count(reported.cached_content_token_count),
    )
    return price(made, model)
