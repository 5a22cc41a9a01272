"""The providers' names, keys and addresses, against the library that speaks to them."""

from __future__ import annotations

import inspect
import re

import pytest

from brute.completion import providers
from brute.errors import UsageError


def test_every_provider_is_one_of_the_librarys() -> None:
    """Each name that is accepted is one that pydantic-ai has."""
    library = pytest.importorskip("pydantic_ai.providers")
    theirs = set(re.findall(r"'([a-z-]+)'", inspect.getsource(library.infer_provider_class)))
    assert set(providers.PROVIDERS) <= theirs


def test_the_settings_are_the_librarys() -> None:
    """Each setting that is accepted is one that pydantic-ai knows, and no option of ours."""
    settings = pytest.importorskip("pydantic_ai.settings")
    assert set(providers.SETTINGS) <= set(settings.ModelSettings.__annotations__)
    assert not {"timeout", "request_timeout", "max_retries"} & set(providers.SETTINGS)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("openai:gpt-5", ("openai", "gpt-5")),
        ("openai:qwen3:4b", ("openai", "qwen3:4b")),
        (" openrouter:meta/llama ", ("openrouter", "meta/llama")),
    ],
)
def test_a_name_has_two_parts(name: str, parts: tuple[str, str]) -> None:
    """The provider ends at the first colon; a model's own colons are its own."""
    assert providers.parted(name) == parts


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gemini-2.5-pro", 'the model "gemini-2.5-pro" is named without its provider; write "google:gemini-2.5-pro"'),
        ("claude-opus-5", 'the model "claude-opus-5" is named without its provider; write "anthropic:claude-opus-5"'),
        ("llama3", 'the model "llama3" is named without its provider; write provider:llama3, like "openai:gpt-5"'),
        ("openai", '"openai" names a provider but no model; write "openai:" and the model\'s name'),
        ("openai:", '"openai:" names a provider but no model; write "openai:" and the model\'s name'),
        ("google-gla:x", 'no provider "google-gla" (did you mean "google"?); providers are openai, '),
        ("claude:x", 'no provider "claude" (did you mean "anthropic"?); providers are openai, '),
        ("OpenAI:x", 'no provider "OpenAI" (did you mean "openai"?); providers are openai, '),
        ("zzz:x", 'no provider "zzz"; providers are openai, '),
        ("", "a model is named by a text like \"openai:gpt-5\", got ''"),
        (None, 'a model is named by a text like "openai:gpt-5", got None'),
    ],
)
def test_a_slip_in_a_name(name: object, sentence: str) -> None:
    """Each slip is one sentence with the nearest right name."""
    with pytest.raises(UsageError) as raised:
        providers.parted(name)
    assert str(raised.value).startswith(sentence)


def test_the_environments_address_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """`OPENAI_BASE_URL` counts as `base_url`, which goes before it."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://proxy/v1")
    assert providers.address("openai", None) == "http://proxy/v1"
    assert providers.address("openai", "https://other/v1/") == "https://other/v1"
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    assert providers.address("anthropic", None) is None


def test_a_providers_own_settings_are_let_through() -> None:
    """Settings that begin with the provider's name are the provider's business."""
    own = {"google_thinking_config": {"thinking_budget": 0}}
    assert providers.checked(own, "google") == own
    assert providers.checked({"openai_user": "me"}, "deepseek") == {"openai_user": "me"}
    with pytest.raises(UsageError, match='no setting "google_thinking_config"'):
        providers.checked(own, "anthropic")
    with pytest.raises(UsageError, match="settings must be a dict"):
        providers.checked(["temperature"], "openai")  # type: ignore[arg-type]


def test_a_client_of_its_own_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider whose client is in no extra of ours says what to install."""
    monkeypatch.setattr(providers, "_installed", lambda module: module == "pydantic_ai")
    with pytest.raises(UsageError) as raised:
        providers.check_installed("groq")
    assert str(raised.value) == "the provider groq needs its own client: pip install 'pydantic-ai-slim[groq]'"
