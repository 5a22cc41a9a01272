"""The adapter for the OpenAI Agents SDK keeps the contract."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here")

from agents import Agent, RunHooks, Runner, function_tool

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
