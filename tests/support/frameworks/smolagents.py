"""Agents of smolagents, around a scripted model."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import anyio.to_thread
from smolagents import ChatMessage, LogLevel, MessageRole, Model, OpenAIServerModel, ToolCallingAgent
from smolagents import Tool as FrameworkTool
from smolagents.memory import ActionStep
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction
from smolagents.monitoring import TokenUsage

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising

LOOP = asyncio.new_event_loop()
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def blocking(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without its `async`, which smolagents has no use for: all of them run on one loop of a thread of its own."""
    if not inspect.iscoroutinefunction(function):
        return function
    if not LOOP.is_running():
        threading.Thread(target=LOOP.run_forever, daemon=True).start()

    def call(*given: Any, **named: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(function(*given, **named), LOOP).result()

    return call


class Function(FrameworkTool):
    """A tool of a function."""

    skip_forward_signature_validation = True
    output_type = "any"

    def __init__(self, name: str, description: str, inputs: Mapping[str, Any], function: Callable[..., Any]) -> None:
        self.name, self.description, self.inputs, self.function = name, description, dict(inputs), blocking(function)
        super().__init__()

    def forward(self, **given: Any) -> Any:
        """Call the function."""
        return self.function(**given)


def tool_of(function: Callable[..., Any]) -> FrameworkTool:
    """A function as a tool."""
    hints = typing.get_type_hints(function)
    inputs = {
        name: {"type": TYPES.get(hints.get(name, str), "any"), "description": name}
        | ({} if each.default is each.empty else {"nullable": True})
        for name, each in inspect.signature(function).parameters.items()
    }
    return Function(function.__name__, function.__doc__ or "", inputs, function)


def declared(one: Tool) -> FrameworkTool:
    """A tool with a schema of its own."""
    properties = one.parameters.get("properties", {})
    required = one.parameters.get("required", [])
    inputs = {
        name: {"type": "any", "description": name} | ({} if name in required else {"nullable": True})
        for name in properties
    }
    return Function(one.name, one.description or one.name, inputs, one.function)


class Scripted(Model):
    """A model that plays a plan, and remembers what it was shown."""

    def __init__(self, plan: Plan, **settings: Any) -> None:
        super().__init__(model_id="scripted", **settings)
        self.plan = plan
        self.shown: list[list[ChatMessage]] = []
        self.said = 0

    def generate(self, messages: Any, *given: Any, **named: Any) -> ChatMessage:
        """The next step."""
        self.shown.append([*messages])
        said = 0
        for message in messages:
            # An agent's errors go without what it was told of.
            said = 0 if is_task(message) else said + (message.role == MessageRole.TOOL_RESPONSE)
        step = self.plan[said]
        usage = TokenUsage(input_tokens=10, output_tokens=2)
        return ChatMessage(role=MessageRole.ASSISTANT, token_usage=usage, **self.played(step, said))

    def played(self, step: Any, said: int) -> dict[str, Any]:
        """What a message has of a step: its calls, of which the last is the answer."""
        if isinstance(step, str):
            raising(step)
            step = [("final_answer", {"answer": step})]
        return {"content": None, "tool_calls": [call(f"c{said}{n}", *each) for n, each in enumerate(step)]}


class Writes(Scripted):
    """A model that writes code: a step is what it writes, or the name of an exception."""

    def played(self, step: Any, said: int) -> dict[str, Any]:
        """The code between its marks."""
        raising(step)
        return {"content": f"I think.\n<code>\n{step}\n</code>"}


def is_task(message: ChatMessage) -> bool:
    """Whether it is what the user said."""
    return message.role == MessageRole.USER and text(message).startswith("New task:")


def text(message: ChatMessage) -> str:
    """The text of a message."""
    content = message.content or ""
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def call(id: str, name: str, given: Any) -> ChatMessageToolCall:
    """A call as a provider has it."""
    function = ChatMessageToolCallFunction(name=name, arguments=json.dumps(given))
    return ChatMessageToolCall(id=id, type="function", function=function)


class Chatty(OpenAIServerModel):
    """The real client, of a model that was recorded without smolagents, and so answers in mere text."""

    def parse_tool_calls(self, message: ChatMessage) -> ChatMessage:
        """Take its text for the answer."""
        if not message.tool_calls:
            message.tool_calls = [call("answer", "final_answer", {"answer": message.content})]
        return typing.cast("ChatMessage", super().parse_tool_calls(message))


def news(model: Any, tools: Sequence[Any], kind: Any = ToolCallingAgent, **more: Any) -> Any:
    """An agent."""
    made = [tool_of(each) if inspect.isfunction(each) else each for each in tools]
    return kind(tools=made, model=model, verbosity_level=LogLevel.OFF, **more)


class Hears(ToolCallingAgent):
    """An agent of the user's own kind, which has something to do before each call."""

    heard: list[Any]

    def execute_tool_call(self, tool_name: str, arguments: Any) -> Any:
        """Note the call."""
        if tool_name != "final_answer":
            self.heard.append(("before", tool_name))
        return super().execute_tool_call(tool_name, arguments)


class Smolagents(Kit):
    """Agents of smolagents."""

    name = "smolagents"
    example = "smolagents"
    shares = False
    why: ClassVar = {
        "shared": "an agent of smolagents is its own memory, and runs once at a time",
        "handoff": "smolagents has no handoffs; an agent manages others, or runs one in a tool",
        "deadline": "smolagents blocks a thread, which nothing can end inside of a tool: the attempt ends at its deadline, "
        "says what it left behind, and the thread stops where it comes out of the tool",
    }

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        if hooks is None:
            return news(Scripted(plan), tools)

        def after(step: ActionStep, agent: Any) -> None:
            hooks.extend(("after", call.name) for call in step.tool_calls or () if call.name != "final_answer")

        agent = news(Scripted(plan), tools, Hears, step_callbacks=[after])
        agent.heard = hooks
        return agent

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return await anyio.to_thread.run_sync(agent.run, said)

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        return [text(message) for message in agent.model.shown[-1] if message.role == MessageRole.TOOL_RESPONSE]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message.role.value, text(message).removeprefix("New task:\n")) for message in agent.model.shown[0]]

    def structured(self) -> Any:
        """Output that is no text."""
        return news(Scripted([[("final_answer", {"answer": {"city": "London", "rate": 4.25}})]]), [])

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = news(Scripted(inner), TOOLS, name="inner", description="Knows.")

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(other.run(question))

        return news(Scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(Scripted(inner), TOOLS, name="inner", description="Knows.")

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: other.run(question)))

        return news(Scripted(plan), [ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from mcp import StdioServerParameters
        from smolagents import MCPClient

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of a setting that older ones have not
            client = MCPClient(StdioServerParameters(command=command[0], args=command[1:]))
        clients.append(client)
        return news(Scripted(plan), client.get_tools())

    def hosted(self) -> Any:
        """A tool of the provider's, as the client of OpenAI is told of it."""
        return news(Scripted(["done"], tools=[{"type": "web_search"}]), TOOLS)

    talks: ClassVar = {"/chat/completions": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        return news(Chatty(model, api_base=url, api_key="none"), [declared(tool) for tool in tools])


clients: list[Any] = []
"""The connections that agents were given, which whoever made them closes."""
