"""The adapter for the Claude Agent SDK: each run of its CLI is heard line by line, and calls are asked for at its hooks and its MCP servers."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import claude_agent_sdk as sdk
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

from ...errors import UsageError
from ...messages import Message
from .. import unreached
from ..cassettes.scope import current as taped
from ..cassettes.sides import MODEL
from ..claims import claimed
from ..foreign import Turn
from ..reaching import reached
from . import claude_agent_sdk_tools as tools
from .base import Foreign
from .claude_agent_sdk_history import History
from .claude_agent_sdk_session import REACHED, Session
from .claude_agent_sdk_watch import SESSION, watch_every_run

_connected: set[int] = set()
"""The transports of the user's own that a turn uses."""


class ClaudeAgentSDK(Foreign):
    """An agent of the Claude Agent SDK: the options of a `query`, or a `ClaudeSDKClient` that is not connected."""

    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        watch_every_run()
        self._claims = reached(agent, (ClaudeAgentOptions, ClaudeSDKClient), functions)
        self._options = _options_of(agent)
        if isinstance(agent, ClaudeSDKClient) and agent._query is not None:
            raise UsageError("the ClaudeSDKClient is connected already; hand in one that is not, or its options")

    async def play(self, turn: Turn) -> None:
        """Run the agent once."""
        tape = taped.get()
        if tape is not None and MODEL in tape.frozen:
            raise tape.fail(unreached.asked_elsewhere())
        turn.env.metadata |= {SESSION: None, REACHED: await tools.named(map(_options_of, self._claims[1:]))}
        *before, last = turn.env.messages or [Message(role="user")]
        if last.role != "user":
            raise UsageError("the Claude Agent SDK starts a turn with what the user says, which must stand last")
        with claimed(turn, self._claims), History(self._options, before) as options:
            try:
                async for _ in self._run(last.content, options):
                    pass
            except Exception as error:
                begun: Session | None = turn.env.metadata[SESSION]
                broke = None if begun is None else begun.broke
                if not begun.heard if begun is not None else isinstance(error, sdk.CLIConnectionError):
                    why = broke or error
                    raise UsageError(unreached.not_started(f"{type(why).__name__}: {why}")) from error
                # Older ones hand on no more of it than its words.
                if type(error) is Exception and broke is not None:
                    raise broke from error
                raise
        session: Session | None = turn.env.metadata[SESSION]
        if session is not None and session.result is not None:
            self._ended(turn, session)

    def _run(self, prompt: str, options: Any) -> AsyncIterator[Any]:
        if isinstance(self.agent, ClaudeSDKClient):
            return self._client(prompt, options)
        # Older ones ask who approves of calls only where the prompt is streamed.
        given = prompt if options.can_use_tool is None else _streamed(prompt)
        made: AsyncIterator[Any] = sdk.query(prompt=given, options=options)
        return made

    async def _client(self, prompt: str, options: Any) -> AsyncIterator[Any]:
        """The run of a client: of a copy, which is the turn's own."""
        client = copy.copy(self.agent)
        client.options = options
        with _held(getattr(client, "_custom_transport", None)):
            async with client:
                await client.query(prompt)
                async for message in client.receive_messages():
                    yield message
                    # What it left to sub-agents in the background comes after a first result.
                    if isinstance(message, ResultMessage) and client._query.brute_calls.session.over:
                        return

    def _ended(self, turn: Turn, session: Session) -> None:
        result = session.result or {}
        if session.uncounted():
            self.blind.append("usage")
        if result.get("deferred_tool_use"):
            turn.env.stopped = "approval"
        elif result.get("is_error"):
            # A `query` has raised it by itself.
            told = "; ".join(map(str, result.get("errors") or ())) or result.get("result") or result.get("subtype")
            raise getattr(sdk, "ResultError", sdk.ClaudeSDKError)(f"Claude Code returned an error result: {told}")
        else:
            output = result.get("structured_output")
            turn.reply(str(result.get("result") or "") if output is None else json.dumps(output))


async def _streamed(prompt: str) -> AsyncIterator[dict[str, Any]]:
    yield {
        "type": "user",
        "session_id": "",
        "message": {"role": "user", "content": prompt},
        "parent_tool_use_id": None,
    }


def _options_of(agent: Any) -> Any:
    return agent.options if isinstance(agent, ClaudeSDKClient) else agent


@contextlib.contextmanager
def _held(transport: Any) -> Iterator[None]:
    """While a client's own transport is in use."""
    if transport is None:
        yield
        return
    if id(transport) in _connected:
        raise UsageError(
            "the ClaudeSDKClient has a transport of its own, which attempts can't share; hand in a function that builds it: "
            "Suite(agent=lambda: ClaudeSDKClient(...))"
        )
    _connected.add(id(transport))
    try:
        yield
    finally:
        _connected.discard(id(transport))


def functions(agent: Any) -> Iterator[Any]:
    """What leads from an agent to others."""
    if isinstance(agent, ClaudeSDKClient):
        yield agent.options
        return
    yield from tools.functions(agent)
