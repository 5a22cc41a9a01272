"""An MCP server that speaks over stdio, started by this process in the CLI's stead, so that the calls of its tools come by here."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Mapping
from typing import Any

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream

CLOSING = 0.8
"""The seconds that a server has to end by itself, and then those when it is told to: a turn that is stopped waits no longer for both."""

LINE = 64 * 1024 * 1024
"""The bytes that one message may have."""


class Relay:
    """One server, started at the first message. What it asks by itself is not carried further; the SDK's own servers can't ask either."""

    def __init__(self, name: str, config: Mapping[str, Any], options: Any) -> None:
        self.name = name
        self.config = config
        self.options = options
        self._process: Any = None
        self._lines: BufferedByteReceiveStream | None = None
        self._starting = anyio.Lock()
        self._writing = anyio.Lock()
        self._reading = False
        self._news = anyio.Event()
        self._answers: dict[Any, Any] = {}

    async def __call__(self, message: Any) -> Any:
        """What the server answers; None where the message asks for nothing."""
        async with self._starting:
            if self._process is None:
                await self._start()
        await self._write(message)
        if "method" not in message or "id" not in message:
            return None
        while message["id"] not in self._answers:
            # Whoever waits reads for all the others.
            if self._reading:
                await self._news.wait()
            else:
                await self._read()
        return self._answers.pop(message["id"])

    async def close(self) -> None:
        """End the server."""
        process = self._process
        if process is None:
            return
        with anyio.CancelScope(shield=True):
            with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await process.stdin.aclose()
            for end in (process.terminate, process.kill):
                with anyio.move_on_after(CLOSING):
                    await process.wait()
                if process.returncode is not None:
                    break
                with contextlib.suppress(ProcessLookupError):
                    end()
            await process.aclose()

    async def _start(self) -> None:
        given = [self.config["command"], *(self.config.get("args") or ())]
        # The CLI's own environment, which its servers get.
        env = {**os.environ, **(self.options.env or {})}
        more = {name: expanded(str(value), env) for name, value in (self.config.get("env") or {}).items()}
        self._process = await anyio.open_process(
            [expanded(str(each), env) for each in given],
            stderr=subprocess.DEVNULL,
            cwd=self.options.cwd,
            env={**env, **more},
        )
        self._lines = BufferedByteReceiveStream(self._process.stdout)

    async def _write(self, message: Any) -> None:
        async with self._writing:
            await self._process.stdin.send(json.dumps(message).encode() + b"\n")

    async def _read(self) -> None:
        assert self._lines is not None
        self._reading = True
        try:
            line = await self._lines.receive_until(b"\n", LINE)
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.ClosedResourceError) as error:
            raise ConnectionError(f"the MCP server {self.name} ended") from error
        finally:
            self._reading = False
            self._news.set()
            self._news = anyio.Event()
        if not line.strip().startswith(b"{"):
            return  # what it says beside the protocol
        said = json.loads(line)
        if "method" not in said:
            self._answers[said.get("id")] = said
        elif "id" in said:
            answer = {"result": {}} if said["method"] == "ping" else {"error": _UNSUPPORTED}
            await self._write({"jsonrpc": "2.0", "id": said["id"], **answer})


_UNSUPPORTED = {"code": -32601, "message": "requests to the client are not supported"}


def relays_of(options: Any) -> tuple[dict[str, Relay], Any]:
    """The relays for an agent's stdio servers, and its servers as the CLI is to have them."""
    servers = options.mcp_servers
    if not isinstance(servers, dict):
        return {}, servers
    relays = {
        name: Relay(name, config, options)
        for name, config in servers.items()
        if isinstance(config, dict) and "command" in config and config.get("type", "stdio") == "stdio"
    }
    return relays, {
        name: {"type": "sdk", "name": name} if name in relays else config for name, config in servers.items()
    }


def expanded(text: str, env: Mapping[str, str]) -> str:
    """A text of a server's configuration, with the variables that it names, as the CLI does it: `${NAME}` and `${NAME:-otherwise}`.

    >>> expanded("${NOT_SET:-here}/${SET}", {"SET": "x"})
    'here/x'
    """
    return re.sub(
        r"\$\{(\w+)(?::-([^}]*))?\}",
        lambda found: env.get(found[1], found[0] if found[2] is None else found[2]),
        text,
    )
