"""The adapter for Google ADK keeps the contract."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings():
    # Of what ADK imports in its turn.
    warnings.simplefilter("ignore")
    pytest.importorskip("google.adk.runners", reason="google-adk is not installed here")
    from google.adk.agents import LlmAgent

    from tests.support.frameworks.google_adk import GoogleADK

from brute.eval import Case
from tests.eval.adapters.rows import Rows
from tests.support.frameworks import ran, search
from tests.support.taped import made, unplugged
from tests.support.wire import wired

# ADK warns of its own parts, and of those that it is built on.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", r"ignore:\[EXPERIMENTAL\]:UserWarning")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    # Or the import of LiteLLM, which the example has its model by, would reach for the network.
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


class TestRows(Rows):
    """The rows that every adapter passes."""

    kit = GoogleADK()


@pytest.mark.filterwarnings("ignore")
def test_another_providers_model_behind_litellm_is_recorded_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whatever library LiteLLM sends; and what that would fetch for itself is not fetched."""
    pytest.importorskip("litellm", reason="litellm is not installed here")
    from google.adk.models.lite_llm import LiteLlm

    ran.clear()
    asked = {"id": "call_9", "type": "function", "function": {"name": "search", "arguments": '{"query": "bank"}'}}
    replies = [answered({"content": None, "tool_calls": [asked]}), answered({"content": "Rates were held."})]

    def agent(url: str) -> Any:
        async def build() -> Any:
            model = LiteLlm(model="openai/gpt-4o", api_base=url + "/v1", api_key="none")
            return LlmAgent(name="news", model=model, tools=[search])

        return build

    case = Case("asks", said="rates?")
    with wired(*replies) as wire:
        one = made(tmp_path, agent(wire.url), case, record=True)
    tried = unplugged(monkeypatch)
    two = made(tmp_path, agent("http://127.0.0.1:9"), case, replay=True)
    assert (one.status, two.status, tried, ran) == ("passed", "passed", [], [("search", "bank")])
    assert one.transcript.reply == two.transcript.reply == "Rates were held."


def answered(message: dict[str, Any]) -> Any:
    """A chat's answer."""
    used = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "gpt-4o", "choices": [choice], "usage": used}
    return 200, {"content-type": "application/json"}, [json.dumps(body).encode()], False
