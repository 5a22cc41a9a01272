"""One run of the Claude CLI as the turn hears it, from the lines that it writes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

import anyio

from ...errors import TurnStopped
from ...hooks import LlmEvent, ToolEvent
from .. import unreached
from ..faulty import StubError
from ..foreign import Turn
from ..guarding import UNANSWERED
from ..known import Known
from . import claude_agent_sdk_tools as tools
from .claude_agent_sdk_lanes import Lane

REACHED = "brute.claude_agent_sdk.reached"
"""Where an env's metadata names the tools of the agents that this one may run in a tool; None where they are not known."""

ASKING = 10.0
"""The seconds for which it is waited until the CLI says which MCP tools it has."""

_ENDED = ("completed", "failed", "killed", "stopped", "cancelled")
"""What the status of a task is called that is over."""

Message = Mapping[str, Any]


class Session:
    """What is known of one run. `end()` ends the CLI at once; `status()` asks it for its MCP servers.

    `over`: all that was said to the agent is answered. `stopped`: it was ended here. `heard` counts its lines. `running` are the calls whose tools run in the CLI,
    or are asked by it.
    """

    def __init__(self, turn: Turn, options: Any, servers: Iterable[str], end: Callable[[], Awaitable[Any]]) -> None:
        self.turn = turn
        self.options = options
        self.names = tools.Names(servers)
        self.status: Callable[[], Awaitable[Any]] | None = None
        self.result: Message | None = None
        self.tasks: set[str] = set()
        self.over = self.stopped = False
        self.heard = 0
        self.broke: Exception | None = None
        self._end = end
        self._main = Lane(turn, self._asks, self.names)
        self._lanes: dict[str, Lane] = {}
        self._agents: dict[str, Lane] = {}
        self._spawned: dict[str, str] = {}
        self._where: dict[str, Lane] = {}
        self._held: list[tuple[Lane, Message]] = []
        self.running: dict[str, tuple[Lane, ToolEvent]] = {}
        self._told = False

    @contextlib.asynccontextmanager
    async def stopping(self) -> AsyncGenerator[None, None]:
        """End the CLI at once where the turn is stopped here, or what it did can't be followed: nothing more is done, and nothing answered."""
        try:
            yield
        except (TurnStopped, Exception) as error:
            if not isinstance(error, TurnStopped):
                stop = StubError(unreached.not_followed(f"{type(error).__name__}: {error}"))
                stop.__cause__ = error
                self.turn.root.stop = self.turn.root.stop or stop
            self.stopped = True
            await self._end()

    def check(self) -> None:
        """Raise what stopped the turn."""
        if self.turn.root.stop is not None:
            raise self.turn.root.stop

    async def hear(self, message: Message) -> bool:
        """A line of the CLI's; answers whether who runs the agent asked to be shown it."""
        self.heard, kind = self.heard + 1, message.get("type")
        if kind == "stream_event":
            if message.get("parent_tool_use_id") is None:
                await self._main.streamed(message["event"])
                await self._answers()
            return bool(getattr(self.options, "include_partial_messages", True))
        if kind == "assistant":
            await self._assistant(message)
        elif kind == "user":
            await self._user(message)
        elif kind == "system":
            await self._system(message)
        elif kind == "result":
            await self._main.ends()
            await self._answers()
            self.result, self.over = message, not self.tasks
        return kind not in ("assistant", "user") or self._is_asked_for(message)

    def _is_asked_for(self, message: Message) -> bool:
        # That sub-agents' texts are told as well is the harness's wish.
        if message.get("parent_tool_use_id") is None or getattr(self.options, "forward_subagent_text", True):
            return True
        return any(block.get("type") in ("tool_use", "tool_result") for block in _blocks(message))

    async def _assistant(self, message: Message) -> None:
        self.over = False
        lane, said = self._lane(message), message["message"]
        if message.get("error") or said.get("model") == "<synthetic>":
            # Not of the model's own.
            if message.get("error"):
                await lane.fails(tools.text_of(said["content"]), message["error"], message.get("api_error_status"))
            return
        for block in _blocks(message):
            if block["type"] == "tool_use":
                self._where[block["id"]] = lane
                given = block.get("input")
                if isinstance(given, dict) and block["name"] in ("Task", "Agent"):
                    self._spawned[block["id"]] = str(given.get("subagent_type") or "general-purpose")
        await lane.adds(said)

    async def _user(self, message: Message) -> None:
        for block in _blocks(message):
            if block.get("type") == "tool_result":
                self._held.append((self._where.get(block["tool_use_id"]) or self._lane(message), block))
        await self._answers()

    async def _answers(self) -> None:
        """The answers to calls; one may come before the message that asks for it is whole."""
        held, self._held = self._held, []
        for lane, block in held:
            if lane.is_streaming:
                self._held.append((lane, block))
            else:
                await lane.ends()
                await self._answered(lane, block)

    async def _answered(self, lane: Lane, block: Message) -> None:
        """The model is given an answer to a call: of a tool that ran in the CLI, or that never came to run."""
        text, failed = tools.text_of(block.get("content")), bool(block.get("is_error"))
        _, event = self.running.pop(block["tool_use_id"], (None, None))
        if event is not None:
            await lane.turn.end(event, text, error=tools.Failed(text) if failed else None)
            return
        for call in [call for call in lane.turn.waiting if call.id == block["tool_use_id"]]:
            exists = call.name in self.names.all()
            if failed and exists and call.name not in self.names.unanswered():
                await lane.refused(call, text)
            elif failed:
                await lane.turn.refused(call, text, exists=exists)
            else:
                lane.turn.asked.answered(call, text)

    async def _system(self, message: Message) -> None:
        kind, task = message.get("subtype"), message.get("task_id")
        if kind == "init":
            self.names.learn(message.get("tools") or (), [each["name"] for each in message.get("mcp_servers") or ()])
            self._told = True
        elif kind == "status" and message.get("status") == "requesting":
            await self._main.asks()
        elif kind == "task_started" and task and message.get("task_type") in ("local_agent", "local_workflow"):
            self.tasks.add(task)
        elif kind == "task_notification" or (message.get("patch") or {}).get("status") in _ENDED:
            self.tasks.discard(str(task))

    def _lane(self, message: Message) -> Lane:
        """The thread of a message: the main one, or the sub-agent's that a call started."""
        parent = message.get("parent_tool_use_id")
        if parent is None:
            return self._main
        lane = self._lanes.get(parent)
        if lane is None:
            agent = message.get("agent_id")
            lane = self._agents.get(str(agent)) or self._inner(parent, self._spawned.get(parent))
            self._lanes[parent] = lane
            if agent is not None:
                self._agents[str(agent)] = lane
        return lane

    def _inner(self, parent: str | None, name: str | None) -> Lane:
        outer = self._where.get(str(parent), self._main)
        return Lane(outer.turn.inner(name), self._asks, self.names)

    async def _asks(self, turn: Turn) -> LlmEvent:
        """A model call begins."""
        turn.env.metadata[UNANSWERED] = self.names.unanswered()
        names, reached = self.names.all(), turn.env.metadata.get(REACHED, ())
        offered = [Known(name) for name in names] if self._told else []
        return await turn.asks(offered, names=[*names, *reached] if names and reached is not None else None)

    async def prompted(self) -> None:
        """A prompt was said to the agent: its first model call follows."""
        self.over = False
        await self._learn()
        await self._main.asks()

    async def _learn(self) -> None:
        """Ask the CLI for the names of the MCP tools, which it has not told by now."""
        if self._told or self.status is None:
            return
        try:
            with anyio.fail_after(ASKING):
                servers = (await self.status())["mcpServers"]
            wires = [tools.wire(each["name"], tool["name"]) for each in servers for tool in each.get("tools") or ()]
        except Exception:  # an older one, which can't be asked; the names come with its first line
            return
        if any(each.get("status") == "pending" for each in servers):
            return
        own = getattr(self.options, "tools", None)
        self.names.learn([*wires, *(own if isinstance(own, list) else tools.BUILT_IN)], [s["name"] for s in servers])

    def lane(self, id: str | None, agent: str | None = None, kind: str | None = None) -> Lane:
        """The thread of a call; `agent` is the sub-agent that makes it, of this kind, where the call is not known by now."""
        if id in self._where:
            return self._where[id]
        if agent is None:
            return self._main
        if agent not in self._agents:
            self._agents[agent] = self._inner(None, kind)
        return self._agents[agent]

    def asking(self, name: str, arguments: Any) -> Lane | None:
        """The thread in which the model asked for such a call, of which no tool has heard."""
        for lane in self._all():
            if any(call.name == name and call.parsed() == arguments for call in lane.turn.waiting):
                return lane
        return None

    def _all(self) -> Iterator[Lane]:
        yield from dict.fromkeys([self._main, *self._lanes.values(), *self._agents.values()])

    def uncounted(self) -> bool:
        """Whether the CLI asked a model for more than was heard of: for a summary, a page, a sub-agent's answer."""
        used = (self.result or {}).get("modelUsage") or {}
        kinds = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        told = sum(each.get(kind) or 0 for each in used.values() for kind in kinds)
        return bool(told) and told != sum(lane.tokens for lane in self._all())

    async def left(self) -> None:
        """The run is over: what is not answered by now never will be."""
        with contextlib.suppress(TurnStopped):
            for lane, event in self.running.values():
                await lane.turn.end(event, error=tools.Failed("the run ended before the model was given an answer"))
            for lane in self._all():
                await lane.left()


def _blocks(message: Message) -> list[Message]:
    content = message["message"].get("content")
    return content if isinstance(content, list) else []
