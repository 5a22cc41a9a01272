"""Agents of LlamaIndex, around a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span_handlers import SimpleSpanHandler
from llama_index.core.llms import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import FunctionTool, ToolMetadata
from pydantic import BaseModel, Field, PrivateAttr

from brute import Tool
from tests.support.frameworks import TOOLS, Kit, Plan, in_bare_thread, raising


class Rate(BaseModel):
    """Some structured output."""

    city: str
    rate: float


class Scripted(FunctionCallingLLM):
    """A model that plays a plan, and remembers what it was shown."""

    plan: list[Any]
    additional_kwargs: dict[str, Any] = Field(default_factory=dict)
    _shown: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    @property
    def shown(self) -> list[list[ChatMessage]]:
        """What the model was shown."""
        return self._shown

    @property
    def metadata(self) -> LLMMetadata:
        """What it is."""
        return LLMMetadata(model_name="scripted", is_function_calling_model=True, is_chat_model=True)

    def step(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        """The next step."""
        self._shown.append(list(messages))
        said = 0
        for message in messages:
            said = 0 if message.role.value == "user" else said + (message.role.value == "assistant")
        step = self.plan[said]
        calls = [] if isinstance(step, str) else [(f"c{said}{n}", *call) for n, call in enumerate(step)]
        if isinstance(step, str):
            raising(step)
        text = step if isinstance(step, str) else ""
        message = ChatMessage(role="assistant", content=text, additional_kwargs={"calls": calls})
        usage = {"prompt_tokens": 10, "completion_tokens": 2}
        return ChatResponse(message=message, delta=text, raw={"model": "scripted", "usage": usage})

    def chat(self, messages: Sequence[ChatMessage], **more: Any) -> ChatResponse:
        """The next step."""
        return self.step(messages)

    async def achat(self, messages: Sequence[ChatMessage], **more: Any) -> ChatResponse:
        """The next step."""
        return self.step(messages)

    def stream_chat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        """The next step, in parts."""
        yield self.step(messages)

    async def astream_chat(self, messages: Sequence[ChatMessage], **more: Any) -> Any:
        """The next step, in parts."""

        async def parts() -> Any:
            yield self.step(messages)

        return parts()

    def complete(self, *given: Any, **more: Any) -> Any:
        """Nothing uses this."""
        raise NotImplementedError

    stream_complete = complete

    async def acomplete(self, *given: Any, **more: Any) -> Any:
        """Nothing uses this."""
        raise NotImplementedError

    astream_complete = acomplete

    def _prepare_chat_with_tools(self, tools: Any, user_msg: Any = None, chat_history: Any = None, **more: Any) -> Any:
        return {"messages": [*(chat_history or []), *([] if user_msg is None else [user_msg])]}

    def get_tool_calls_from_response(self, response: Any, error_on_no_tool_call: bool = True, **more: Any) -> Any:
        """The calls that it asked for."""
        calls = response.message.additional_kwargs.get("calls", ())
        return [ToolSelection(tool_id=id, tool_name=name, tool_kwargs=given) for id, name, given in calls]


class Formats(Scripted):
    """One that hands over structured output when it is asked to at the end."""

    def step(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        """The next step."""
        made = super().step(messages)
        if "<current_conversation>" in str(messages[-1].content):
            made.message = ChatMessage(role="assistant", content="")
            made.message.additional_kwargs["calls"] = [("o0", "Rate", {"city": "London", "rate": 4.25})]
        return made


class Reacts(Scripted):
    """One that is asked anew with all that was said so far, so that it plays on by how often it was asked."""

    def step(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        """The next step."""
        made = super().step([ChatMessage(role="assistant", content="")] * len(self.shown))
        made.delta = made.message.content
        return made


def news(model: Any, tools: Sequence[Any], name: str = "news", **more: Any) -> FunctionAgent:
    """An agent."""
    return FunctionAgent(name=name, description=name, llm=model, tools=list(tools), **more)


def declared(one: Tool) -> FunctionTool:
    """A tool with a schema of its own."""

    async def run(**given: Any) -> Any:
        return await one.function(**given)

    class Declared(ToolMetadata):
        """Metadata that holds a schema as it is."""

        def get_parameters_dict(self) -> dict[str, Any]:
            return dict(one.parameters)

    metadata = Declared(description=one.description or one.name, name=one.name, fn_schema=None)
    return FunctionTool(async_fn=run, metadata=metadata)


class Hears(SimpleSpanHandler):
    """A user's own handler of spans."""

    _heard: list[Any] = PrivateAttr(default_factory=list)
    _open: dict[str, str] = PrivateAttr(default_factory=dict)

    def new_span(self, id_: str, bound_args: Any, instance: Any = None, *given: Any, **more: Any) -> Any:
        """Note that a tool is called."""
        if id_.startswith("FunctionTool.acall"):
            self._open[id_] = instance.metadata.name
            self._heard.append(("before", instance.metadata.name))

    def prepare_to_exit_span(self, id_: str, *given: Any, **more: Any) -> Any:
        """Note that it has answered."""
        if id_ in self._open:
            self._heard.append(("after", self._open.pop(id_)))

    def prepare_to_drop_span(self, id_: str, *given: Any, **more: Any) -> Any:
        """It has failed."""


class LlamaIndex(Kit):
    """Agents of LlamaIndex."""

    name = "llama-index"
    example = "llama_index"
    why: ClassVar = {}

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent."""
        hooks = more.get("hooks")
        if hooks is not None:
            handler = Hears()
            handler._heard = hooks
            get_dispatcher().span_handlers[:] = [handler]
        return news(Scripted(plan=list(plan)), tools)

    async def run(self, agent: Any, said: str) -> Any:
        """As its user would."""
        return (await agent.run(user_msg=said)).response.content

    def results(self, agent: Any) -> list[Any]:
        """The results of the calls."""
        return [message.content for message in agent.llm.shown[-1] if message.role.value == "tool"]

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The texts of the first request."""
        return [(message.role.value, message.content or "") for message in agent.llm.shown[0]]

    def state(self, agent: Any) -> Any:
        """All that the agent is made of."""
        return {name: getattr(agent, name) for name in type(agent).model_fields if name != "llm"}

    def structured(self) -> Any:
        """Output by a model, for which the framework asks at the end."""
        return news(Formats(plan=["done"]), [], output_cls=Rate)

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs."""
        other = news(Scripted(plan=list(inner)), TOOLS, name="inner")

        async def ask(question: str) -> str:
            """Ask the other agent."""
            return str((await other.run(user_msg=question)).response.content)

        return news(Scripted(plan=list(plan)), [ask])

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """An agent that a tool runs in a bare thread."""
        other = news(Scripted(plan=list(inner)), TOOLS, name="inner")

        def ask(question: str) -> str:
            """Ask the other agent."""
            return str(in_bare_thread(lambda: asyncio.run(self.run(other, question))))

        return news(Scripted(plan=list(plan)), [ask])

    hands_over = ("handoff", {"to_agent": "other", "reason": "rates"})

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """A workflow of agents."""
        # The one that takes over sees what the first has said.
        two = news(Scripted(plan=["", *other]), TOOLS, name="other")
        return AgentWorkflow(agents=[news(Scripted(plan=list(plan)), []), two], root_agent="news")

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """A server."""
        from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

        tools = McpToolSpec(BasicMCPClient(command[0], args=command[1:])).to_tool_list()
        return news(Scripted(plan=list(plan)), tools)

    def hosted(self) -> Any:
        """A tool of the provider's, as OpenAI is told of it."""
        return news(Scripted(plan=["done"], additional_kwargs={"tools": [{"type": "web_search"}]}), TOOLS)

    talks: ClassVar = {"/chat/completions": ""}

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the real client."""
        from llama_index.llms.openai_like import OpenAILike

        settings: Any = {"is_chat_model": True, "is_function_calling_model": True, "max_retries": 1}
        llm = OpenAILike(model=model, api_base=url, api_key="none", **settings)
        return news(llm, [declared(tool) for tool in tools], streaming=False)
