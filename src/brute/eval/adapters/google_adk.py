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
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from ...calling import as_text, inside
from ...errors import UsageError
from ...hooks import LlmEvent
from ...messages import Message, ToolCall
from ..claims import claimed, turn_of
from ..foreign import Turn
from ..known import served
from ..reaching import reached
from . import google_adk_tools as tools
from .base import Foreign, hides, tool_accepting, tool_offered
from .google_adk_asking import WATCHES, answered, hosted_by, listen, text_of


class GoogleADK(Foreign):
    """An agent of ADK, or an `App`, with its sub-agents, those that are tools, and those that its tools run."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        watch_every_run()
        self._root: Any = agent.root_agent if isinstance(agent, App) else agent
        if not isinstance(self._root, BaseAgent):
            raise UsageError(
                f"the root of the App is a {type(self._root).__name__}, which is no agent; "
                "evaluate its agents, or a function of `said` that runs it"
            )
        self._reached = reached(self._root, (BaseAgent, BaseTool), tools.functions)
        agents = [each for each in self._reached if isinstance(each, BaseAgent)]
        listen(agents, agent)
        for each in self._reached:
            if isinstance(each, BaseTool):
                tools.listen(type(each))
        self._declared, complete = tools.declared(self._reached)
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
            with claimed(turn, self._reached):
                async for event in runner.run_async(
                    user_id="user", session_id=session.id, new_message=as_content(last)
                ):
                    if any(call.name.startswith(_ASKS_SOMEBODY) for call in event.get_function_calls()):
                        turn.env.stopped = "approval"
                    if event.is_final_response() and event.content is not None:
                        reply = text_of(event.content)
        finally:
            if self.names is None:  # toolsets hold connections
                await runner.close()
        if turn.env.stopped is None:
            turn.reply(reply)


_ASKS_SOMEBODY = "adk_request_"
"""How the calls are called by which ADK asks who runs the agent: to confirm a call, for credentials, for an answer."""


class Watching(BasePlugin):
    """The watch on a run and those that it starts: a run in a run, or on a branch of its own, is an inner agent's."""

    def __init__(self, turn: Turn, declared: list[str], first: str | None) -> None:
        super().__init__(name="brute_watching")
        self.declared = declared
        self.first = first
        self._turn = turn
        self._turns: dict[Any, Turn] = {}
        self._outputs: set[str] = set()
        self.asking: dict[Any, tuple[LlmEvent, Any]] = {}
        turn.root.env.metadata.setdefault(WATCHES, []).append(self)

    def turn(self, context: Any) -> Turn:
        """The turn of the run that the context is one of."""
        inside = getattr(context, "_invocation_context", None)
        if inside is None:  # a tool that other code calls without one
            return self._turn
        key = (inside.invocation_id, inside.branch)
        if key not in self._turns:
            self._turns[key] = self._turn.inner(context.agent_name) if self._turns else self._turn
        return self._turns[key]

    def agent(self, context: Any) -> str | None:
        """The name that stands on the calls: none on those of the agent that the turn began with."""
        name = getattr(context, "agent_name", None)
        return None if name in (None, self.first) else str(name)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """A model call begins; the tools that may run after it are exchanged for doubles."""
        turn = self.turn(callback_context)
        await _answers(turn, llm_request)
        for name, tool in llm_request.tools_dict.items():
            if tools.is_output(tool):
                self._outputs.add(name)
            else:
                llm_request.tools_dict[name] = tools.double(tool, self)
        offered = [name for name in llm_request.tools_dict if name not in self._outputs]
        hosted = hosted_by(llm_request.config)
        hides(turn, hosted)
        names = list(dict.fromkeys([*self.declared, *offered, *hosted]))
        event = await turn.asks(map(tool_offered, offered), hosted=hosted, names=names)
        event.model = llm_request.model
        # The request is held, so that it is known again where the model is asked.
        self.asking[id(turn), callback_context.agent_name] = event, llm_request

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """The model answered."""
        turn = self.turn(callback_context)
        asked = None if llm_response.partial else self.asking.pop((id(turn), callback_context.agent_name), None)
        if asked is None:
            return
        event, _ = asked
        answered(event, llm_response, self._outputs)
        await turn.said(event)

    async def on_model_error_callback(self, *, callback_context: Any, llm_request: Any, error: Exception) -> None:
        """The model call failed."""
        turn = self.turn(callback_context)
        asked = self.asking.pop((id(turn), callback_context.agent_name), None)
        if asked is not None:
            await turn.said(asked[0], error=error)

    async def run(self, tool: Any, args: dict[str, Any], context: Any) -> Any:
        """What the tool answers, or what is served in its stead."""
        turn, agent = self.turn(context), self.agent(context)
        asked = ToolCall(id=tools.id_of(turn, tool, context), name=tool.name, arguments=args)
        if await tools.refuses(tool, args, context):
            # It does so itself, without running its function.
            answer = await tools.ran(tool, args, context)
            await turn.refused(asked, str(answer["error"]) if isinstance(answer, dict) else str(answer), agent=agent)
            return answer

        async def run(arguments: dict[str, Any]) -> Any:
            answer = await tools.ran(tool, arguments, context)
            event = inside.get()
            if event is not None:
                event.steered = tools.steered(getattr(context, "actions", None))
            return answer

        checked = tool_accepting(tool.name)
        return served(await turn.call(asked, run, tool=checked, agent=agent, arguments=dict(args)))


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
def watch_every_run() -> None:
    """Let a runner that a tool makes for another agent be watched too. Outside a turn nothing changes."""
    plain = Runner.run_async

    async def run_async(self: Any, **named: Any) -> AsyncIterator[Any]:
        turn = turn_of(self.agent, getattr(self.agent, "name", None))
        watched = turn is None or any(isinstance(each, Watching) for each in self.plugin_manager.plugins)
        inner = None if watched or turn is None else turn.inner(self.agent.name)
        if inner is not None:
            if isinstance(self.agent, BaseAgent):  # one that was built in the turn was not looked at before
                listen([self.agent])
            self.plugin_manager.plugins.append(Watching(inner, [], None))
        async with contextlib.aclosing(plain(self, **named)) as events:
            async for event in events:
                yield event

    Runner.run_async = functools.wraps(plain)(run_async)
    tools.listen(FunctionTool)
    tools.listen(AgentTool)


def as_content(message: Message) -> types.Content:
    """A message as the framework has it."""
    if message.role == "tool":
        answer = types.FunctionResponse(id=message.tool_call_id, name="tool", response={"result": message.content})
        return types.Content(role="user", parts=[types.Part(function_response=answer)])
    parts = [types.Part(text=message.content)] if message.content else []
    for call in message.tool_calls:
        parts.append(types.Part(function_call=types.FunctionCall(id=call.id, name=call.name, args=call.parsed() or {})))
    return types.Content(role="model" if message.role == "assistant" else "user", parts=parts)
