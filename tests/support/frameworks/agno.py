"""Agents of agno, around a scripted model."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, ClassVar

import anyio
from agno.agent import Agent
from agno.metrics import MessageMetrics
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.team import Team
from agno.tools.function import Function
from pydantic import BaseModel

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(Model):
    """A model that plays a plan, and remembers what it was shown."""

    def __init__(self, plan: Plan, **settings: Any) -> None:
        super().__init__(id="scripted", name="scripted", provider="scripted")
        self.plan = plan
        self.shown: list[list[Any]] = []
        for name, value in settings.items():
            setattr(self, name, value)

    def __deepcopy__(self, memo: Any) -> Scripted:
        return self

    def invoke(self, messages: Any, *given: Any, **named: Any) -> ModelResponse:
        """The next step."""
        self.shown.append([copy.copy(message) for message in messages])
        said = 0
        for message in messages:
            said = 0 if message.role == "user" else said + (message.role == "assistant")
        step = self.plan[said]
        made = ModelResponse(
            role="assistant", response_usage=MessageMetrics(input_tokens=10, output_tokens=2, total_tokens=12)
        )
        if isinstance(step, str):
            raising(step)
            made.content = step
        else:
            made.tool_calls = [
                {"id": f"c{said}{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for n, (name, given) in enumerate(step)
            ]
        return made

    async def ainvoke(self, messages: Any, *given: Any, **named: Any) -> ModelResponse:
        """The same."""
        return self.invoke(messages)

    def invoke_stream(self, messages: Any, *given: Any, **named: Any) -> Iterator[ModelResponse]:
        """The same, as a stream."""
        yield self.invoke(messages)

    async def ainvoke_stream(self, messages: Any, *given: Any, **named: Any) -> AsyncIterator[ModelResponse]:
        """The same, as a stream."""
        yield self.invoke(messages)

    def _parse_provider_response(self, response: Any, **named: Any) -> ModelResponse:
        raise NotImplementedError

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        raise NotImplementedError


def news(model: Any, tools: Sequence[Any], name: str = "news", **more: Any) -> Agent:
    """An agent."""
    return Agent(name=name, model=model, tools=list(tools), telemetry=False, **more)


def declared(one: Tool) -> Function:
    """A tool with a schema of its own."""

    async def run(**given: Any) -> Any:
        return await one.function(**given)

    return Function(
        name=one.name,
        description=one.description or one.name,
        parameters=dict(one.parameters),
        entrypoint=run,
        skip_entrypoint_processing=True,
    )


class Agno(Kit):
    """Agents of agno."""

    name = "agno"
    example = "agno"
    names_asked = True

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        heard = more.get("hooks")

        async def hears(function_name: str, function_call: Any, arguments: Any) -> Any:
            heard.append(("before", function_name))
            try:
                return await function_call(**arguments)
            finally:
                heard.append(("after", function_name))

        return news(Scripted(plan), tools, tool_hooks=None if heard is None else [hears])

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return (await agent.arun(said)).content

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        shown = agent.model.shown[-1]
        return [(message.content, message.tool_call_error) for message in shown if message.role == "tool"]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message.role, message.content) for message in agent.model.shown[0]]

    def state(self, agent: Any) -> Any:
        """What of the agent a run might change."""
        return agent.tools, agent.tool_hooks, agent.telemetry, agent.session_id, agent.session_state

    def structured(self) -> Any:
        """Output by a model."""
        return news(Scripted(['{"city": "London", "rate": 4.25}']), [], output_schema=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = news(Scripted(inner), TOOLS, name="inner")

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str((await other.arun(question)).content)

        return news(Scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(Scripted(inner), TOOLS, name="inner")

        async def run(question: str) -> str:
            return str((await other.arun(question)).content)

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(run, question)))

        return news(Scripted(plan), [ask])

    hands_over = ("delegate_task_to_member", {"member_id": "other", "task": "rates"})

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """A team whose member answers for it."""
        member = news(Scripted(other), TOOLS, name="other")
        return Team(name="team", model=Scripted(plan), members=[member], respond_directly=True, telemetry=False)

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from agno.tools.mcp import MCPTools
        from mcp import StdioServerParameters

        where = StdioServerParameters(command=command[0], args=command[1:])
        return news(Scripted(plan), [MCPTools(server_params=where, transport="stdio")])

    def hosted(self) -> Any:
        """A tool of the provider's, as OpenAI is told of it."""
        return news(Scripted(["done"]), [*TOOLS, {"type": "web_search"}])

    talks: ClassVar = {"/chat/completions": "", "/responses": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        from agno.models.openai import OpenAIChat, OpenAIResponses

        kind = OpenAIResponses if path.endswith("/responses") else OpenAIChat
        return news(kind(id=model, api_key="none", base_url=url), [declared(tool) for tool in tools])
