"""The adapter for the OpenAI Agents SDK keeps the contract."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here")

from agents import Agent, FileSearchTool, HostedMCPTool, ModelResponse, RunHooks, Runner, Usage, function_tool
from openai.types.responses import ResponseFileSearchToolCall
from openai.types.responses.response_output_item import McpCall

from brute.eval import Case
from tests.eval.adapters.rows import Rows
from tests.support.agents import attempt
from tests.support.frameworks.openai_agents import OpenAIAgents, Scripted


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = OpenAIAgents()


def test_hooks_that_a_tool_gives_the_run_of_another_agent_still_fire() -> None:
    """The turn hears that run, and so do they."""
    heard: list[str] = []

    class Own(RunHooks[Any]):
        """Hooks of whoever starts the run."""

        async def on_llm_start(self, *given: Any) -> None:
            heard.append("asks")

        async def on_llm_end(self, *given: Any) -> None:
            heard.append("said")

        async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
            heard.append(tool.name)

    inner = OpenAIAgents().agent([[("search", {"query": "bank"})], "found"])

    @function_tool
    async def ask(question: str) -> str:
        """Ask another agent."""
        return str((await Runner.run(inner, question, hooks=Own())).final_output)

    agent = Agent(name="outer", model=Scripted([[("ask", {"question": "rates"})], "done"]), tools=[ask])
    made = attempt(agent, Case("asks", said="hello", stubs={"search": "canned"}))
    assert (made.status, [call.name for call in made.transcript.calls]) == ("passed", ["ask", "search"])
    assert heard == ["asks", "said", "search", "asks", "said"]


class Hosts(Scripted):
    """A model whose provider runs tools by itself before it answers."""

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        """What they came to, and the reply."""
        said = await super().get_response(*given, **named)
        ran: list[Any] = [
            McpCall(
                id="m1",
                type="mcp_call",
                name="delete_repo",
                server_label="git",
                arguments='{"name": "x"}',
                output="gone",
            ),
            ResponseFileSearchToolCall(id="f1", type="file_search_call", queries=["x"], status="completed"),
        ]
        return ModelResponse(output=[*ran, *said.output], usage=Usage(), response_id=None)


@pytest.mark.parametrize("forbidden", ["delete_repo", "file_search"])
def test_what_a_server_ran_that_the_provider_asks_is_called_by_its_own_name(forbidden: str) -> None:
    """With its arguments and what came of it, so that a case may forbid it."""
    server: Any = {
        "type": "mcp",
        "server_label": "git",
        "server_url": "https://git.example",
        "require_approval": "never",
    }
    tools: list[Any] = [HostedMCPTool(tool_config=server), FileSearchTool(vector_store_ids=["v"])]
    made = attempt(Agent(name="news", model=Hosts(["done"]), tools=tools), Case("asks", said="hi", never=[forbidden]))
    assert [(call.name, call.arguments, call.result) for call in made.transcript.calls] == [
        ("delete_repo", {"name": "x"}, "gone"),
        ("file_search", {}, None),
    ]
    assert (made.status, made.verdict.failures[0].kind) == ("failed", "call.forbidden")
