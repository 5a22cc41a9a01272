"""The adapter for LangChain and LangGraph: a callback handler hears the models, and tools run as doubles that ask the turn first."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import json
import uuid
from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.tracers.context import register_configure_hook
from langgraph.pregel import Pregel

from ...calling import as_text
from ...errors import UsageError
from ...hooks import LlmEvent
from ...messages import Message, ToolCall, Usage, as_count
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..guarding import Near
from ..known import Known
from ..threads import carry
from . import langgraph_parts as parts
from .base import Foreign, price
from .langgraph_tools import watch_every_tool

_listening: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_langgraph", default=None)
_entered: contextvars.ContextVar[Turn | None] = contextvars.ContextVar("brute_langgraph_entered", default=None)


class LangGraph(Foreign):
    """A compiled graph whose state has `messages`: what `create_agent` makes, or one drawn by hand. Graphs inside it, and agents in
    its tools, are seen and stubbed too.
    """

    def __init__(self, graph: Any) -> None:
        super().__init__(graph)
        if not isinstance(graph, Pregel) or "messages" not in graph.channels:
            raise UsageError(
                "the graph must be compiled, and its state must have `messages`; "
                "write a function of `said` or `messages` around any other"
            )
        _watch_every_run()
        self._graphs = parts.graphs(graph)
        self._tools = parts.tools(self._graphs)
        self.names = list(dict.fromkeys(tool.name for tool in self._tools)) if parts.bound(self._graphs) else None

    async def play(self, turn: Turn) -> None:
        """Run the graph once, in a thread of its own where it remembers its threads."""
        config: dict[str, Any] = {}
        if getattr(self.agent, "checkpointer", None) is not None:
            config["configurable"] = {"thread_id": str(uuid.uuid4())}
        said = [as_framework(message) for message in turn.env.messages]
        listening = _listening.set(Listening(self._tools, parts.outputs(self._graphs)))
        try:
            with claimed(turn, [*self._graphs, *self._tools]):
                state = await self.agent.ainvoke({"messages": said}, config)
        finally:
            _listening.reset(listening)
        last = state["messages"][-1] if state.get("messages") else None
        await _answers(turn, state.get("messages", ()), {tool.name for tool in self._tools})
        if state.get("__interrupt__"):
            turn.env.stopped = "approval"
        elif state.get("structured_response") is not None:
            turn.reply(as_text(state["structured_response"]))
        elif isinstance(last, AIMessage):
            turn.reply(text_of(last))


class Listening(AsyncCallbackHandler):
    """What hears every model call of the turn, wherever in the graph it is made."""

    raise_error = True
    run_inline = True
    ignore_agent = ignore_chain = ignore_custom_event = ignore_retriever = ignore_retry = True  # but for the models

    def __init__(self, tools: list[BaseTool], outputs: set[str]) -> None:
        self.tools = {tool.name for tool in tools}
        self.outputs = outputs
        self._asking: dict[Any, tuple[Turn, LlmEvent]] = {}

    async def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: Any, **more: Any) -> None:
        """A model call begins."""
        turn = current.get()
        if turn is None:
            return
        await _answers(turn, messages[0], self.tools)
        offered = (more.get("invocation_params") or {}).get("tools") or []
        names = [name for name in map(_name, offered) if name not in self.outputs]
        # What the model may ask for and no tool answers to runs in a node drawn by hand, or at the provider.
        here = {_name(each) for each in offered if not isinstance(each, dict) or each.keys() & _FUNCTIONS}
        beyond = [Near(name) if name in here else name for name in names if name not in self.tools]
        known = list(dict.fromkeys([*self.tools, *names]))
        event = await turn.asks([Known(name) for name in names], hosted=beyond, names=known)
        self._asking[run_id] = turn, event

    async def on_llm_end(self, response: Any, *, run_id: Any, **more: Any) -> None:
        """The model answered."""
        turn, event = self._asking.pop(run_id, (None, None))
        if turn is None or event is None:
            return
        said = response.generations[0][0].message
        event.model = said.response_metadata.get("model_name")
        event.usage = _usage(said.usage_metadata, event.model)
        event.message = Message(
            role="assistant",
            content=text_of(said),
            tool_calls=tuple(call for call in calls_of(said) if call.name not in self.outputs),
            usage=event.usage,
            model=event.model,
        )
        await turn.said(event)

    async def on_llm_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
        """The model call failed."""
        turn, event = self._asking.pop(run_id, (None, None))
        if turn is not None and event is not None:
            await turn.said(event, error=error)


@functools.cache
def _watch_every_run() -> None:
    """Put the models, the tools and the graphs of every run under watch. Outside a turn nothing changes."""
    register_configure_hook(_listening, inheritable=True)
    carry(_listening, _entered)
    watch_every_tool()
    asynchronous, blocking = Pregel.ainvoke, Pregel.invoke

    async def ainvoke(self: Any, *args: Any, **named: Any) -> Any:
        with _inside(self):
            return await asynchronous(self, *args, **named)

    def invoke(self: Any, *args: Any, **named: Any) -> Any:
        with _inside(self):
            return blocking(self, *args, **named)

    Pregel.ainvoke = functools.wraps(asynchronous)(ainvoke)
    Pregel.invoke = functools.wraps(blocking)(invoke)


@contextlib.contextmanager
def _inside(graph: Any) -> Iterator[None]:
    """A graph that runs inside another's turn is an inner agent; it is called what it was named."""
    turn = turn_of(graph, graph.name)
    if turn is None:
        yield
        return
    if _entered.get() is not None:
        turn = turn.inner(None if graph.name == "LangGraph" else graph.name)
    before, entered = current.set(turn), _entered.set(turn)
    try:
        yield
    finally:
        _entered.reset(entered)
        current.reset(before)


async def _answers(turn: Turn, messages: Any, known: set[str]) -> None:
    """What was answered to calls of which no tool has heard: by the framework, or by a node drawn by hand."""
    if not turn.waiting:
        return
    answers = {each.tool_call_id: each for each in messages if isinstance(each, ToolMessage)}
    for call in turn.waiting:
        answer = answers.get(call.id)
        if answer is not None and answer.status == "error":
            await turn.refused(call, text_of(answer), exists=call.name in known)
        elif answer is not None:
            turn.asked.answered(call, text_of(answer))


def as_framework(message: Message) -> BaseMessage:
    """A message as the framework has it."""
    if message.role == "tool":
        return ToolMessage(message.content, tool_call_id=message.tool_call_id or "")
    if message.role != "assistant":
        return (HumanMessage if message.role == "user" else SystemMessage)(message.content)
    calls = [{"name": call.name, "args": call.parsed() or {}, "id": call.id} for call in message.tool_calls]
    return AIMessage(message.content, tool_calls=calls)


def calls_of(message: AIMessage) -> Iterator[ToolCall]:
    """The calls that a message asks for, those with arguments that are no JSON last."""
    for call in message.tool_calls:
        yield ToolCall(id=call["id"] or "", name=call["name"], arguments=call["args"])
    for bad in message.invalid_tool_calls:
        yield ToolCall(id=bad["id"] or "", name=bad["name"] or "", arguments=bad["args"])


def text_of(message: BaseMessage) -> str:
    """The text of a message, out of its blocks where it has some."""
    if isinstance(message.content, str):
        return message.content
    blocks = [block if isinstance(block, str) else block.get("text", "") for block in message.content]
    return "".join(block for block in blocks if isinstance(block, str))


_FUNCTIONS = {"function", "input_schema", "parameters"}
"""What a tool has that is called here, whichever provider's form it has; one of the provider's own has none of them."""


def _name(offered: Any) -> str:
    """The name of a tool that a model is offered, whichever provider's form it has."""
    if not isinstance(offered, dict):
        return str(getattr(offered, "name", None) or type(offered).__name__)
    function = offered.get("function") or {}
    return str(function.get("name") or offered.get("name") or offered.get("type") or json.dumps(offered)[:40])


def _usage(reported: Any, model: str | None) -> Usage | None:
    if not reported or not (reported.get("input_tokens") or reported.get("output_tokens")):
        return None  # some write 0 for what was not reported
    details = reported.get("input_token_details") or {}
    made = Usage(
        input=as_count(reported.get("input_tokens")),
        output=as_count(reported.get("output_tokens")),
        cache_read=as_count(details.get("cache_read")),
        cache_write=as_count(details.get("cache_creation")),
    )
    return price(made, model)
