"""The adapter for pydantic-ai keeps the contract."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here")

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelRequest, ModelResponse, NativeToolCallPart, NativeToolReturnPart, TextPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.native_tools import WebSearchTool

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


class Searches(FunctionModel):
    """A model whose provider has searched, and that is asked whole or part by part."""

    def __init__(self) -> None:
        super().__init__(self.play)

    def prepare_request(self, settings: Any, asked: Any) -> Any:
        """Take what it is told: this model's own check knows of no such tool."""
        return settings, asked

    async def play(self, messages: Any, info: Any) -> ModelResponse:
        """The search, and what came of it."""
        call = NativeToolCallPart(tool_name="web_search", args={"query": "x"}, tool_call_id="c1")
        found = NativeToolReturnPart(tool_name="web_search", content="found", tool_call_id="c1")
        return ModelResponse(parts=[call, found, TextPart("found")])


def test_what_the_provider_runs_for_a_model_without_an_agent_is_seen() -> None:
    """As it is for the agent's own model."""

    async def ask(question: str) -> str:
        """Ask a model."""
        asked = ModelRequestParameters(native_tools=[WebSearchTool()])
        said = [ModelRequest.user_text_prompt(question)]
        return str((await model_request(Searches(), said, model_request_parameters=asked)).text)

    agent = PydanticAI().agent([[("ask", {"question": "x"})], "done"], [ask])
    made = attempt(agent, Case("case", said="hello", never=["web_search"]))
    assert (made.status, made.verdict.failures[0].kind) == ("failed", "call.forbidden")
    assert [(call.name, call.arguments, call.result) for call in made.transcript.calls[1:]] == [
        ("web_search", {"query": "x"}, "found")
    ]
