"""The adapter for LangChain and LangGraph: a callback handler hears the models, and tools run as doubles that ask the turn first."""

from __future__ import annotations

import contextlib
import contextvars
import functools
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
from ...messages import Message
from ..claims import claimed, turn_of
from ..foreign import Turn, current
from ..guarding import Near
from ..threads import carry
from . import langgraph_parts as parts
from .base import Foreign, hides, tool_offered
from .langgraph_asking import FUNCTIONS, answered, form_of, hosted, name_of, text_of
from .langgraph_tools import listening_in, watch_every_tool
from .stepwise import aparts_of, parts_of

_entered: contextvars.ContextVar[Turn | None] = contextvars.ContextVar("brute_langgraph_entered", default=None)
_invoked: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_langgraph_invoked", default=None)


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
        watch_every_run()
        self._graphs = parts.graphs(graph)
        self._tools = parts.tools(self._graphs)
        self._direct = {tool.name for tool in self._tools if tool.return_direct}
        self.names = list(dict.fromkeys(tool.name for tool in self._tools)) if parts.bound(self._graphs) else None

    async def play(self, turn: Turn) -> None:
        """Run the graph once, in a thread of its own where it remembers its threads."""
        config: dict[str, Any] = {}
        if getattr(self.agent, "checkpointer", None) is not None:
            config["configurable"] = {"thread_id": str(uuid.uuid4())}
        said = [as_framework(message) for message in turn.env.messages]
        listening = listening_in.set(Listening(self._tools, parts.outputs(self._graphs)))
        try:
            with claimed(turn, [*self._graphs, *self._tools]):
                state = await self.agent.ainvoke({"messages": said}, config)
        finally:
            listening_in.reset(listening)
        last = state["messages"][-1] if state.get("messages") else None
        await _answers(turn, state.get("messages", ()), {tool.name for tool in self._tools})
        if state.get("__interrupt__"):
            turn.env.stopped = "approval"
        elif state.get("structured_response") is not None:
            turn.reply(as_text(state["structured_response"]))
        elif isinstance(last, AIMessage) or getattr(last, "name", None) in self._direct:
            turn.reply(text_of(last))


class Listening(AsyncCallbackHandler):
    """What hears every model call of the turn, wherever in the graph it is made."""

    raise_error = True
    run_inline = True
    ignore_agent = ignore_chain = ignore_custom_event = ignore_retriever = ignore_retry = True  # but for the models

    def __init__(self, tools: list[BaseTool], outputs: set[str]) -> None:
        self.tools = {tool.name for tool in tools}
        self.outputs = outputs
        self._asking: dict[Any, tuple[Turn, LlmEvent, set[str]]] = {}

    async def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: Any, **more: Any) -> None:
        """A model call begins."""
        turn = current.get()
        if turn is None:
            return
        await _answers(turn, messages[0], self.tools)
        offered = (more.get("invocation_params") or {}).get("tools") or []
        outputs = self.outputs | form_of(more.get("options"), offered)
        names = [name for name in map(name_of, offered) if name not in outputs]
        # What the model may ask for and no tool answers to runs in a node drawn by hand, or at the provider.
        here = {name_of(each) for each in offered if not isinstance(each, dict) or each.keys() & FUNCTIONS}
        beyond = [Near(name) if name in here else name for name in names if name not in self.tools]
        hides(turn, [name for name in hosted(offered) if name not in self.tools and name not in outputs])
        known = list(dict.fromkeys([*self.tools, *names]))
        event = await turn.asks(map(tool_offered, names), hosted=beyond, names=known)
        self._asking[run_id] = turn, event, outputs

    async def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: Any, **more: Any) -> None:
        """A model call begins, of one that completes a text."""
        turn = current.get()
        if turn is not None:
            self._asking[run_id] = turn, await turn.asks(), set()

    async def on_llm_end(self, response: Any, *, run_id: Any, **more: Any) -> None:
        """The model answered."""
        asked = self._asking.pop(run_id, None)
        if asked is not None:
            turn, event, outputs = asked
            answered(event, response, outputs)
            await turn.said(event)

    async def on_llm_error(self, error: BaseException, *, run_id: Any, **more: Any) -> None:
        """The model call failed."""
        asked = self._asking.pop(run_id, None)
        if asked is not None:
            await asked[0].said(asked[1], error=error)


@functools.cache
def watch_every_run() -> None:
    """Put the models, the tools and the graphs of every run under watch. Outside a turn nothing changes."""
    register_configure_hook(listening_in, inheritable=True)
    carry(listening_in, _entered)
    watch_every_tool()
    asynchronous, blocking = Pregel.ainvoke, Pregel.invoke
    by_parts, in_parts = Pregel.astream, Pregel.stream

    async def ainvoke(self: Any, *args: Any, **named: Any) -> Any:
        with _inside(_mine(self), self, self):
            return await asynchronous(self, *args, **named)

    def invoke(self: Any, *args: Any, **named: Any) -> Any:
        with _inside(_mine(self), self, self):
            return blocking(self, *args, **named)

    def astream(self: Any, *args: Any, **named: Any) -> Any:
        turn = None if _is_invoked(self) else _mine(self)
        states = by_parts(self, *args, **named)
        return states if turn is None else aparts_of(states, functools.partial(_inside, turn, self))

    def stream(self: Any, *args: Any, **named: Any) -> Any:
        turn = None if _is_invoked(self) else _mine(self)
        states = in_parts(self, *args, **named)
        return states if turn is None else parts_of(states, functools.partial(_inside, turn, self))

    Pregel.ainvoke, Pregel.invoke = functools.wraps(asynchronous)(ainvoke), functools.wraps(blocking)(invoke)
    Pregel.astream, Pregel.stream = functools.wraps(by_parts)(astream), functools.wraps(in_parts)(stream)


def _hearing(graph: Any) -> Listening:
    graphs = parts.graphs(graph)
    return Listening(parts.tools(graphs), parts.outputs(graphs))


def _is_invoked(graph: Any) -> bool:
    """Whether it is its own `invoke` by which the graph's parts are asked for."""
    if _invoked.get() is not graph:
        return False
    _invoked.set(None)
    return True


def _mine(graph: Any) -> Turn | None:
    """The turn of a run that begins here: a graph that runs inside another's turn is an inner agent, called what it was named."""
    turn = turn_of(graph, graph.name)
    if turn is None or (_entered.get() is None and listening_in.get() is not None):
        return turn
    return turn.inner(None if graph.name == "LangGraph" else graph.name)


@contextlib.contextmanager
def _inside(turn: Turn | None, graph: Any, invoked: Any = None) -> Iterator[None]:
    """While what runs here is in the turn, a run of the graph."""
    if turn is None:
        yield
        return
    before, entered, asked = current.set(turn), _entered.set(turn), _invoked.set(invoked)
    # In the turn of another framework's agent, in whose tool this one runs, nobody listens by now.
    listening = None if listening_in.get() is not None or graph is None else listening_in.set(_hearing(graph))
    try:
        yield
    finally:
        if listening is not None:
            listening_in.reset(listening)
        _invoked.reset(asked)
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
