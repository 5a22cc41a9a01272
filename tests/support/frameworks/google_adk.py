"""Agents of Google ADK, around a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar

import anyio
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, Gemini, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import google_search
from google.adk.tools.base_tool import BaseTool
from google.genai import Client, types
from pydantic import BaseModel, PrivateAttr

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising

_SET_BY_RUNS = ("mode",) if tuple(map(int, version("google-adk").split(".")[:2])) < (2, 12) else ()


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(BaseLlm):
    """A model that plays a plan, and remembers what it was shown."""

    model: str = "scripted"
    plan: Any
    _shown: list[Any] = PrivateAttr(default_factory=list)

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        """The next step."""
        self._shown.append([content.model_copy(deep=True) for content in llm_request.contents])
        said = 0
        for content in llm_request.contents:
            spoke = content.role == "user" and any(part.text for part in content.parts)
            said = 0 if spoke else said + (content.role == "model")
        step = self.plan[said]
        if isinstance(step, str):
            raising(step)
            parts = [types.Part(text=step)]
        else:
            parts = [
                types.Part(function_call=types.FunctionCall(id=f"c{said}{n}", name=name, args=given))
                for n, (name, given) in enumerate(step)
            ]
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=10, candidates_token_count=2)
        content = types.Content(role="model", parts=parts)
        yield LlmResponse(content=content, usage_metadata=usage, model_version="scripted")


class Wired(Gemini):
    """The real client at an address of our own."""

    where: str

    @cached_property
    def api_client(self) -> Any:
        """The client."""
        return Client(api_key="none", http_options=types.HttpOptions(base_url=self.where))


class Declared(BaseTool):
    """A tool with a schema of its own."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description or tool.name)
        self.tool = tool

    def _get_declaration(self) -> Any:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self.tool.parameters
        )

    async def run_async(self, *, args: Any, tool_context: Any) -> Any:
        """Run the function."""
        return await self.tool.function(**args)


async def asked(agent: Any, said: str) -> str:
    """What the agent answers in a session of its own."""
    runner = InMemoryRunner(agent=agent, app_name="test")
    session = await runner.session_service.create_session(app_name="test", user_id="u")
    message, reply = types.Content(role="user", parts=[types.Part(text=said)]), ""
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
        if event.is_final_response() and event.content:
            reply = event.content.parts[0].text
    return reply


class GoogleADK(Kit):
    """Agents of Google ADK."""

    name = "google-adk"
    example = "google_adk"
    forgives = False
    hosted_name = "google_search"

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks, named = more.get("hooks"), {}
        if hooks is not None:

            def before(tool: Any, args: Any, tool_context: Any) -> None:
                hooks.append(("before", tool.name))

            def after(tool: Any, args: Any, tool_context: Any, tool_response: Any) -> None:
                hooks.append(("after", tool.name))

            named = {"before_tool_callback": before, "after_tool_callback": after}
        return LlmAgent(name="news", model=Scripted(plan=plan), tools=list(tools), **named)

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return await asked(agent, said)

    def results(self, agent: Any) -> list[Any]:
        """The responses to the calls."""
        parts = agent.model._shown[-1][-1].parts
        return [part.function_response.response for part in parts if part.function_response]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        shown = agent.model._shown[0]
        return [("assistant" if content.role == "model" else "user", content.parts[0].text) for content in shown]

    def state(self, agent: Any) -> Any:
        """All that the agent is made of, but for what a bare run sets too."""
        own = {"model", *_SET_BY_RUNS}
        return {name: value for name, value in vars(agent).items() if name not in own}

    def structured(self) -> Any:
        """Output by a schema."""
        return LlmAgent(name="news", model=Scripted(plan=['{"city": "London", "rate": 4.25}']), output_schema=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = LlmAgent(name="inner", model=Scripted(plan=inner), tools=list(TOOLS))

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return await asked(other, question)

        return LlmAgent(name="news", model=Scripted(plan=plan), tools=[ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = LlmAgent(name="inner", model=Scripted(plan=inner), tools=list(TOOLS))

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(asked, other, question)))

        return LlmAgent(name="news", model=Scripted(plan=plan), tools=[ask])

    hands_over = ("transfer_to_agent", {"agent_name": "other"})

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """A sub-agent."""
        second = LlmAgent(name="other", model=Scripted(plan=other), tools=list(TOOLS))
        return LlmAgent(name="news", model=Scripted(plan=plan), sub_agents=[second])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
        from mcp import StdioServerParameters

        where = StdioConnectionParams(server_params=StdioServerParameters(command=command[0], args=command[1:]))
        return LlmAgent(name="news", model=Scripted(plan=plan), tools=[McpToolset(connection_params=where)])

    def hosted(self) -> Any:
        """A tool of the provider's."""
        return LlmAgent(
            name="news", model=Scripted(model="gemini-2.5-flash", plan=["done"]), tools=[*TOOLS, google_search]
        )

    talks: ClassVar = {":generateContent": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        where = Wired(model=model, where=url.removesuffix("/v1beta"))
        return LlmAgent(name="news", model=where, tools=[Declared(tool) for tool in tools])
