"""Agents of LangChain and graphs of LangGraph, around a scripted model."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar

import anyio
from langchain.agents import create_agent
from langchain.tools import InjectedToolCallId, tool
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic import BaseModel, PrivateAttr

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(BaseChatModel):
    """A model that plays a plan, and remembers what it was shown; `skip` steps are others' in the same conversation."""

    plan: Any
    skip: int = 0
    _shown: list[Any] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        """Offer the tools."""
        named = [
            tool if isinstance(tool, dict) else {"name": getattr(tool, "name", getattr(tool, "__name__", ""))}
            for tool in tools
        ]
        return self.bind(tools=named, **{name: value for name, value in more.items() if name.startswith("ls_")})

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        self._shown.append(list(messages))
        said = 0
        for message in messages:
            said = 0 if isinstance(message, HumanMessage) else said + isinstance(message, AIMessage)
        step = self.plan[said - self.skip]
        text, calls = (step, []) if isinstance(step, str) else ("", step)
        raising(text)
        asked = [{"name": name, "args": given, "id": f"c{said}{n}"} for n, (name, given) in enumerate(calls)]
        usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        made = AIMessage(text, tool_calls=asked, usage_metadata=usage, response_metadata={"model_name": "scripted"})
        return ChatResult(generations=[ChatGeneration(message=made)])

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        return self._generate(messages)


class Hooked(AsyncCallbackHandler):
    """A user's own callbacks."""

    def __init__(self, heard: list[tuple[str, str]]) -> None:
        self.heard = heard

    async def on_tool_start(self, serialized: Any, input_str: str, **more: Any) -> None:
        """Note it."""
        self.heard.append(("before", serialized["name"]))

    async def on_tool_end(self, output: Any, **more: Any) -> None:
        """Note it."""
        self.heard.append(("after", output.name))


class LangGraph(Kit):
    """Agents of LangChain, which are graphs of LangGraph."""

    name = "langgraph"
    example = "langgraph"
    forgives = False

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        model, hooks = Scripted(plan=plan), more.get("hooks")
        graph = create_agent(model, [tool(each) for each in tools])
        object.__setattr__(graph, "scripted", model)
        return graph if hooks is None else graph.with_config(callbacks=[Hooked(hooks)])

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return await agent.ainvoke({"messages": [{"role": "user", "content": said}]})

    def results(self, agent: Any) -> list[Any]:
        """The tool messages."""
        shown: list[BaseMessage] = agent.scripted._shown[-1]
        return [(message.content, message.status) for message in shown if isinstance(message, ToolMessage)]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        roles = {"human": "user", "ai": "assistant"}
        return [(roles.get(message.type, message.type), str(message.content)) for message in agent.scripted._shown[0]]

    def state(self, agent: Any) -> Any:
        """All that the graph is made of."""
        return {name: value for name, value in vars(agent).items() if name != "scripted"}

    def structured(self) -> Any:
        """Output by a tool of the framework's own."""
        return create_agent(Scripted(plan=[[("Rate", {"city": "London", "rate": 4.25})]]), [], response_format=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = create_agent(Scripted(plan=inner), [tool(each) for each in TOOLS], name="inner")

        @tool
        async def ask(question: str) -> str:
            """Ask the other agent."""
            state = await other.ainvoke({"messages": [{"role": "user", "content": question}]})
            return str(state["messages"][-1].content)

        return create_agent(Scripted(plan=plan), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = create_agent(Scripted(plan=inner), [tool(each) for each in TOOLS], name="inner")

        @tool
        def ask(question: str) -> str:
            """Ask the other agent."""
            said = {"messages": [{"role": "user", "content": question}]}
            state = in_bare_thread(lambda: anyio.run(other.ainvoke, said))
            return str(state["messages"][-1].content)

        return create_agent(Scripted(plan=plan), [ask])

    hands_over = ("transfer_to_other", {})

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """Two agents in one graph, of which one goes to the other."""

        @tool
        def transfer_to_other(tool_call_id: Annotated[str, InjectedToolCallId]) -> Any:
            """Hand over."""
            message = ToolMessage("over to you", tool_call_id=tool_call_id)
            return Command(goto="other", graph=Command.PARENT, update={"messages": [message]})

        first = create_agent(Scripted(plan=plan), [transfer_to_other], name="news")
        second = create_agent(Scripted(plan=other, skip=0), [tool(each) for each in TOOLS], name="other")
        graph = StateGraph(MessagesState)
        graph.add_node("news", first, destinations=("other", END))
        graph.add_node("other", second)
        graph.add_edge(START, "news")
        return graph.compile()

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """Tools of a server."""
        if importlib.util.find_spec("langchain_mcp_adapters") is None:
            return None
        from langchain_mcp_adapters.client import MultiServerMCPClient

        where: Any = {"news": {"transport": "stdio", "command": command[0], "args": command[1:]}}
        return create_agent(Scripted(plan=plan), anyio.run(MultiServerMCPClient(where).get_tools))

    def hosted(self) -> Any:
        """A tool of the provider's."""
        return create_agent(Scripted(plan=["done"]), [*(tool(each) for each in TOOLS), {"type": "web_search"}])

    talks: ClassVar = {"/chat/completions": "", "/responses": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        from langchain_openai import ChatOpenAI

        client = ChatOpenAI(model=model, base_url=url, api_key="none", use_responses_api=path.endswith("/responses"))
        made = [
            StructuredTool(
                name=one.name,
                description=one.description or one.name,
                args_schema=one.parameters,
                coroutine=one.function,
            )
            for one in tools
        ]
        return create_agent(client, made)
