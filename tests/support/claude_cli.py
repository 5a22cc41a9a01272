"""A Claude CLI in this process: it speaks the protocol of the real one over what the SDK takes for a child's stdin and stdout, and plays a plan.

`scripted(...)` gives the path by which an agent's options name it (`cli_path`). What it does is what the real one was seen to do: each
block of a message is told as it is whole and its tool begins then, hooks are asked side by side, a sub-agent's messages have no stream.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from tests.support.frameworks import Plan, raising, ran

SCRIPTS: dict[str, Script] = {}
_numbers = itertools.count(1)


class Script:
    """What the model says, that of the sub-agent "inner", and all that they were shown, request by request.

    `streams`: as the main thread's messages are; `signs`: the calls of MCP tools say which call of the model's they are; `lingers`: a command in the background keeps it from ending by itself.
    """

    def __init__(
        self, plan: Plan, inner: Plan = (), *, streams: bool = True, signs: bool = True, lingers: bool = False
    ) -> None:
        self.path = f"/scripted/{next(_numbers)}"
        self.plan = plan
        self.inner = inner
        self.streams = streams
        self.signs = signs
        self.lingers = lingers
        self.shown: list[list[Any]] = []
        self.commands: list[list[str]] = []
        self.ended: list[str] = []
        SCRIPTS[self.path] = self


class _In:
    def __init__(self, cli: Cli) -> None:
        self.cli = cli

    async def send(self, data: bytes) -> None:
        if self.cli.returncode is not None:
            raise anyio.BrokenResourceError
        for line in data.decode().splitlines():
            self.cli.said(json.loads(line))

    async def aclose(self) -> None:
        self.cli.closed()


class _Out:
    def __init__(self) -> None:
        self.lines: asyncio.Queue[Any] = asyncio.Queue()
        self.said: list[bytes] = []

    async def receive(self, max_bytes: int = 65536) -> bytes:
        if self.said:
            return self.said.pop()
        said = await self.lines.get()
        if isinstance(said, BaseException):
            raise said
        return (json.dumps(said) + "\n").encode()

    async def aclose(self) -> None:
        """Let go of it."""


class Cli:
    """The process."""

    def __init__(self, script: Script, command: list[str], env: dict[str, str]) -> None:
        self.script = script
        self.command = command
        self.env = env
        self.pid = 0
        self.returncode: int | None = None
        self.stdin, self.stdout, self.stderr = _In(self), _Out(), None
        self._over = anyio.Event()
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._hooks: dict[str, Any] = {}
        self._servers: dict[str, dict[str, Any]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._busy: asyncio.Task[Any] | None = None
        self._closed = False
        self._failed = False
        self._conversation = list(self._resumed())
        self._next = itertools.count(1)
        script.commands.append(command)
        if command[1:] == ["-v"]:
            # Older SDKs ask what it is.
            self.stdout.said = [b"2.1.139 (Claude Code)\n"]
            self._end(0, "asked")

    # --- a process

    async def wait(self) -> int:
        """Its status, once it has ended."""
        await self._over.wait()
        assert self.returncode is not None
        return self.returncode

    def terminate(self) -> None:
        """As by SIGTERM."""
        self._end(143, "terminated")

    kill = terminate

    async def aclose(self) -> None:
        """Let go of it."""

    def closed(self) -> None:
        """Its stdin is at its end: it finishes what it does."""
        self._closed = True
        if (self._busy is None or self._busy.done()) and not self.script.lingers:
            self._end(1 if self._failed else 0, "ended")

    def _end(self, status: int, how: str) -> None:
        if self.returncode is not None:
            return
        self.returncode = status
        self.script.ended.append(how)
        for task in self._tasks:
            task.cancel()
        self.stdout.lines.put_nowait(anyio.EndOfStream())
        self._over.set()

    # --- the protocol

    def said(self, line: Any) -> None:
        """A line came on stdin."""
        if line["type"] == "control_response":
            answer = self._answers.pop(line["response"]["request_id"], None)
            if answer is not None and not answer.done():
                answer.set_result(line["response"])
        elif line["type"] == "control_request":
            self._spawn(self._asked(line["request_id"], line["request"]))
        elif line["type"] == "user":
            self._busy = self._spawn(self._turn(line["message"]["content"]))

    def _spawn(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _tell(self, kind: str, **more: Any) -> None:
        if self.returncode is None:
            self.stdout.lines.put_nowait({"type": kind, "session_id": "s", "uuid": "u", **more})

    async def _ask(self, **request: Any) -> Any:
        id = f"cli_{next(self._next)}"
        answer = self._answers[id] = asyncio.get_running_loop().create_future()
        self._tell("control_request", request_id=id, request=request)
        return await answer

    async def _asked(self, id: str, request: Any) -> None:
        answer: Any = {}
        if request["subtype"] == "initialize":
            self._hooks = request["hooks"] or {}
            for name in self._sdk_servers():
                await self._mcp(name, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=_CLIENT)
                await self._ask(subtype="mcp_message", server_name=name, message=_INITIALIZED)
                listed = (await self._mcp(name, "tools/list"))["result"]["tools"]
                self._servers[name] = {tool["name"]: tool for tool in listed}
            answer = {"commands": [], "hook_on_failure_supported": True, "hooks_applied": True}
        elif request["subtype"] == "mcp_status":
            answer = {
                "mcpServers": [
                    {"name": name, "status": "connected", "tools": [{"name": each} for each in tools]}
                    for name, tools in self._servers.items()
                ]
            }
        response = {"subtype": "success", "request_id": id, "response": answer}
        self._tell("control_response", response=response)

    async def _mcp(self, server: str, method: str, **params: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": next(self._next), "method": method, "params": params}
        answer = await self._ask(subtype="mcp_message", server_name=server, message=message)
        return answer["response"]["mcp_response"]

    async def _hook(self, event: str, *, id: str | None = None, **given: Any) -> list[Any]:
        """What the hooks of an event say, asked side by side; one that fails stops what it was asked about."""
        asked = [
            self._ask(
                subtype="hook_callback", callback_id=each, tool_use_id=id, input={"hook_event_name": event, **given}
            )
            for matcher in self._hooks.get(event) or ()
            if matcher["matcher"] is None or re.fullmatch(matcher["matcher"], given.get("tool_name", ""))
            for each in matcher["hookCallbackIds"]
        ]
        told = await asyncio.gather(*asked)
        return [each.get("response", _FAILED) for each in told]

    # --- what the command line says

    def _option(self, name: str) -> str | None:
        for place, word in enumerate(self.command):
            if word.startswith(f"{name}="):
                return word.partition("=")[2]
            if word == name:
                return self.command[place + 1]
        return None

    def _sdk_servers(self) -> list[str]:
        configs = json.loads(self._option("--mcp-config") or "{}").get("mcpServers", {})
        assert all(config["type"] == "sdk" for config in configs.values())
        return list(configs)

    def _resumed(self) -> Any:
        id = self._option("--resume")
        if id is not None:
            (path,) = Path(self.env["CLAUDE_CONFIG_DIR"]).glob(f"projects/*/{id}.jsonl")
            for line in path.read_text().splitlines():
                yield json.loads(line)["message"]

    @property
    def _tools(self) -> list[str]:
        return [
            *(name for name in (self._option("--tools") or "").split(",") if name),
            *(f"mcp__{server}__{tool}" for server, tools in self._servers.items() for tool in tools),
        ]

    # --- a turn

    async def _turn(self, prompt: str) -> None:
        await self._hook("UserPromptSubmit", prompt=prompt)
        servers = [{"name": name, "status": "connected"} for name in self._servers]
        self._tell("system", subtype="init", tools=self._tools, mcp_servers=servers, claude_code_version="2.1.0")
        self._conversation.append({"role": "user", "content": prompt})
        result = await self._loop(self.script.plan, self._conversation, None)
        if result is not None:
            usage = {
                "scripted": {"inputTokens": 10 * result.pop("requests"), "outputTokens": result.pop("answers") * 2}
            }
            self._failed = bool(result.get("is_error"))
            base = {"subtype": "success", "is_error": False, "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1}
            self._tell("result", **{**base, "modelUsage": usage if self.script.streams else {}, **result})
        if self._closed and not self.script.lingers:
            self._end(1 if self._failed else 0, "ended")

    async def _loop(self, plan: Plan, conversation: list[Any], parent: str | None) -> dict[str, Any] | None:
        requests = 0
        while True:
            if parent is None:
                self._tell("system", subtype="status", status="requesting")
            self.script.shown.append(list(conversation))
            step = plan[requests]
            requests += 1
            counted = {"requests": requests, "answers": requests}
            if isinstance(step, str) and step in ("raise", "down"):
                return self._broken(step, counted)
            blocks = self._blocks(step)
            begun = await self._say(blocks, parent)
            conversation.append({"role": "assistant", "content": blocks})
            if isinstance(step, str):
                return {"result": step, **counted}
            results = [await task for task in begun]
            conversation.append({"role": "user", "content": results})
            output = next((block["input"] for block in blocks if block["name"] == "StructuredOutput"), None)
            if output is not None:
                return {"result": json.dumps(output), "structured_output": output, **counted}

    def _broken(self, step: str, counted: Any) -> dict[str, Any] | None:
        try:
            raising(step)
        except KeyError as error:
            self.stdout.lines.put_nowait(error)
            return None
        except ConnectionError:
            text = "API Error: Connection refused"
        message = {"id": "synthetic", "model": "<synthetic>", "content": [{"type": "text", "text": text}], "usage": {}}
        self._tell("assistant", message=message, parent_tool_use_id=None, error="server_error")
        return {"result": text, "is_error": True, **counted, "requests": 0, "answers": 0}

    def _blocks(self, step: Any) -> list[Any]:
        if isinstance(step, str):
            return [{"type": "text", "text": step}]
        return [
            {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": self._wire(name), "input": given}
            for name, given in step
        ]

    def _wire(self, name: str) -> str:
        return next((f"mcp__{server}__{name}" for server, tools in self._servers.items() if name in tools), name)

    async def _say(self, blocks: list[Any], parent: str | None) -> list[Any]:
        """Tell a message block by block, as the real one does; answers the tools that began meanwhile."""
        id, begun = f"msg_{next(_numbers)}", []
        start = {"id": id, "role": "assistant", "model": "scripted", "usage": {"input_tokens": 10, "output_tokens": 1}}
        self._event(parent, type="message_start", message={**start, "content": []})
        more = {"parent_tool_use_id": parent, **({} if parent is None else {"agent_id": f"agent_{parent}"})}
        for block in blocks:
            self._event(parent, type="content_block_start", index=0, content_block=block)
            self._tell("assistant", message={**start, "content": [block]}, **more)
            if block["type"] == "tool_use":
                begun.append(self._spawn(self._call(block, parent)))
                await asyncio.sleep(0)
            self._event(parent, type="content_block_stop", index=0)
        self._event(parent, type="message_delta", delta={}, usage={"output_tokens": 2})
        self._event(parent, type="message_stop")
        return begun

    def _event(self, parent: str | None, **event: Any) -> None:
        if parent is None and "--include-partial-messages" in self.command and self.script.streams:
            self._tell("stream_event", event=event, parent_tool_use_id=parent)

    # --- a call

    async def _call(self, block: Any, parent: str | None) -> Any:
        told = await self._result(block, parent)
        result = {"type": "tool_result", "tool_use_id": block["id"], **told}
        self._tell("user", message={"role": "user", "content": [result]}, parent_tool_use_id=parent)
        return result

    async def _result(self, block: Any, parent: str | None) -> dict[str, Any]:
        name, given = block["name"], block["input"]
        if name == "StructuredOutput":
            return {"content": "Structured output provided successfully"}
        if name not in (*self._tools, "Task"):
            return _error(f"<tool_use_error>Error: No such tool available: {name}</tool_use_error>")
        about = {"id": block["id"], "tool_use_id": block["id"], "tool_name": name}
        about |= {} if parent is None else {"agent_id": f"agent_{parent}", "agent_type": "inner"}
        for told in await self._hook("PreToolUse", **about, tool_input=given):
            decided = told.get("hookSpecificOutput") or {}
            if told is _FAILED or decided.get("permissionDecision") == "deny":
                return _error(decided.get("permissionDecisionReason", "the hook failed"))
            given = decided.get("updatedInput", given)
        refused = await self._permission(name, given, block["id"])
        if refused is not None:
            return _error(refused)
        result = await self._ran(name, given, block["id"])
        after = "PostToolUseFailure" if result.get("is_error") else "PostToolUse"
        await self._hook(after, **about, tool_input=given, tool_response=result["content"])
        return result

    async def _permission(self, name: str, given: Any, id: str) -> str | None:
        allowed = (self._option("--allowedTools") or "").split(",")
        if name in allowed or self._option("--permission-prompt-tool") != "stdio":
            return None
        told = await self._ask(subtype="can_use_tool", tool_name=name, input=given, tool_use_id=id)
        decided = told["response"]
        return None if decided["behavior"] == "allow" else str(decided["message"])

    async def _ran(self, name: str, given: Any, id: str) -> dict[str, Any]:
        if name == "Task":
            conversation = [{"role": "user", "content": given["prompt"]}]
            found = await self._loop(self.script.inner, conversation, id)
            return {"content": [{"type": "text", "text": (found or {})["result"]}]}
        if not name.startswith("mcp__"):
            ran.append((name, given))
            return {"content": f"the CLI ran {name}"}
        _, server, tool = name.split("__", 2)
        signed = {"_meta": {"claudecode/toolUseId": id}} if self.script.signs else {}
        answer = await self._mcp(server, "tools/call", name=tool, arguments=given, **signed)
        if "error" in answer:
            return _error(answer["error"]["message"])
        result = answer["result"]
        shown = result.get("structuredContent")
        content = result["content"] if shown is None else json.dumps(shown, separators=(",", ":"))
        return {"content": content, **({"is_error": True} if result.get("isError") else {})}


_CLIENT = {"name": "claude-code", "version": "2.1.0"}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_FAILED: dict[str, Any] = {"failed": True}


def _error(text: str) -> dict[str, Any]:
    return {"content": text, "is_error": True}


_real: Callable[..., Any] = anyio.open_process


async def open_process(command: Any, **options: Any) -> Any:
    """A process; one of ours where the command names one."""
    script = SCRIPTS.get(command[0]) if isinstance(command, list) else None
    if script is None:
        return await _real(command, **options)
    return Cli(script, command, {**os.environ, **(options.get("env") or {})})


anyio.open_process = open_process
