"""What a model call used, as its provider reported it, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..messages import Usage, as_cost, as_count

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

    from .wire import Answer

_REPORTS: dict[str, tuple[str, ...]] = {
    "input": ("prompt_tokens", "input_tokens", "promptTokenCount"),
    "output": ("completion_tokens", "output_tokens", "candidatesTokenCount", "thoughtsTokenCount"),
    "cache_read": (
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "cache_read_input_tokens",
        "cachedContentTokenCount",
        "prompt_cache_hit_tokens",
    ),
    "cache_write": (
        "prompt_tokens_details.cache_write_tokens",
        "input_tokens_details.cache_write_tokens",
        "cache_creation_input_tokens",
    ),
}
"""The names under which providers report each number."""


def used(response: ModelResponse, answer: Answer | None, base_url: str | None = None) -> Usage:
    """What the call used: the library's numbers where the provider reported any, and None where it did not.

    The library counts cached tokens as input and thinking as output for every provider, but writes 0 for what was not
    reported, so whether it was is looked up in the answer itself. A reported 0 stays 0. Where the answer was not seen
    (a provider with a wire of its own), a 0 counts as not reported: no model call takes or says nothing at all.
    `base_url` is the address that answered where it is not the provider's own.
    """
    counted = response.usage
    if getattr(counted, "unmeasured_requests", 0):  # older versions don't say
        return Usage()
    report = _report(answer)
    numbers: dict[str, int | None] = {
        "input": as_count(counted.input_tokens),
        "output": as_count(counted.output_tokens),
        "cache_read": as_count(counted.cache_read_tokens),
        "cache_write": as_count(counted.cache_write_tokens),
    }
    known = {name: n for name, n in numbers.items() if n is not None and (n or _reported(name, report))}
    if not {"input", "output"} <= known.keys():
        return Usage(**known)
    return Usage(**known, cost=as_cost(cost(response, base_url)))


def _report(answer: Answer | None) -> Mapping[str, Any] | None:
    """The part of an answer that says what it used."""
    data = answer.data if answer is not None else None
    found = data.get("usage") or data.get("usageMetadata") if isinstance(data, dict) else None
    return found if isinstance(found, dict) else None


def _reported(name: str, report: Mapping[str, Any] | None) -> bool:
    if report is None:
        return False
    if name == "output" and "totalTokenCount" in report:
        return True  # Google leaves out what is 0
    # Where one number can't be read (a negative one), the library counts 0 for all of them.
    told = [found for path in _REPORTS[name] if (found := _at(report, path)) is not None]
    return bool(told) and not any(told)


def _at(report: Any, path: str) -> Any:
    for step in path.split("."):
        report = report.get(step) if isinstance(report, dict) else None
    return report


def cost(response: ModelResponse, base_url: str | None = None) -> float | None:
    """The price of the call in US dollars, or None where it is not known.

    What another host than the provider's own asks is known only where the price list knows that host.
    """
    from genai_prices import calc_price

    own = _own_price(response)
    if own is not None:
        return own
    try:
        if base_url is None:
            return float(response.cost().total_price)
        return float(calc_price(response.usage, response.model_name or "", provider_api_url=base_url).total_price)
    except (LookupError, ValueError, AssertionError):
        return None


def _own_price(response: ModelResponse) -> float | None:
    """The price that the answer itself names (OpenRouter's does)."""
    details = response.provider_details or {}
    price = details.get("cost")
    if response.provider_name != "openrouter" or not isinstance(price, (int, float)) or details.get("is_byok"):
        return None
    return float(price)
