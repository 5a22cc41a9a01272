"""Agents of the Claude Agent SDK, whose CLI is played in this process."""

from __future__ import annotations

import dataclasses
import inspect
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import anyio
from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    ResultMessage,
    SdkMcpTool,
    create_sdk_mcp_server,
    query,
)

from brute import Tool
from brute.calling import as_text
from tests.support.claude_cli import SCRIPTS, Script
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread

HOME = tempfile.mkdtemp()
"""Where the CLI keeps what it keeps."""

TYPES = {"str": "string", "int": "integer", "float": "number"}


def declared(one: Tool) -> SdkMcpTool[Any]:
    """A tool with a schema of its own."""
    function = one.function

    async def run(given: dict[str, Any]) -> dict[str, Any]:
        answer = function(**given)
        answer = await answer if inspect.isawaitable(answer) else answer
        return {"content": [{"type": "text", "text": as_text(answer)}]}

    made = SdkMcpTool(
        name=one.name, description=one.description or one.name, input_schema=dict(one.parameters), handler=run
    )
    # What the real CLI may run side by side.
    made.annotations = _reads()
    return made


def _reads() -> Any:
    from mcp.types import ToolAnnotations

    return ToolAnnotations.model_validate({"readOnlyHint": True})


def as_tool(function: Any) -> Tool:
    """A function as a tool with a schema."""
    parameters = inspect.signature(function).parameters.values()
    properties = {each.name: {"type": TYPES[str(each.annotation)]} for each in parameters}
    needed = [each.name for each in parameters if each.default is each.empty]
    schema = {"type": "object", "properties": properties, "required": needed}
    return Tool(name=function.__name__, description=function.__doc__ or "", function=function, parameters=schema)


def server(tools: Sequence[Any]) -> Any:
    """An MCP server in this process that has the tools."""
    return create_sdk_mcp_server(
        "news", tools=[declared(each if isinstance(each, Tool) else as_tool(each)) for each in tools]
    )


def names(tools: Sequence[Any]) -> list[str]:
    """What the model calls them."""
    return [f"mcp__news__{each.name if isinstance(each, Tool) else each.__name__}" for each in tools]


def news(script: Script, has: Sequence[Any] = TOOLS, /, **more: Any) -> ClaudeAgentOptions:
    """An agent."""
    given: dict[str, Any] = {
        "cli_path": script.path,
        "mcp_servers": {"news": server(has)} if has else {},
        "allowed_tools": names(has),
        "tools": [],
        "setting_sources": [],
        "model": "scripted",
        "cwd": HOME,
        "env": {"CLAUDE_CONFIG_DIR": f"{HOME}/.claude"},
    }
    return ClaudeAgentOptions(**{**given, **more})


async def said(question: str, options: Any) -> str:
    """What an agent answers to its user."""
    text = ""
    async for message in query(prompt=question, options=options):
        if isinstance(message, ResultMessage):
            text = str(message.result)
    return text


def hearing(heard: list[Any]) -> dict[Any, list[HookMatcher]]:
    """A user's own hooks."""

    def noting(kind: str) -> Any:
        async def note(given: Any, id: Any, context: Any) -> Any:
            heard.append((kind, given["tool_name"].rpartition("__")[2]))
            return {}

        return note

    return {
        "PreToolUse": [HookMatcher(hooks=[noting("before")])],
        "PostToolUse": [HookMatcher(hooks=[noting("after")])],
    }


class ClaudeAgentSDK(Kit):
    """Agents of the Claude Agent SDK."""

    tells_hosted = True
    name = "claude-agent-sdk"
    example = "claude_agent_sdk"
    why: ClassVar = {
        "handoff": "the Claude Agent SDK has no handoffs; an agent starts sub-agents, or runs another in a tool"
    }

    def options(self, plan: Plan, has: Sequence[Any] = TOOLS, /, **more: Any) -> ClaudeAgentOptions:
        """An agent whose model plays the plan."""
        return news(Script(plan), has, **more)

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        return self.options(plan, tools, **({} if hooks is None else {"hooks": hearing(hooks)}))

    async def run(self, agent: Any, said_: str) -> Any:
        """As its user would."""
        return await said(said_, agent)

    def shown(self, agent: Any) -> list[list[Any]]:
        """What the model was shown, request by request."""
        return SCRIPTS[agent.cli_path].shown

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        blocks = [block for block in self.shown(agent)[-1][-1]["content"] if block["type"] == "tool_result"]
        return [(block["content"], bool(block.get("is_error"))) for block in blocks]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message["role"], _text(message["content"])) for message in self.shown(agent)[0]]

    def state(self, agent: Any) -> Any:
        """All that the options hold."""
        return {field.name: getattr(agent, field.name) for field in dataclasses.fields(agent)}

    def structured(self) -> Any:
        """Output by a schema."""
        schema = {"type": "object", "properties": {"city": {"type": "string"}, "rate": {"type": "number"}}}
        plan: Plan = [[("StructuredOutput", {"city": "London", "rate": 4.25})], "over"]
        return self.options(plan, [], output_format={"type": "json_schema", "schema": schema})

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = self.options(inner, extra_args={"agent": "inner"}, agents=sub_agents())

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return await said(question, other)

        return self.options(plan, [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = self.options(inner)

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(said, question, other)))

        return self.options(plan, [ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        servers = {"notes": {"command": command[0], "args": command[1:]}}
        return self.options(plan, [], mcp_servers=servers, allowed_tools=["mcp__notes__search"])

    hosted_name = "WebSearch"

    def hosted(self) -> Any:
        """A tool that the CLI runs."""
        plan: Plan = [[("WebSearch", {"query": "bank rate"})], "done"]
        return self.options(plan, [], tools=["WebSearch"], allowed_tools=["WebSearch"])


def sub_agents() -> Any:
    """The definition of a sub-agent."""
    from claude_agent_sdk import AgentDefinition

    return {"inner": AgentDefinition(description="looks things up", prompt="INNER: you look things up.")}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
