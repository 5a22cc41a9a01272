"""Agents of the OpenAI Agents SDK, around a scripted model."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import anyio
from agents import (
    Agent,
    AgentHooks,
    FunctionTool,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    Usage,
    WebSearchTool,
    function_tool,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from pydantic import BaseModel

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(Model):
    """A model that plays a plan, and remembers what it was shown; `skip` steps are others' in the same conversation."""

    model = "scripted"

    def __init__(self, plan: Plan, skip: int = 0) -> None:
        self.plan = plan
        self.skip = skip
        self.shown: list[Any] = []

    async def get_response(self, system_instructions: Any, input: Any, *more: Any, **named: Any) -> ModelResponse:
        """The next step."""
        items = [{"role": "user", "content": input}] if isinstance(input, str) else list(input)
        self.shown.append(items)
        said, before = 0, False
        for item in items:
            mine = item.get("type") == "function_call" or item.get("role") == "assistant"
            said = 0 if item.get("role") == "user" else said + (mine and not before)
            before = mine
        step = self.plan[said - self.skip]
        output: list[Any] = []
        if isinstance(step, str):
            raising(step)
            text = ResponseOutputText(text=step, type="output_text", annotations=[], logprobs=[])
            output = [
                ResponseOutputMessage(id="m", role="assistant", status="completed", type="message", content=[text])
            ]
        else:
            output = [
                ResponseFunctionToolCall(
                    call_id=f"c{said}{n}", name=name, arguments=json.dumps(given), type="function_call"
                )
                for n, (name, given) in enumerate(step)
            ]
        usage = Usage(requests=1, input_tokens=10, output_tokens=2, total_tokens=12)
        return ModelResponse(output=output, usage=usage, response_id=None)

    def stream_response(self, *more: Any, **named: Any) -> Any:
        """Nothing here streams."""
        raise NotImplementedError


class Hooked(AgentHooks[Any]):
    """A user's own hooks."""

    def __init__(self, heard: list[tuple[str, str]]) -> None:
        self.heard = heard

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """Note it."""
        self.heard.append(("before", tool.name))

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """Note it."""
        self.heard.append(("after", tool.name))


class OpenAIAgents(Kit):
    """Agents of the OpenAI Agents SDK."""

    tells_hosted = True
    name = "openai-agents"
    example = "openai_agents"
    goes_on = False
    names_asked = True

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        return Agent(
            name="news",
            model=Scripted(plan),
            tools=[function_tool(tool) for tool in tools],
            hooks=None if hooks is None else Hooked(hooks),
        )

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return await Runner.run(agent, said, run_config=RunConfig(tracing_disabled=True))

    def results(self, agent: Any) -> list[Any]:
        """The outputs of the calls."""
        return [item["output"] for item in agent.model.shown[-1] if item.get("type") == "function_call_output"]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(item["role"], item["content"]) for item in agent.model.shown[0]]

    def state(self, agent: Any) -> Any:
        """All that the agent and its tools are made of, but for what the SDK notes on each in any run."""
        return [
            {field.name: getattr(each, field.name) for field in dataclasses.fields(each)}
            for each in (agent, *agent.tools)
        ]

    def structured(self) -> Any:
        """Output by a schema."""
        return Agent(name="news", model=Scripted(['{"city": "London", "rate": 4.25}']), output_type=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent as a tool."""
        other = Agent(name="inner", model=Scripted(inner), tools=[function_tool(tool) for tool in TOOLS])

        @function_tool
        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str((await Runner.run(other, question)).final_output)

        return Agent(name="news", model=Scripted(plan), tools=[ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = Agent(name="inner", model=Scripted(inner), tools=[function_tool(tool) for tool in TOOLS])

        @function_tool
        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(Runner.run, other, question)).final_output)

        return Agent(name="news", model=Scripted(plan), tools=[ask])

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """A handoff."""
        second = Agent(name="other", model=Scripted(other, skip=1), tools=[function_tool(tool) for tool in TOOLS])
        return Agent(name="news", model=Scripted(plan), handoffs=[second])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from agents.mcp import MCPServerStdio

        server = MCPServerStdio({"command": command[0], "args": command[1:]})
        return Agent(name="news", model=Scripted(plan), mcp_servers=[server])

    def hosted(self) -> Any:
        """A hosted tool."""
        tools = [*(function_tool(tool) for tool in TOOLS), WebSearchTool()]
        return Agent(name="news", model=Scripted(["done"]), tools=tools)

    talks: ClassVar = {"/chat/completions": "", "/responses": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        from agents import OpenAIChatCompletionsModel, OpenAIResponsesModel

        client = AsyncOpenAI(api_key="none", base_url=url)
        kind = OpenAIResponsesModel if path.endswith("/responses") else OpenAIChatCompletionsModel
        return Agent(name="news", model=kind(model, client), tools=[_wired(tool) for tool in tools])


def _wired(tool: Tool) -> FunctionTool:
    async def invoke(context: Any, input: str) -> Any:
        return await tool.function(**json.loads(input or "{}"))

    return FunctionTool(tool.name, tool.description, tool.parameters, invoke, strict_json_schema=False)
