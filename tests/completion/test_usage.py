"""What a call used, by the providers' own reports, and what it costs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from brute.completion import usage
from brute.completion.wire import Answer
from brute.messages import Usage

messages = pytest.importorskip("pydantic_ai.messages")
counted = pytest.importorskip("pydantic_ai.usage").RequestUsage


def used(report: dict[str, Any] | None, **counts: int) -> Usage:
    """The usage for a body with this report, where the library counted this."""
    answer = None if report is None else Answer(200, json.dumps(report).encode())
    return usage.used(messages.ModelResponse(parts=[], usage=counted(**counts), model_name="no such model"), answer)


def test_not_reported_is_none() -> None:
    """What the provider did not say is None, though the library counts it as 0."""
    assert used({"choices": []}, unmeasured_requests=1) == Usage()
    assert used({"usage": {"prompt_tokens": 5, "completion_tokens": 2}}, input_tokens=5, output_tokens=2) == Usage(
        input=5, output=2
    )
    nothing = {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": None}}
    assert used({"usage": nothing}, input_tokens=5, output_tokens=2).cache_read is None


def test_a_reported_zero_stays_zero() -> None:
    """A 0 that the provider sent is what it reported."""
    report = {"input_tokens": 0, "output_tokens": 0, "input_tokens_details": {"cached_tokens": 0}}
    assert used({"usage": report}) == Usage(input=0, output=0, cache_read=0)


def test_a_number_that_the_library_could_not_read_is_none() -> None:
    """It counts 0 for all of them then, which no budget is to be kept by."""
    assert used({"usage": {"prompt_tokens": -5, "completion_tokens": 2}}) == Usage()


def test_google_leaves_out_what_is_zero() -> None:
    """A total with no output beside it says that there was none."""
    report = {"promptTokenCount": 3, "totalTokenCount": 3}
    assert used({"usageMetadata": report}, input_tokens=3) == Usage(input=3, output=0)


def test_an_answer_that_was_not_seen_reports_no_zero() -> None:
    """A provider with a wire of its own: its counts are taken, its zeros are not."""
    assert used(None, input_tokens=3) == Usage(input=3)


def response(model: str, provider: str, url: str, **details: Any) -> Any:
    """A response that took 1,000 tokens and said 100."""
    return messages.ModelResponse(
        parts=[],
        usage=counted(input_tokens=1000, output_tokens=100),
        model_name=model,
        provider_name=provider,
        provider_url=url,
        provider_details=details or None,
    )


def test_the_cost_of_a_known_model() -> None:
    """gpt-4o-2024-08-06 took $2.50 a million tokens in and $10 out."""
    asked = response("gpt-4o-2024-08-06", "openai", "https://api.openai.com/v1")
    assert usage.cost(asked) == pytest.approx(0.0035)


def test_the_cost_elsewhere_is_that_hosts() -> None:
    """Another host's price is known only where the price list knows the host."""
    asked = response("gpt-4o-2024-08-06", "openai", "http://127.0.0.1:8000/v1")
    assert usage.cost(asked, "http://127.0.0.1:8000/v1") is None
    assert usage.cost(asked, "https://api.openai.com/v1") == pytest.approx(0.0035)


def test_the_cost_of_an_unknown_model_is_none() -> None:
    """A model that the price list does not know has no price."""
    assert usage.cost(response("no-such-model", "openai", "https://api.openai.com/v1")) is None


def test_openrouter_names_its_own_price() -> None:
    """What the answer itself says it cost is what it cost."""
    assert usage.cost(response("x/y", "openrouter", "https://openrouter.ai/api/v1", cost=0.25)) == 0.25


def test_what_is_no_number_of_tokens_is_not_reported() -> None:
    """A provider that reports nonsense costs the number, and not the turn."""
    made = used({"prompt_tokens": -5, "completion_tokens": 2}, input_tokens=-5, output_tokens=2)
    assert made == Usage(input=None, output=2)
