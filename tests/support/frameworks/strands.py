"""Agents of Strands, around a scripted model."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel
from strands import Agent, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.models.model import Model
from strands.models.openai import OpenAIModel
from strands.multiagent import Swarm
from strands.tools.tools import PythonAgentTool

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(Model):
    """A model that plays a plan, and remembers what it was shown."""

    def __init__(self, plan: Plan, **settings: Any) -> None:
        self.plan = plan
        self.settings = {"model_id": "scripted", **settings}
        self.shown: list[Any] = []

    def update_config(self, **settings: Any) -> None:
        """Change the settings."""
        self.settings.update(settings)

    def get_config(self) -> Any:
        """The settings."""
        return self.settings

    def structured_output(self, *given: Any, **named: Any) -> Any:
        """Nothing uses this any more."""
        raise NotImplementedError

    async def stream(self, messages: Any, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """The next step."""
        self.shown.append(copy.deepcopy(messages))
        said = 0
        for message in messages:
            spoke = message["role"] == "user" and any("text" in block for block in message["content"])
            said = 0 if spoke else said + (message["role"] == "assistant")
        step = self.plan[said]
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(step, str):
            raising(step)
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": step}}}
            yield {"contentBlockStop": {}}
        for n, (name, given) in enumerate(() if isinstance(step, str) else step):
            yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": f"c{said}{n}"}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(given)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(step, str) else "tool_use"}}
        usage = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 0}}}


def news(model: Any, tools: Sequence[Any], name: str = "news", **more: Any) -> Agent:
    """An agent."""
    made = [tool(each) if inspect.isfunction(each) else each for each in tools]
    return Agent(name=name, model=model, tools=made, callback_handler=None, **more)


def declared(one: Tool) -> Any:
    """A tool with a schema of its own."""

    async def run(tool_use: Any, **named: Any) -> Any:
        text = await one.function(**tool_use["input"])
        return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": text}]}

    spec = {"name": one.name, "description": one.description or one.name, "inputSchema": {"json": one.parameters}}
    return PythonAgentTool(one.name, spec, run)


class Strands(Kit):
    """Agents of Strands."""

    name = "strands-agents"
    example = "strands"
    shares = False
    names_asked = True
    cut_off = "MaxTokensReachedException"
    why: ClassVar = {
        "shared": "a run of strands-agents leaves its messages on the agent, which refuses a second run meanwhile"
    }

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        agent, hooks = news(Scripted(plan), tools), more.get("hooks")
        if hooks is not None:
            agent.hooks.add_callback(
                BeforeToolCallEvent, lambda event: hooks.append(("before", event.tool_use["name"]))
            )
            agent.hooks.add_callback(AfterToolCallEvent, lambda event: hooks.append(("after", event.tool_use["name"])))
        return agent

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return str(await agent.invoke_async(said))

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        return [block["toolResult"] for block in agent.model.shown[-1][-1]["content"] if "toolResult" in block]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message["role"], message["content"][0]["text"]) for message in agent.model.shown[0]]

    def structured(self) -> Any:
        """Output by a model."""
        return news(Scripted([[("Rate", {"city": "London", "rate": 4.25})]]), [], structured_output_model=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = news(Scripted(inner), TOOLS, name="inner")

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str(await other.invoke_async(question))

        return news(Scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(Scripted(inner), TOOLS, name="inner")

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: other(question)))

        return news(Scripted(plan), [ask])

    hands_over = ("handoff_to_agent", {"agent_name": "other", "message": "rates"})

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """A swarm."""
        return Swarm([news(Scripted(plan), []), news(Scripted(other), TOOLS, name="other")])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from mcp import StdioServerParameters, stdio_client
        from strands.tools.mcp import MCPClient

        where = StdioServerParameters(command=command[0], args=command[1:])
        return news(Scripted(plan), [MCPClient(lambda: stdio_client(where))])

    def hosted(self) -> Any:
        """A tool of the provider's, as the models of OpenAI and Anthropic are told of it."""
        return news(Scripted(["done"], params={"tools": [{"type": "web_search"}]}), TOOLS)

    talks: ClassVar = {"/chat/completions": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        where = OpenAIModel(model_id=model, client_args={"base_url": url, "api_key": "none"}, stream=False)
        return news(where, [declared(tool) for tool in tools])
