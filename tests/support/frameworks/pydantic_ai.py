"""Agents of pydantic-ai, around a scripted model."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import anyio
from pydantic import BaseModel
from pydantic_ai import Agent, WebSearchTool
from pydantic_ai import Tool as PydanticTool
from pydantic_ai.capabilities import AbstractCapability, NativeTool
from pydantic_ai.messages import ModelResponse, SystemPromptPart, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(FunctionModel):
    """A model that plays a plan, and remembers what it was shown."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.shown: list[Any] = []
        super().__init__(self.play, model_name="scripted")

    async def play(self, messages: Any, info: Any) -> ModelResponse:
        """The next step."""
        self.shown.append(list(messages))
        said = 0
        for message in messages:
            if isinstance(message, ModelResponse):
                said += 1
            elif any(isinstance(part, UserPromptPart) for part in message.parts):
                said = 0
        step = self.plan[said]
        parts: list[Any] = []
        if isinstance(step, str):
            raising(step)
            parts = [TextPart(step)]
        else:
            parts = [ToolCallPart(name, given, f"c{said}{n}") for n, (name, given) in enumerate(step)]
        return ModelResponse(parts=parts, usage=RequestUsage(input_tokens=10, output_tokens=2), model_name="scripted")


class Hooked(AbstractCapability[Any]):
    """A user's own hooks."""

    def __init__(self, heard: list[tuple[str, str]]) -> None:
        self.heard = heard

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        """Note it."""
        self.heard.append(("before", call.tool_name))
        return args

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        """Note it."""
        self.heard.append(("after", call.tool_name))
        return result


def _client(model: str, url: str, path: str) -> Any:
    if path.endswith("/messages"):
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(model, provider=AnthropicProvider(api_key="none", base_url=url.removesuffix("/v1")))
    if path.endswith(":generateContent"):
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(model, provider=GoogleProvider(api_key="none", base_url=url.removesuffix("/v1beta")))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    kind = OpenAIResponsesModel if path.endswith("/responses") else OpenAIChatModel
    return kind(model, provider=OpenAIProvider(api_key="none", base_url=url))


class PydanticAI(Kit):
    """Agents of pydantic-ai."""

    tells_hosted = True
    name = "pydantic-ai"
    example = "pydantic_ai"
    forgives = False
    why: ClassVar = {
        "handoff": "pydantic-ai has no handoffs; an agent runs another in a tool",
        "MCP": "the extra mcp of pydantic-ai is not installed here",
    }

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        return Agent(Scripted(plan), tools=list(tools), capabilities=None if hooks is None else [Hooked(hooks)])

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return await agent.run(said)

    talks: ClassVar = {"/chat/completions": "", "/responses": "", "/messages": "", ":generateContent": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        made = [PydanticTool.from_schema(one.function, one.name, one.description, one.parameters) for one in tools]
        # At the models' own limit of tokens, the library streams what Anthropic's say.
        return Agent(_client(model, url, path), tools=made, model_settings={"max_tokens": 1000})

    def results(self, agent: Any) -> list[Any]:
        """The parts that are no user's."""
        last = agent.model.shown[-1][-1]
        return [(part.part_kind, part.content, getattr(part, "outcome", None)) for part in last.parts]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        found = []
        for message in agent.model.shown[0]:
            for part in message.parts:
                role = "assistant" if isinstance(message, ModelResponse) else "user"
                found.append(("system" if isinstance(part, SystemPromptPart) else role, part.content))
        return found

    def state(self, agent: Any) -> Any:
        """All that the agent is made of."""
        return {name: repr(value) for name, value in vars(agent).items()}

    def structured(self) -> Any:
        """Output by a tool of the framework's own."""
        return Agent(Scripted([[("final_result", {"city": "London", "rate": 4.25})]]), output_type=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = Agent(Scripted(inner), tools=list(TOOLS), name="inner")

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return (await other.run(question)).output

        return Agent(Scripted(plan), tools=[ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = Agent(Scripted(inner), tools=list(TOOLS), name="inner")

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(other.run, question)).output)

        return Agent(Scripted(plan), tools=[ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A toolset of a server."""
        if importlib.util.find_spec("fastmcp") is None:
            return None
        from pydantic_ai.mcp import MCPToolset, StdioTransport

        return Agent(Scripted(plan), toolsets=[MCPToolset(StdioTransport(command[0], command[1:]))])

    def hosted(self) -> Any:
        """A native tool."""
        return Agent(Scripted(["done"]), tools=list(TOOLS), capabilities=[NativeTool(WebSearchTool())])
