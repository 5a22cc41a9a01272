"""Agents of CrewAI, around a scripted model."""

from __future__ import annotations

import contextlib
import copy
import inspect
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

os.environ |= {
    # Nothing may leave for its makers' servers.
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    # Where it keeps what tasks came to, in a form that differs from version to version.
    "CREWAI_STORAGE_DIR": tempfile.mkdtemp(prefix="crewai-"),
}

import anyio
from crewai import LLM, Agent, BaseLLM, Crew, Task
from crewai import hooks as hooking
from crewai.tools import BaseTool, tool
from pydantic import BaseModel, Field, create_model

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(BaseLLM):
    """A model that plays a plan, and remembers what it was shown."""

    plan: Any = None
    shown: list[Any] = Field(default_factory=list)
    native: bool = True

    def call(self, messages: Any, *args: Any, **named: Any) -> Any:
        """The next step."""
        step: Any
        self.shown.append(copy.deepcopy(messages))
        said, before = 0, ""
        for message in messages:
            # Older ones ask for an analysis of what the tools answered.
            spoke = message["role"] == "user" and self.native and before != "tool"
            said = 0 if spoke else said + (message["role"] == "assistant")
            before = message["role"]
        step = self.plan[said]
        if isinstance(step, str):
            raising(step)
        self._track_token_usage_internal({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12})
        if isinstance(step, str):
            return step
        offered = [each["function"]["name"] for each in (args[0] if args else named.get("tools")) or ()]
        if len(offered) == 1:
            step = [(offered[0], given) for _, given in step]  # a server's tool, whose name is made of its command
        return [
            {"id": f"c{said}{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for n, (name, given) in enumerate(step)
        ]

    def supports_function_calling(self) -> bool:
        """Whether calls are asked for by the provider's own means."""
        return self.native

    def get_context_window_size(self) -> int:
        """Enough."""
        return 100_000


def scripted(plan: Plan, **more: Any) -> Scripted:
    """A model."""
    return Scripted(model="scripted", plan=plan, **more)


def news(llm: Any, tools: Sequence[Any], role: str = "news", kind: Any = Agent, **more: Any) -> Any:
    """An agent."""
    made = [tool(each.__name__)(each) if inspect.isfunction(each) else each for each in tools]
    return kind(
        role=role, goal="Tell the news.", backstory="You know them.", tools=made, llm=llm, max_retry_limit=0, **more
    )


class Hooked(Agent):
    """An agent with hooks of the user's own."""

    heard: list[Any] = Field(default_factory=list)

    async def kickoff_async(self, *given: Any, **named: Any) -> Any:
        """Run it within them."""
        pairs = (
            (hooking.register_before_tool_call_hook, hooking.unregister_before_tool_call_hook, "before"),
            (hooking.register_after_tool_call_hook, hooking.unregister_after_tool_call_hook, "after"),
        )
        with contextlib.ExitStack() as stack:
            for begin, end, kind in pairs:
                hook = self.noting(kind)
                begin(hook)
                stack.callback(end, hook)
            return await super().kickoff_async(*given, **named)

    def noting(self, kind: str) -> Any:
        """What notes a call."""

        def note(call: Any) -> None:
            self.heard.append((kind, call.tool_name))

        return note


def crew(*agents: Agent, said: str = "Answer {said}", **more: Any) -> Crew:
    """A crew, each agent of which has a task."""
    tasks = [Task(description=said, expected_output="text", agent=each) for each in agents]
    return Crew(agents=list(agents), tasks=tasks, **more)


def declared(one: Tool) -> BaseTool:
    """A tool with a schema of its own."""
    required = one.parameters.get("required", [])
    fields: Any = {name: (Any, ... if name in required else None) for name in one.parameters.get("properties", {})}

    class Declared(BaseTool):
        name: str = one.name
        description: str = one.description or one.name
        args_schema: type[BaseModel] = create_model("Arguments", **fields)

        async def _run(self, **given: Any) -> Any:
            return await one.function(**given)

    return Declared()


class CrewAI(Kit):
    """Agents of CrewAI."""

    name = "crewai"
    example = "crewai"
    shares = False
    names_asked = True
    why: ClassVar = {
        "shared": "a run of crewai leaves what it remembers, and the count of its tools' uses, on the agent",
        "handoff": "crewai has no handoffs; an agent delegates by a tool, or a crew's tasks go from one to another",
    }

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        made = news(scripted(plan), tools, kind=Agent if more.get("hooks") is None else Hooked)
        if more.get("hooks") is not None:
            made.heard = more["hooks"]
        return made

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would, but without the boxes on the terminal, which a turn under watch does not draw either."""
        from crewai.events.utils.console_formatter import set_suppress_console_output

        set_suppress_console_output(True)
        return (await agent.kickoff_async(said)).raw

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        told: list[Any] = []
        before = ""
        for message in agent.llm.shown[-1]:
            if message["role"] == "tool":
                told = [*(told if before == "tool" else []), message["content"]]
            before = message["role"]
        return told

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        told = [(message["role"], message["content"]) for message in agent.llm.shown[0]]
        if told[-1][1] == "\nCurrent Task: hi\nhello, who are you?\nAnn":
            # Older ones make one text of it.
            return [("user", "hi"), ("assistant", "hello, who are you?"), ("user", "Ann")]
        return [(role, text.removeprefix("\nCurrent Task: ")) for role, text in told]

    def structured(self) -> Any:
        """Output by a model."""
        agent = news(scripted(['{"city": "London", "rate": 4.25}'] * 2), [])
        task = Task(description="Tell of {said}", expected_output="the rate", agent=agent, output_pydantic=Rate)
        return Crew(agents=[agent], tasks=[task])

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = news(scripted(inner), TOOLS, role="inner")

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str((await other.kickoff_async(question)).raw)

        return news(scripted(plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(scripted(inner), TOOLS, role="inner")

        async def run(question: str) -> str:
            return str((await other.kickoff_async(question)).raw)

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: anyio.run(run, question)))

        return news(scripted(plan), [ask])

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from crewai.mcp import MCPServerStdio

        return news(scripted(plan), [], mcps=[MCPServerStdio(command=command[0], args=command[1:])])

    def hosted(self) -> Any:
        """A tool of the provider's, as OpenAI is told of it."""
        return news(scripted(["done"], additional_params={"tools": [{"type": "web_search"}]}), TOOLS)

    talks: ClassVar = {"/chat/completions": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        return news(
            LLM(model=model, provider="openai", base_url=url, api_key="none"), [declared(tool) for tool in tools]
        )
