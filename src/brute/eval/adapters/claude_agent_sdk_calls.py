"""The calls of tools in a run of the Claude CLI: those that come to MCP servers here, and those that the CLI asks before it runs them itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NoReturn

import anyio

from ...messages import ToolCall
from .. import unreached
from ..cassettes.scope import current as taped
from ..faulty import ReplayError, StubError
from ..foreign import current
from ..known import Known, served
from . import claude_agent_sdk_tools as tools
from .claude_agent_sdk_lanes import OUTPUT, Lane
from .claude_agent_sdk_session import Session

LONG = 86_400.0
"""The seconds for which the CLI waits for what is said to a call."""

Answer = Callable[[Any], Awaitable[Any]]


class Calls:
    """The calls of one run. Where the turn is stopped the CLI is ended, and gets no answer."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._schemas: dict[str, Mapping[str, Any]] = {}
        self._shapes: dict[str, Mapping[str, Any] | None] = {}

    # --- hooks of the CLI's

    def hooks(self, more: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
        """The hooks of a run, beside those of the user's."""
        ours = {"UserPromptSubmit": self.prompted, "PreToolUse": self.before_tool}
        return {event: [{"matcher": None, "hooks": [hook], "timeout": LONG, **more}] for event, hook in ours.items()}

    async def prompted(self, given: Any, id: str | None, context: Any) -> dict[str, Any]:
        """A prompt was said to the agent."""
        async with self.session.stopping():
            await self.session.prompted()
            return {}
        return await _never()

    async def before_tool(self, given: Any, id: str | None, context: Any) -> dict[str, Any]:
        """A tool is about to run: one of the CLI's own, or of a server that it asks, runs only if the turn lets it."""
        name, id = given["tool_name"], given.get("tool_use_id") or id or ""
        async with self.session.stopping():
            lane = self.session.lane(id, given.get("agent_id"), given.get("agent_type"))
            await lane.whole()
            self.session.check()
            if name == OUTPUT or self.session.names.is_own(name):
                return {}
            asked = ToolCall(id=id, name=self.session.names(name), arguments=given["tool_input"])
            return await self._in_cli(lane, asked)
        return await _never()

    async def _in_cli(self, lane: Lane, asked: ToolCall) -> dict[str, Any]:
        event = await lane.turn.begin(asked, tool=Known(asked.name, check=_taken))
        if event.outcome == "stubbed":
            # What the model would be shown of an answer of ours is a refusal, and not what the tool answers.
            stop = _unanswered(asked.name)
            event.outcome = None
            await lane.turn.end(event, error=stop)
            lane.turn.root.stop = lane.turn.root.stop or stop
            raise lane.turn.root.stop
        if event.outcome == "denied":
            await lane.turn.end(event)
            return _decided({"permissionDecision": "deny", "permissionDecisionReason": served(event)})
        self.session.running[asked.id] = lane, event
        return {} if event.arguments == asked.parsed() else _decided({"updatedInput": event.arguments})

    # --- MCP servers in this process

    async def heard(self, server: str, message: Any, answer: Answer) -> Any:
        """What a server answers to a message, of which `answer(message)` is what it answers by itself."""
        if message.get("method") == "tools/call":
            return await self._called(server, message, answer)
        before = current.set(self.session.turn)
        try:
            told = await answer(message)
        finally:
            current.reset(before)
        if message.get("method") == "tools/list" and told is not None:
            for tool in (told.get("result") or {}).get("tools") or ():
                self._schemas[tools.wire(server, tool["name"])] = tool.get("inputSchema")
                self._shapes[tools.wire(server, tool["name"])] = tool.get("outputSchema")
        return told

    async def _called(self, server: str, message: Any, answer: Answer) -> Any:
        asked, lane = self._asked(server, message)
        found: list[Any] = []

        async def run(arguments: dict[str, Any]) -> Any:
            params = message["params"]
            same = arguments == (params.get("arguments") or {})
            request = message if same else {**message, "params": {**params, "arguments": arguments}}
            before = current.set(lane.turn)
            try:
                found.append(await answer(request))
            finally:
                current.reset(before)
            return tools.value_of(found[0])

        async with self.session.stopping():
            await lane.whole()
            self.session.check()
            wire = tools.wire(server, message["params"]["name"])
            event = await lane.turn.call(asked, run, tool=tools.known(asked.name, self._schemas.get(wire)))
            self.session.check()
            if found:
                return found[0]
            try:
                return tools.answered(message, served(event), shape=self._shapes.get(wire))
            except Exception as error:
                return tools.answered(message, str(error), failed=True)
        return await _never()

    def _asked(self, server: str, message: Any) -> tuple[ToolCall, Lane]:
        params = message["params"]
        id = (params.get("_meta") or {}).get("claudecode/toolUseId")
        name, given = self.session.names(tools.wire(server, params["name"])), params.get("arguments") or {}
        # Older ones don't say which call it is.
        lane = None if id else self.session.asking(name, given)
        return ToolCall(id=id or "", name=name, arguments=given), lane or self.session.lane(id)


def _unanswered(name: str) -> StubError:
    tape = taped.get()
    if tape is not None and tape.frozen:
        return ReplayError(unreached.not_frozen(name))
    return StubError(unreached.out_of_reach(name, True))


def _decided(decision: dict[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def _taken(arguments: dict[str, Any]) -> None:
    """Refuse nothing: what the CLI took is taken."""


async def _never() -> NoReturn:
    """Wait for the end of the run, which comes."""
    await anyio.sleep_forever()
    raise AssertionError
