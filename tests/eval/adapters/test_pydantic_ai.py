"""The adapter for pydantic-ai keeps the contract."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anyio
import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here")

from pydantic import BaseModel
from pydantic_ai import Agent, WebSearchTool
from pydantic_ai.capabilities import AbstractCapability, NativeTool
from pydantic_ai.messages import ModelResponse, SystemPromptPart, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.usage import RequestUsage

from tests.eval.adapters.kit import TOOLS, Kit, Plan, in_bare_thread
from tests.eval.adapters.rows import Rows, raising


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


class PydanticAI(Kit):
    """Agents of pydantic-ai."""

    name = "pydantic-ai"
    forgives = False
    why = {"handoff": "pydantic-ai has no handoffs; an agent runs another in a tool"}

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        return Agent(Scripted(plan), tools=list(tools), capabilities=None if hooks is None else [Hooked(hooks)])

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
        pytest.importorskip("mcp", reason="the extra mcp of pydantic-ai is not installed here")
        from pydantic_ai.mcp import MCPToolset, StdioTransport

        return Agent(Scripted(plan), toolsets=[MCPToolset(StdioTransport(command[0], command[1:]))])

    def hosted(self) -> Any:
        """A native tool."""
        return Agent(Scripted(["done"]), tools=list(TOOLS), capabilities=[NativeTool(WebSearchTool())])


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = PydanticAI()
