"""An agent of one framework whose tool runs an agent of another: both are in the turn, where both are installed."""

from __future__ import annotations

from typing import Any

import pytest

from brute.eval import Budget, Case
from tests.support.agents import attempt
from tests.support.frameworks import Kit, installed, ran

KITS = installed()
WATCHED = (
    "pydantic-ai",
    "openai-agents",
    "langgraph",
    "google-adk",
    "strands-agents",
    "agent-framework",
    "claude-agent-sdk",
    "smolagents",
    "agno",
)
"""Those of which a run is watched, whatever framework's agent the turn is of."""

PAIRS = [(outer, inner) for outer in KITS for inner in KITS if outer is not inner and inner.name in WATCHED]


@pytest.mark.skipif(not PAIRS, reason="no two frameworks are installed here")
@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=lambda kit: kit.name)
def test_an_agent_of_another_framework_is_seen(outer: Kit, inner: Kit) -> None:
    """Its calls, by whom they are, and what its models used."""
    ran.clear()
    other = inner.agent([[("lookup", {"word": "x"})], "found"])

    async def ask(question: str) -> str:
        """Ask the other agent.

        Args:
            question: what
        """
        await inner.run(other, question)
        return "found"

    def build() -> Any:
        return outer.agent([[("ask", {"question": "x"})], "done"], [ask])

    made = attempt(build, Case("case", said="hello", never=["lookup"]), deadline=30.0)
    names = [(call.name, call.agent is None) for call in made.transcript.calls]
    assert (made.status, made.verdict.failures[0].kind, ran) == ("failed", "call.forbidden", [("lookup", "x")])
    assert names == [("ask", True), ("lookup", False)]
    made = attempt(build, Case("case", said="hello", budget=Budget(iterations=3)), deadline=30.0)
    assert (made.status, made.verdict.failures[0].kind) == ("failed", "budget.iterations")
