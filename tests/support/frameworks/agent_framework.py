"""Agents of Microsoft's Agent Framework, around a scripted model."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, ClassVar

import anyio
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionMiddleware,
    FunctionTool,
    Message,
    ResponseStream,
)
from pydantic import BaseModel

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """A model that plays a plan, and remembers what it was shown."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.plan = plan
        self.shown: list[list[Message]] = []

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **more: Any) -> Any:
        async def whole() -> ChatResponse[Any]:
            return self.step(messages, options)

        async def parts() -> AsyncIterator[ChatResponseUpdate]:
            made = self.step(messages, options)
            contents = [*made.messages[0].contents, Content.from_usage(made.usage_details or {})]
            yield ChatResponseUpdate(contents=contents, role="assistant", model="scripted")

        return ResponseStream(parts(), finalizer=ChatResponse.from_updates) if stream else whole()

    def step(self, messages: Sequence[Message], options: Any) -> ChatResponse[Any]:
        """The next step."""
        self.shown.append([copy.copy(message) for message in messages])
        said = 0
        for message in messages:
            said = 0 if message.role == "user" else said + (message.role == "assistant")
        step = self.plan[said]
        if isinstance(step, str):
            raising(step)
            contents = [Content.from_text(step)]
        else:
            contents = [
                Content.from_function_call(call_id=f"c{said}{n}", name=name, arguments=given)
                for n, (name, given) in enumerate(step)
            ]
        usage: Any = {"input_token_count": 10, "output_token_count": 2, "total_token_count": 12}
        return ChatResponse(
            messages=Message("assistant", contents),
            usage_details=usage,
            model="scripted",
            response_format=options.get("response_format"),
        )


def news(client: Any, tools: Sequence[Any], name: str = "news", **more: Any) -> Agent[Any]:
    """An agent."""
    return Agent(client, name=name, tools=list(tools), **more)


def declared(one: Tool) -> FunctionTool:
    """A tool with a schema of its own."""

    async def run(**given: Any) -> Any:
        return await one.function(**given)

    return FunctionTool(
        name=one.name, description=one.description or one.name, func=run, input_model=dict(one.parameters)
    )


class Hears(FunctionMiddleware):
    """A user's own middleware."""

    def __init__(self, heard: list[Any]) -> None:
        self.heard = heard

    async def process(self, context: Any, call_next: Any) -> None:
        """Note the call."""
        self.heard.append(("before", context.function.name))
        await call_next()
        self.heard.append(("after", context.function.name))


class AgentFramework(Kit):
    """Agents of Microsoft's Agent Framework."""

    tells_hosted = True
    name = "agent-framework"
    example = "agent_framework"
    why: ClassVar = {
        "handoff": "agent-framework-core has no handoffs; an agent has another as a tool, or runs it in one"
    }

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        return news(Scripted(plan), tools, middleware=None if hooks is None else [Hears(hooks)])

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return (await agent.run(said)).text

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        contents = [content for message in agent.client.shown[-1] for content in message.contents]
        return [content.result for content in contents if content.type == "function_result"]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message.role, message.text) for message in agent.client.shown[0]]

    def state(self, agent: Any) -> Any:
        """All that the agent is made of, but for what the framework itself keeps of a run."""
        return {name: value for name, value in vars(agent).items() if name != "client" and "_cached_" not in name}

    def structured(self) -> Any:
        """Output by a model."""
        client = Scripted(['{"city": "London", "rate": 4.25}'])
        return news(client, [], default_options={"response_format": Rate})

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = news(Scripted(inner), TOOLS, name="inner")

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str((await other.run(question)).text)

        return news(Scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(Scripted(inner), TOOLS, name="inner")

        async def run(question: str) -> str:
            return str((await other.run(question)).text)

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(run, question)))

        return news(Scripted(plan), [ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from agent_framework import MCPStdioTool

        return news(Scripted(plan), [MCPStdioTool(name="news", command=command[0], args=command[1:])])

    def hosted(self) -> Any:
        """A tool of the provider's, as OpenAI is told of it."""
        return news(Scripted(["done"]), [*TOOLS, {"type": "web_search"}])

    talks: ClassVar = {"/chat/completions": "", "/responses": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

        kind = OpenAIChatClient if path.endswith("/responses") else OpenAIChatCompletionClient
        return news(kind(model, api_key="none", base_url=url), [declared(tool) for tool in tools])
