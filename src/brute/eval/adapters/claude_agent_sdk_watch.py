"""The Claude Agent SDK under watch: every run that begins in a turn is heard by it, and every call asks it first. Outside a turn nothing changes."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import functools
import inspect
from collections.abc import AsyncIterator
from typing import Any

import anyio
from claude_agent_sdk import ClaudeSDKClient, HookMatcher, Transport
from claude_agent_sdk._internal.client import InternalClient
from claude_agent_sdk._internal.query import Query
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

from ..claims import turn_of
from ..foreign import Turn, current
from .claude_agent_sdk_calls import Calls
from .claude_agent_sdk_relay import Relay, relays_of
from .claude_agent_sdk_session import Session

SESSION = "brute.claude_agent_sdk.session"
"""Where an env's metadata holds the turn's own run, None until it begins; one that begins after it is an inner agent's."""

CLOSING = 10.0
"""The seconds that ending what a run has opened may take."""

LEAVING = 0.8
"""The seconds that the CLI has to end by itself. A turn that is stopped has not many more in all, or what it started is left running."""

LINGERING = 1.5
"""The seconds of silence after which a CLI that has answered all is ended: it may wait for a command in the background."""

_options: contextvars.ContextVar[Any] = contextvars.ContextVar("brute_claude_options", default=None)
"""With which options a run begins here."""

_FIELDS = {field.name for field in dataclasses.fields(HookMatcher)}


class Tap(Transport):
    """What lies between the SDK and the CLI, and hears each line that comes."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.session: Session | None = None
        self.relays: dict[str, Relay] = getattr(real, "brute_relays", {})

    async def connect(self) -> None:
        """Nothing: it is connected already."""
        await self.real.connect()

    async def write(self, data: str) -> None:
        """Say something to the CLI."""
        await self.real.write(data)

    def is_ready(self) -> bool:
        """Whether something can be said to it."""
        return bool(self.real.is_ready())

    async def end_input(self) -> None:
        """Say that nothing more will be said; a CLI that has nothing more to say either is ended. The SDK does this beside its reading."""
        await self.real.end_input()
        session, process = self.session, getattr(self.real, "_process", None)
        while session is not None and process is not None and process.returncode is None:
            heard = session.heard
            await anyio.sleep(LINGERING)
            if session.over and session.heard == heard:
                session.stopped = True
                await self.end()
                return

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:  # type: ignore[override]
        """The lines of the CLI that the SDK is to have."""
        session = self.session
        assert session is not None
        try:
            async for message in self.real.read_messages():
                shown = False
                async with session.stopping():
                    shown = await session.hear(message)
                if session.stopped:
                    return
                if shown:
                    yield message
        except Exception as error:
            # How the CLI ends that was told to is nobody's concern.
            if not session.stopped:
                session.broke = error
                raise

    async def end(self) -> None:
        """End the CLI at once, with all that it runs."""
        process = getattr(self.real, "_process", None)
        if process is None:
            with anyio.move_on_after(CLOSING, shield=True):
                await self.real.close()
        elif process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()

    async def close(self) -> None:
        """The run is over."""
        session = self.session
        assert session is not None
        with anyio.move_on_after(3 * CLOSING, shield=True):
            try:
                if not session.over:
                    await self.end()
                await session.left()
            finally:
                async with anyio.create_task_group() as closing:
                    closing.start_soon(self._leave)
                    for relay in self.relays.values():
                        closing.start_soon(relay.close)

    async def _leave(self) -> None:
        """End a CLI that does not end by itself once it is told that nothing more will be said."""
        process = getattr(self.real, "_process", None)
        # The deadline may come meanwhile.
        with anyio.CancelScope(shield=True):
            if process is not None and process.returncode is None:
                with contextlib.suppress(Exception):
                    await self.real.end_input()
                with anyio.move_on_after(LEAVING):
                    await process.wait()
                await self.end()
            await self.real.close()


@functools.cache
def watch_every_run() -> None:
    """Put every run under watch."""
    _watch_transports()
    _watch_queries()
    _watch_beginnings()


def _watch_transports() -> None:
    plain = SubprocessCLITransport.__init__

    @functools.wraps(plain)
    def made(self: Any, *args: Any, **named: Any) -> None:
        given = inspect.signature(plain).bind(self, *args, **named)
        if current.get() is not None:
            options = given.arguments["options"]
            self.brute_relays, servers = relays_of(options)
            # By the events of the stream it is known when a message is whole, and what it used.
            given.arguments["options"] = dataclasses.replace(
                options, include_partial_messages=True, mcp_servers=servers
            )
        plain(*given.args, **given.kwargs)

    SubprocessCLITransport.__init__ = made  # type: ignore[method-assign]


def _watch_queries() -> None:
    begin, ask = Query.__init__, Query._handle_sdk_mcp_request

    @functools.wraps(begin)
    def made(self: Any, *args: Any, **named: Any) -> None:
        given, turn = inspect.signature(begin).bind(self, *args, **named), current.get()
        if turn is not None:
            self.brute_calls = _begun(turn, self, given)
        begin(*given.args, **given.kwargs)

    @functools.wraps(ask)
    async def _handle_sdk_mcp_request(self: Any, server_name: str, message: Any) -> Any:
        calls: Calls | None = self.__dict__.get("brute_calls")
        if calls is None:
            return await ask(self, server_name, message)
        relay = self.transport.relays.get(server_name)
        return await calls.heard(server_name, message, relay or functools.partial(ask, self, server_name))

    Query.__init__ = made  # type: ignore[method-assign]
    Query._handle_sdk_mcp_request = _handle_sdk_mcp_request  # type: ignore[method-assign]


def _begun(turn: Turn, query: Any, given: inspect.BoundArguments) -> Calls:
    """A run begins in the turn; its arguments are changed so that it is heard."""
    arguments, options = given.arguments, _options.get()
    own = turn.env.metadata.get(SESSION, turn) is None
    tap = arguments["transport"] = Tap(arguments["transport"])
    heard = turn if own else turn.inner((getattr(options, "extra_args", None) or {}).get("agent"))
    session = tap.session = Session(heard, options, [*(arguments.get("sdk_mcp_servers") or ()), *tap.relays], tap.end)
    if own:
        turn.env.metadata[SESSION] = session
    session.status = getattr(query, "get_mcp_status", None)
    calls, hooks = Calls(session), dict(arguments.get("hooks") or {})
    for event, ours in calls.hooks({"on_failure": "block"} if "on_failure" in _FIELDS else {}).items():
        hooks[event] = [*hooks.get(event, ()), *ours]
    arguments["hooks"] = hooks
    if "forward_subagent_text" in given.signature.parameters:
        # Else a sub-agent's last model call is not heard of.
        arguments["forward_subagent_text"] = True
    return calls


def _watch_beginnings() -> None:
    ask, connect = InternalClient.process_query, ClaudeSDKClient.connect

    @functools.wraps(ask)
    def process_query(self: Any, *args: Any, **named: Any) -> Any:
        options = inspect.signature(ask).bind(self, *args, **named).arguments["options"]
        turn_of(options, "an agent of the Claude Agent SDK")
        _options.set(options)
        return ask(self, *args, **named)

    @functools.wraps(connect)
    async def connected(self: Any, *args: Any, **named: Any) -> Any:
        for each in (self, self.options):
            turn_of(each, "a ClaudeSDKClient")
        _options.set(self.options)
        return await connect(self, *args, **named)

    InternalClient.process_query = process_query  # type: ignore[method-assign]
    ClaudeSDKClient.connect = connected  # type: ignore[method-assign]
