"""What a framework's tests bring to the rows: how its agents are built around a scripted model, and what that model was shown.

A plan is a list of steps. A step is a text (the reply) or a list of calls, each `(name, arguments)`, made in one batch. The model
plays the step whose number is that of its own messages since the user last spoke, so that one agent may run many turns at once. It
reports 10 tokens in and 2 out for each call, and calls itself "scripted".
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import importlib.metadata
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import anyio

from brute import Tool

Calls = Sequence[tuple[str, Any]]
Plan = Sequence[str | Calls]
ran: list[tuple[str, Any]] = []


class Door:
    """An event that may be set and waited for on whatever thread and loop: some frameworks give each call one of its own."""

    def __init__(self) -> None:
        self._open = threading.Event()

    def set(self) -> None:
        """Open it."""
        self._open.set()

    async def wait(self) -> None:
        """Wait until it is open."""
        await anyio.to_thread.run_sync(self._open.wait, abandon_on_cancel=True)


class Gate:
    """A door that calls wait at until another call opens it."""

    def __init__(self) -> None:
        self.open = Door()


gate: list[Gate] = []


async def search(query: str) -> str:
    """Search the news.

    Args:
        query: what to look for
    """
    ran.append(("search", query))
    if query == "waits":
        await gate[0].open.wait()
    if query == "opens":
        gate[0].open.set()
    if query == "hangs":
        await anyio.sleep_forever()
    return f"live {query}"


def lookup(word: str) -> str:
    """Look a word up, on whatever thread.

    Args:
        word: the word
    """
    ran.append(("lookup", word))
    return f"looked up {word}"


async def breaks(query: str = "") -> str:
    """Do not work.

    Args:
        query: anything
    """
    ran.append(("breaks", query))
    raise OSError("down")


TOOLS = (search, lookup, breaks)


def in_bare_thread(function: Callable[[], Any]) -> Any:
    """What the function answers in a thread that was started without the context of who starts it."""
    found: list[Any] = []

    def go() -> None:
        try:
            found.append(function())
        except BaseException as error:
            found.append(error)

    # One that takes over no context, whatever this Python does by default.
    thread = threading.Thread(target=contextvars.Context().run, args=(go,))
    thread.start()
    thread.join()
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def in_pool(function: Callable[[], Any]) -> Any:
    """What the function answers in a pool of threads."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return pool.submit(function).result()


def in_thread(function: Callable[[], Any]) -> Any:
    """What the function answers in a thread."""
    future: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def go() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=go)
    thread.start()
    thread.join()
    return future.result()


class Kit:
    """One framework; `example` is the folder of its example. A method that answers None says that the framework has no such thing; `why` holds the reason then.

    `forgives`: a tool that raises is told to the model, and the turn goes on. `goes_on`: so does it after a call to an unknown tool.
    `names_asked`: the framework does not hand on which model answered, so that it is the one that was asked that is seen.
    `shares`: one agent object may be used by many attempts at once. `hears_bad`: calls with arguments that the tool refuses are seen.
    `spends`: the tokens of the example's attempts, whose model reports 37 for each answer. `cut_off`: the exception with which the framework ends a turn whose last answer was cut off at its length.
    """

    name = ""
    example = ""
    forgives = True
    goes_on = True
    shares = True
    names_asked = False
    cut_off = ""
    spends: ClassVar[set[int]] = {37, 74, 111}
    why: Mapping[str, str] = {}

    def agent(self, plan: Plan, tools: Sequence[Callable[..., Any]] = TOOLS, **more: Any) -> Any:
        """An agent whose model plays the plan; `hooks` is a list that the user's own hooks append to, as (kind, tool)."""
        raise NotImplementedError

    async def run(self, agent: Any, said: str) -> Any:
        """Run the agent as its user would, without the harness."""
        raise NotImplementedError

    def results(self, agent: Any) -> list[Any]:
        """What the model was shown of its last calls' results, in order, each with whether it was shown as an error."""
        raise NotImplementedError

    def history(self, agent: Any) -> list[tuple[str, str]]:
        """The conversation that the model was shown first: (role, text)."""
        raise NotImplementedError

    def state(self, agent: Any) -> Any:
        """What of the agent a run might change, comparable."""
        return None

    def structured(self) -> Any:
        """An agent whose output is `{"city": "London", "rate": 4.25}`."""
        return None

    def inner(self, plan: Plan, inner: Plan) -> Any:
        """An agent with the tool `ask(question)`, which runs an agent called "inner" that has the tools."""
        return None

    def lost(self, plan: Plan, inner: Plan) -> Any:
        """The same, but the tool runs it in a thread that has no context."""
        return None

    def handoff(self, plan: Plan, other: Plan) -> Any:
        """An agent that hands over to one called "other", which has the tools; the call that does so is `self.hands_over`."""
        return None

    hosted_name = "web_search"
    tells_hosted = False
    """Whether the framework hands on what the provider ran by itself."""

    hands_over: tuple[str, Any] = ("transfer_to_other", {})

    def mcp(self, plan: Plan, command: list[str]) -> Any:
        """An agent whose tools are those of the stdio MCP server that the command starts."""
        return None

    talks: Mapping[str, str] = {}
    """The recorded wires that its real client can be pointed at: the end of the path, and what stands before it in the address."""

    def real(self, model: str, url: str, path: str, tools: Sequence[Tool]) -> Any:
        """An agent of the framework's real client, at this address, with tools that have these schemas; the path says the wire."""
        return None

    def hosted(self) -> Any:
        """An agent with the tool `web_search`, which the provider runs."""
        return None


def mcp_command(notes: Path) -> list[str]:
    """What starts the MCP server of the tests, which notes its tool's runs."""
    return [sys.executable, str(Path(__file__).parents[1] / "mcp_server.py"), str(notes)]


def raising(step: str) -> None:
    """Raise what a model's step stands for, where it stands for that."""
    if step == "raise":
        raise KeyError("plan")
    if step == "down":
        raise ConnectionError("connection refused")


KITS = {
    "pydantic_ai": "PydanticAI",
    "openai_agents": "OpenAIAgents",
    "langgraph": "LangGraph",
    "google_adk": "GoogleADK",
    "strands": "Strands",
    "agent_framework": "AgentFramework",
    "claude_agent_sdk": "ClaudeAgentSDK",
    "haystack": "Haystack",
    "llama_index": "LlamaIndex",
    "crewai": "CrewAI",
    "dspy": "DSPy",
    "smolagents": "Smolagents",
    "agno": "Agno",
}
"""Every kit: its module here, which is also the name of its tests and its example, and its class."""

NEEDS = {
    "pydantic_ai": "pydantic-ai-slim",
    "openai_agents": "openai-agents",
    "langgraph": "langgraph",
    "google_adk": "google-adk",
    "strands": "strands-agents",
    "agent_framework": "agent-framework-core",
    "claude_agent_sdk": "claude-agent-sdk",
    "haystack": "haystack-ai",
    "llama_index": "llama-index-core",
    "crewai": "crewai",
    "dspy": "dspy",
    "smolagents": "smolagents",
    "agno": "agno",
}
"""The distribution that has to be there for it: a folder of that name on the path (an example's) is no framework."""


def installed() -> list[Kit]:
    """The kits of the frameworks that are installed here."""
    return [
        getattr(importlib.import_module(f"{__name__}.{module}"), kit)()
        for module, kit in KITS.items()
        if _is_here(NEEDS[module])
    ]


def _is_here(distribution: str) -> bool:
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
