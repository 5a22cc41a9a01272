"""Agents of Haystack, around a scripted model."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

from haystack import Pipeline, component
from haystack.components.agents import Agent, State
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.hooks import hook
from haystack.tools import Tool as HaystackTool
from haystack.tools import create_tool_from_function
from haystack.utils import Secret

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


def asked(messages: Sequence[ChatMessage]) -> int:
    """How often the model has spoken since the user last did."""
    said = 0
    for message in messages:
        said = 0 if message.role.value == "user" else said + (message.role.value == "assistant")
    return said


class Playing:
    """What plays a plan, and remembers what it was shown."""

    model = "scripted"

    def __init__(self, plan: Plan, **settings: Any) -> None:
        self.plan = plan
        self.shown: list[list[ChatMessage]] = []
        for name, value in settings.items():
            setattr(self, name, value)

    def step(self, messages: Sequence[ChatMessage]) -> dict[str, list[ChatMessage]]:
        """The next step."""
        self.shown.append(list(messages))
        said = asked(messages)
        step = self.plan[said]
        meta = {"model": "scripted", "usage": {"prompt_tokens": 10, "completion_tokens": 2}, "finish_reason": "stop"}
        if isinstance(step, str):
            raising(step)
            return {"replies": [ChatMessage.from_assistant(step, meta=meta)]}
        calls = [ToolCall(name, given, id=f"c{said}{n}") for n, (name, given) in enumerate(step)]
        return {"replies": [ChatMessage.from_assistant(tool_calls=calls, meta=meta)]}


@component
class Scripted(Playing):
    """A generator that is async, as those of the providers are."""

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        tools: Any = None,
        streaming_callback: Any = None,
        generation_kwargs: Any = None,
    ) -> dict[str, Any]:
        """The next step."""
        return self.step(messages)

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self,
        messages: list[ChatMessage],
        tools: Any = None,
        streaming_callback: Any = None,
        generation_kwargs: Any = None,
    ) -> dict[str, Any]:
        """The next step."""
        return self.step(messages)


@component
class Blocking(Playing):
    """A generator that has nothing async."""

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        tools: Any = None,
        streaming_callback: Any = None,
        generation_kwargs: Any = None,
    ) -> dict[str, Any]:
        """The next step."""
        return self.step(messages)


def news(model: Any, tools: Any, **more: Any) -> Agent:
    """An agent."""
    made = [create_tool_from_function(each) if inspect.isfunction(each) else each for each in tools]
    return Agent(chat_generator=model, tools=made, **more)


def declared(one: Tool) -> HaystackTool:
    """A tool with a schema of its own."""

    async def run(**given: Any) -> Any:
        return await one.function(**given)

    return HaystackTool(one.name, one.description or one.name, dict(one.parameters), async_function=run)


def hearing(heard: list[Any]) -> Any:
    """A user's own hooks, which note the calls."""

    @hook
    def before(state: State) -> None:
        heard.extend(("before", call.tool_name) for call in state.data["messages"][-1].tool_calls)

    @hook
    def after(state: State) -> None:
        heard.extend(("after", each.origin.tool_name) for each in state.data["messages"][-1].tool_call_results)

    return {"before_tool": [before], "after_tool": [after]}


class Haystack(Kit):
    """Agents of Haystack."""

    name = "haystack"
    example = "haystack"
    why: ClassVar = {"handoff": "Haystack has no handoffs; an agent has another as a tool, or runs it in one"}

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        return news(Scripted(plan), tools, **({} if hooks is None else {"hooks": hearing(hooks)}))

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return (await agent.run_async([ChatMessage.from_user(said)]))["last_message"].text

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        results = [each for message in agent.chat_generator.shown[-1] for each in message.tool_call_results]
        return [(each.result, each.error) for each in results]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message.role.value, message.text) for message in agent.chat_generator.shown[0]]

    def state(self, agent: Any) -> Any:
        """All that the agent is made of, but for what the framework itself keeps of a run."""
        return {k: v for k, v in vars(agent).items() if k != "chat_generator" and not k.endswith("_warmed_up")}

    def structured(self) -> Any:
        """Output that a model was told the schema of, which is a text in Haystack."""
        return news(Scripted(['{"city": "London", "rate": 4.25}']), [])

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs, as a component, which gives it a name."""
        pipeline = Pipeline()
        pipeline.add_component("inner", news(Scripted(inner), TOOLS))

        async def ask(question: str) -> str:
            """Ask the other agent."""
            made = await pipeline.run_async({"inner": {"messages": [ChatMessage.from_user(question)]}})
            return str(made["inner"]["last_message"].text)

        return news(Scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(Scripted(inner), TOOLS)

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: asyncio.run(self.run(other, question))))

        return news(Scripted(plan), [ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo

        return Agent(
            chat_generator=Scripted(plan), tools=MCPToolset(StdioServerInfo(command=command[0], args=command[1:]))
        )

    def hosted(self) -> Any:
        """A tool of the provider's, as OpenAI is told of it."""
        return news(Scripted(["done"], generation_kwargs={"tools": [{"type": "web_search"}]}), TOOLS)

    talks: ClassVar = {"/chat/completions": "", "/responses": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator

        kind: Any = OpenAIResponsesChatGenerator if path.endswith("/responses") else OpenAIChatGenerator
        generator = kind(model=model, api_base_url=url, api_key=Secret.from_token("none"))
        return news(generator, [declared(tool) for tool in tools])
