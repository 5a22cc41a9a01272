"""The tools of the Claude Agent SDK: what they are called here, and what an MCP server answers in JSON."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...calling import as_text
from ..known import Known

_NAMES = """
Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep
KillBash KillShell ListAgents ListMcpResources LS MCPSearch Monitor MultiEdit NotebookEdit NotebookRead PowerShell Read ReadMcpResource
ReportFindings ScheduleWakeup SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead
TodoWrite ToolSearch WebFetch WebSearch Workflow Write
"""

BUILT_IN = frozenset(_NAMES.split())
"""The CLI's own tools, until it says itself which it has."""


class Failed(Exception):
    """What a tool says that answers with an error."""


def plain(name: str) -> str:
    """A name as it stands in the names of MCP tools."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)


def wire(server: str, tool: str) -> str:
    """What the model calls a tool of an MCP server."""
    return f"mcp__{plain(server)}__{plain(tool)}"


class Names:
    """What the tools are called: a server's by their own name alone, as long as nothing else is called so; `own` are the servers that are answered here."""

    def __init__(self, own: Iterable[str]) -> None:
        self.own = {plain(server) for server in own}
        self.servers: set[str] = set(self.own)
        self._names: dict[str, str] = {}

    def learn(self, wires: Iterable[str], servers: Iterable[str] = ()) -> None:
        """These are all the tools that the model has."""
        self.servers |= {plain(server) for server in servers}
        found = {each: self._bare(each) for each in wires}
        often = Counter(found.values())
        self._names = {each: name if often[name] == 1 else each for each, name in found.items()}

    def __call__(self, name: str) -> str:
        """What the tool that the model calls so is called here."""
        return self._names.get(name, name)

    def all(self) -> list[str]:
        """The names of all tools, as far as they are known."""
        return list(self._names.values())

    def unanswered(self) -> list[str]:
        """Those that run in the CLI, or are asked by it: they can be kept from running, and nothing can answer in their stead."""
        return [name for each, name in self._names.items() if not self.is_own(each)]

    def is_own(self, name: str) -> bool:
        """Whether the tool is of a server that is answered here."""
        return self._server(name) in self.own

    def _server(self, name: str) -> str | None:
        found = [server for server in self.servers if name.startswith(f"mcp__{server}__")]
        return max(found, key=len, default=None)

    def _bare(self, name: str) -> str:
        server = self._server(name)
        return name if server is None else name.removeprefix(f"mcp__{server}__")


def known(name: str, schema: Mapping[str, Any] | None) -> Known:
    """A tool that refuses what its server would."""
    return Known(name, schema, check=functools.partial(_check, schema))


def _check(schema: Mapping[str, Any] | None, arguments: dict[str, Any]) -> None:
    if schema is None:
        return
    from jsonschema import exceptions, validators

    # That the schema is one was seen when the server was made: to look again takes longer than all else that is done for a call.
    error = exceptions.best_match(validators.validator_for(schema)(schema).iter_errors(arguments))
    if error is not None:
        # In the words of the SDK's own servers.
        raise ValueError(f"Input validation error: {error.message}")


def value_of(answer: Mapping[str, Any]) -> Any:
    """What a server answered to a call, as the model is shown it: its structured output, else the text, or its content where that is more.

    Raises what the server calls an error.
    """
    if "error" in answer:
        raise Failed(str(answer["error"].get("message")))
    result = answer.get("result") or {}
    if result.get("isError"):
        raise Failed(text_of(result.get("content")))
    if result.get("structuredContent") is not None:
        return result["structuredContent"]
    content = result.get("content") or []
    return text_of(content) if all(block.get("type") == "text" for block in content) else content


def text_of(content: Any) -> str:
    """The texts of a result."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in content or () if block.get("type") == "text")


def answered(
    request: Mapping[str, Any], value: Any, *, failed: bool = False, shape: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A stub's value as a server's answer, in this `shape` where the tool's output has one; a tool's result already stays as it is."""
    content: Any = [{"type": "text", "text": as_text(value)}]
    structured = None if failed or shape is None else _structured(value, shape)
    if isinstance(value, dict) and _is_whole(value.get("content")):
        content, failed = value["content"], bool(value.get("is_error") or value.get("isError"))
        structured = value.get("structuredContent")
    more = {} if structured is None else {"structuredContent": structured}
    return {"jsonrpc": "2.0", "id": request.get("id"), "result": {"content": content, "isError": failed, **more}}


_BLOCKS = {"text", "image", "audio", "resource", "resource_link"}
"""What the content of a result may be made of."""


def _is_whole(content: Any) -> bool:
    """Whether it is the content of a result, and no list that a tool's answer happens to call so."""
    return isinstance(content, list) and all(isinstance(each, dict) and each.get("type") in _BLOCKS for each in content)


def _structured(value: Any, shape: Mapping[str, Any]) -> dict[str, Any] | None:
    """The value as structured output, None where it does not fit: by itself, as the text that it is, or wrapped as FastMCP does it."""
    from jsonschema import validators

    plain = value if isinstance(value, str) else _parsed(as_text(value))
    validator = validators.validator_for(shape)(shape)
    for each in (plain, _parsed(plain), {"result": plain}):
        # What a schema names may not be there.
        with contextlib.suppress(Exception):
            if isinstance(each, dict) and validator.is_valid(each):
                return each
    return None


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


async def named(agents: Iterable[Any]) -> list[str] | None:
    """What the tools of the agents are called, which are options; None where nobody knows before they run."""
    found: list[str] = []
    for options in agents:
        servers = options.mcp_servers if isinstance(options.mcp_servers, dict) else None
        if servers is None or not all("instance" in config for config in servers.values()):
            return None
        names = Names(servers)
        try:
            wires = [wire(each, tool.name) for each in servers for tool in await _listed(servers[each]["instance"])]
        except Exception:  # a server of the user's own, which needs a connection for it
            return None
        names.learn([*wires, *(options.tools if isinstance(options.tools, list) else BUILT_IN)])
        found += names.all()
    return found


async def _listed(server: Any) -> Any:
    from mcp import types

    if hasattr(server, "get_request_handler"):
        return (await server.get_request_handler("tools/list").handler(None, None)).tools
    answer = await server.request_handlers[types.ListToolsRequest](types.ListToolsRequest(method="tools/list"))
    return answer.root.tools


def functions(options: Any) -> Iterator[Any]:
    """The functions that an agent's options bring along: its tools', its hooks', and who approves of calls."""
    servers = options.mcp_servers if isinstance(options.mcp_servers, dict) else {}
    for server in servers.values():
        if isinstance(server, dict) and "instance" in server:
            yield from _bodies(server["instance"])
    for matchers in (options.hooks or {}).values():
        for matcher in matchers:
            yield from matcher.hooks
    if options.can_use_tool is not None:
        yield options.can_use_tool


def _bodies(server: Any) -> Iterator[Any]:
    """The functions that a server's handlers hold in their closures, and those that these do."""
    waiting, seen = [(server, 0)], set()
    while waiting:
        thing, depth = waiting.pop()
        if id(thing) in seen or depth > 8:
            continue
        seen.add(id(thing))
        if callable(thing) and hasattr(thing, "__code__"):
            yield thing
            waiting += [(cell.cell_contents, depth + 1) for cell in thing.__closure__ or () if _is_filled(cell)]
        elif isinstance(thing, dict):
            waiting += [(each, depth + 1) for each in thing.values()]
        elif isinstance(thing, (list, tuple)):
            waiting += [(each, depth + 1) for each in thing]
        else:
            held = (getattr(thing, name, None) for name in ("_request_handlers", "request_handlers", "handler"))
            waiting += [(getattr(each, "__func__", each), depth + 1) for each in held if each is not None]


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - one that is empty raises
    except ValueError:
        return False
    return True
