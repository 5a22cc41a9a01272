"""One turn of an agent that is not brute's, told as brute's events: what an adapter makes its framework's hooks call."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any

from ..calling import working
from ..env import Env
from ..errors import HookError, TurnStopped
from ..hooks import UNSET, LlmEvent, Registry, ToolEvent, TurnEvent, Watch, watching
from ..leaves import being_cancelled
from ..messages import Message, ToolCall
from ..tools import BadArguments, Tool
from .asked import Asked
from .guarding import HOSTED, NAMES
from .known import Unfit, lacking, told
from .trouble import chain
from .whose import current as current

_NOBODY = Registry()


class Turn:
    """One turn under way, or that of an inner agent in it (`outer` is then the turn that started it).

    `request` is held around a model call, `call` around a tool call; both tell the events to the watch, whatever task or thread the framework
    is in. What ends the turn (a spent budget, a broken stub) is raised again at every later event, as it may be swallowed, and out of `run` at last.
    """

    def __init__(
        self, watch: Watch, messages: Sequence[Message] = (), *, outer: Turn | None = None, agent: str | None = None
    ) -> None:
        self.watch = watch
        self.agent = agent
        self.env: Env = Env(list(messages), _NOBODY, None if outer is None else outer.env)
        self._root = None if outer is None else outer.root
        self.iteration = 0
        self.stop: BaseException | None = None
        self._raised: list[BaseException] = []
        self.asked = Asked()

    @property
    def root(self) -> Turn:
        """The turn that this one is in, or this one (none that holds itself: the collector would free it some time, and not at once)."""
        return self._root or self

    def inner(self, agent: str | None) -> Turn:
        """The turn of an agent that this one starts."""
        return Turn(self.watch, outer=self, agent=agent)

    async def run(self, body: Callable[[Turn], Awaitable[Any]]) -> None:
        """Run the turn: `body(turn)` with its events around it. Raises what ended it, without the framework's wrapping."""
        event = TurnEvent(self.env)
        # Never reset: what the turn leaves running stays watched, and must not come to the real tools.
        watching.set(self.watch)
        current.set(self)
        try:
            await self.emit("before_turn", event)
            await body(self)
        except BaseException as error:
            event.error = self._own(error)
        finally:
            self.settle()
            await self.emit("after_turn", event)
        stop = None if being_cancelled() else self.root.stop
        ended = event.error if stop is None else self.watch.fault or stop
        if ended is not None:
            raise ended

    async def emit(self, event: str, payload: Any) -> None:
        """Tell the watch; raises what stops the turn."""
        stop = (self._root or self).stop
        if stop is not None and not event.startswith("after_"):
            raise stop
        # A framework may call its hooks in a task or thread of its own making.
        token = None if watching.get() is self.watch else watching.set(self.watch)
        try:
            await _NOBODY.emit(event, payload)
        except HookError as fault:
            # Not as it is: frameworks show a tool's exceptions to the model.
            self.root.stop = self.root.stop or TurnStopped(str(fault))
            raise self.root.stop from fault
        except TurnStopped as stop:
            self.root.stop = self.root.stop or stop
            raise
        finally:
            if token is not None:
                watching.reset(token)

    def _own(self, error: BaseException) -> BaseException:
        """What the agent's own code raised, out of what the framework made of it."""
        return next((each for each in chain(error) if any(each is known for known in self.root._raised)), error)

    @contextlib.asynccontextmanager
    async def request(
        self, tools: Iterable[Tool] = (), *, hosted: Iterable[str] = (), names: list[str] | None = None
    ) -> AsyncIterator[LlmEvent]:
        """Hold this around a model call, and set the event's `message`, `usage` and `model` before it ends."""
        event = await self.asks(tools, hosted=hosted, names=names)
        try:
            yield event
        except BaseException as error:
            await self.said(event, error=error)
            raise
        await self.said(event)

    async def asks(
        self, tools: Iterable[Tool] = (), *, hosted: Iterable[str] = (), names: list[str] | None = None
    ) -> LlmEvent:
        """A model call begins: the model is offered `tools`, and those `hosted` by its provider, which nobody can stub.

        `names` are the agent's tools where they were not known before the turn.
        """
        self.settle()
        self.iteration = self.env.iteration = self.iteration + 1
        self.env.tools = list(tools)
        self.env.metadata |= {HOSTED: list(hosted), NAMES: names}
        event = LlmEvent(self.env, self.iteration)
        try:
            await self.emit("before_llm", event)
        except BaseException as error:
            event.error = error
            await self.emit("after_llm", event)
            raise
        self.env.request = event
        return event

    async def said(self, event: LlmEvent, *, error: BaseException | None = None) -> None:
        """The model call is over: with what the event holds, or with an error."""
        self.env.request = None
        if error is not None:
            event.error = error
            self.noted(error)
        elif event.message is not None:
            self.env.messages.append(event.message)
            self.asked.add(event.iteration, event.message.tool_calls)
        await self.emit("after_llm", event)

    def noted(self, error: BaseException) -> None:
        """Remember what the agent's own code or its model raised, so that it is known again in a framework's wrapper."""
        if isinstance(error, Exception):
            self.root._raised.append(error)

    async def call(
        self,
        asked: ToolCall,
        run: Callable[[dict[str, Any]], Awaitable[Any]],
        *,
        tool: Tool | None = None,
        agent: str | None = None,
        arguments: dict[str, Any] | None = None,
    ) -> ToolEvent:
        """One tool call with its events; `run(arguments)` is the real tool, awaited unless the call is answered or denied.

        Answers the event, of which `served` makes what the tool would answer; raises only what stops the turn.
        """
        event = await self.begin(asked, tool=tool, agent=agent, arguments=arguments)
        if event.outcome is not None:
            await self.end(event)
            return event
        try:
            with working(event):  # what is no JSON object is the framework's to refuse
                result = await run(event.arguments or {})
        except Exception as error:
            await self.end(event, error=error)
        except BaseException as error:
            await self.end(event, error=error)
            raise
        else:
            await self.end(event, result)
        return event

    @property
    def waiting(self) -> list[ToolCall]:
        """The calls of which no tool has heard yet."""
        return [call for _, _, call in self.asked.waiting]

    async def hosted(self, asked: ToolCall, result: Any = None) -> None:
        """A call that the model's provider ran by itself."""
        iteration, place, call = self.asked.take(asked, self.iteration)
        event = ToolEvent(self.env, call, iteration, place, None, asked.parsed(), agent=self.agent)
        event.result, event.outcome = result, "ran"
        await self.emit("before_tool", event)
        await self.emit("after_tool", event)

    async def refused(self, asked: ToolCall, why: str, *, exists: bool = True, agent: str | None = None) -> ToolEvent:
        """A call that never got to a tool: its arguments were refused, or there is no such tool."""

        async def run(arguments: dict[str, Any]) -> Any:
            raise BadArguments(why)

        with lacking(None if exists else why):
            return await self.call(asked, run, tool=Unfit(asked.name, why) if exists else None, agent=agent)

    async def begin(
        self,
        asked: ToolCall,
        *,
        tool: Tool | None = None,
        agent: str | None = None,
        arguments: dict[str, Any] | None = None,
    ) -> ToolEvent:
        """A tool call begins. Its event has an `outcome` already where the tool must not run; `end` is owed all the same.

        `arguments` are those that the tool will get, where they are not those that the model asked for.
        """
        iteration, place, call = self.asked.take(asked, self.iteration)
        given = asked.parsed() if arguments is None else arguments
        event = ToolEvent(self.env, call, iteration, place, tool, given, agent=agent or self.agent)
        try:
            await self.emit("before_tool", event)
            if event.denied is None:
                await self.emit("approve_tool", event)
        except BaseException as error:
            event.error, event.outcome = error, "failed"
            await self.emit("after_tool", event)
            raise
        if event.denied is not None:
            event.outcome = "denied"
        elif event.answered:
            event.outcome = "stubbed"
        return event

    async def end(self, event: ToolEvent, result: Any = UNSET, *, error: BaseException | None = None) -> None:
        """The tool call is over: with a result or an error of the real tool, or as it was answered."""
        if error is not None:
            event.error, event.outcome = error, "failed"
            self.noted(error)
        elif event.outcome is None:
            event.result, event.outcome = (None if result is UNSET else result), "ran"
        elif event.error is not None:
            self.noted(event.error)
        failed = event.denied is not None or event.error is not None
        message = Message(role="tool", content=told(event), tool_call_id=event.call.id or None, failed=failed)
        self.asked.result(event.iteration, event.index, message)
        await self.emit("after_tool", event)

    def settle(self) -> None:
        """Put the results of the batch into the conversation, in the order of the calls."""
        self.env.messages += self.asked.results()

    def reply(self, text: str) -> None:
        """Note what the turn answered, where that is not what the model said last."""
        self.settle()
        if self.env.messages.reply != text or not text:
            self.env.messages.append(Message(role="assistant", content=text))
