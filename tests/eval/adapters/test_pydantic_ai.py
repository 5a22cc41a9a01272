"""The adapter for pydantic-ai keeps the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here")

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest

from brute.eval import Budget, Case
from tests.eval.adapters.rows import Rows
from tests.support.agents import attempt
from tests.support.frameworks.pydantic_ai import PydanticAI, Scripted


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = PydanticAI()


TOO_FEW = Budget(tokens=24)


class Streams(Scripted):
    """A model that also answers part by part."""

    def __init__(self, plan: Any) -> None:
        super().__init__(plan)
        self.stream_function = self.parts

    async def parts(self, messages: Any, info: Any) -> AsyncIterator[str]:
        """The next step, which is a text."""
        yield (await self.play(messages, info)).text or ""


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_what_a_tool_asks_a_model_without_an_agent_is_an_inner_agents_request(streamed: bool) -> None:
    """It counts among the turn's, and a budget holds of it."""
    model = Streams(["asked"])

    async def ask(question: str) -> str:
        """Ask a model."""
        said = [ModelRequest.user_text_prompt(question)]
        if not streamed:
            return str((await model_request(model, said)).text)
        async with model_request_stream(model, said) as parts:
            async for _ in parts:
                pass
            return str(parts.get().text)

    agent = PydanticAI().agent([[("ask", {"question": "x"})], "done"], [ask])
    made = attempt(agent, Case("case", said="hello"))
    assert (made.status, made.transcript.iterations, made.transcript.reply) == ("passed", 3, "done")
    assert (made.transcript.calls[0].result, [each.model for each in made.transcript.requests]) == (
        "asked",
        ["scripted"] * 3,
    )
    spent = made.transcript.tokens
    assert spent == 36 or (streamed and spent is not None and spent > 24)
    over = attempt(
        PydanticAI().agent([[("ask", {"question": "x"})], "done"], [ask]), Case("c", said="x", budget=TOO_FEW)
    )
    assert (over.status, over.verdict.failures[0].kind) == ("failed", "budget.tokens")
