"""The providers that `Model` speaks to: what each is called, needs installed, and takes its key and address from.

Everything here is known without importing a client, so that a slip in a name or a missing key is told where the model
is written down, not when it is first called.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
import os
from collections.abc import Mapping
from typing import Any

from ..errors import MissingExtra, UsageError, did_you_mean, literal


@dataclasses.dataclass(frozen=True, slots=True)
class Provider:
    """What `Model` must know of a provider before it imports anything.

    `client` is the module that speaks to it and `install` the pydantic-ai extra that holds that module; `keys` are the
    environment variables that may hold the key (none: it needs no key, or signs in another way); `url` is the variable
    that may hold the address, and `local` the address of a server on this machine that is taken without one.
    """

    client: str = "openai"
    install: str = "openai"
    keys: tuple[str, ...] = ()
    url: str | None = None
    local: str | None = None

    @property
    def ours(self) -> bool:
        """Whether our own extra `models` holds the client."""
        return self.install in ("openai", "anthropic", "google")


_OPENAI = Provider(keys=("OPENAI_API_KEY",), url="OPENAI_BASE_URL")

PROVIDERS: dict[str, Provider] = {
    "openai": _OPENAI,
    "openai-responses": _OPENAI,
    "openai-chat": _OPENAI,
    "anthropic": Provider("anthropic", "anthropic", ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    "google": Provider("google.genai", "google", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "GOOGLE_GEMINI_BASE_URL"),
    "ollama": Provider(url="OLLAMA_BASE_URL", local="http://localhost:11434/v1"),
    "vllm": Provider(url="VLLM_BASE_URL", local="http://localhost:8000/v1"),
    "openrouter": Provider(keys=("OPENROUTER_API_KEY",)),
    "deepseek": Provider(keys=("DEEPSEEK_API_KEY",)),
    "groq": Provider("groq", "groq", ("GROQ_API_KEY",), "GROQ_BASE_URL"),
    "mistral": Provider("mistralai", "mistral", ("MISTRAL_API_KEY",)),
    "xai": Provider("xai_sdk", "xai", ("XAI_API_KEY",)),
    "cohere": Provider("cohere", "cohere", ("CO_API_KEY",)),
    "bedrock": Provider("boto3", "bedrock"),
    "google-cloud": Provider("google.genai", "google"),
    "azure": Provider(),
    "azure-responses": Provider(),
    "alibaba": Provider(keys=("ALIBABA_API_KEY", "DASHSCOPE_API_KEY")),
    "cerebras": Provider(keys=("CEREBRAS_API_KEY",)),
    "fireworks": Provider(keys=("FIREWORKS_API_KEY",)),
    "heroku": Provider(keys=("HEROKU_INFERENCE_KEY",)),
    "huggingface": Provider("huggingface_hub", "huggingface"),
    "crusoe": Provider(keys=("CRUSOE_API_KEY",)),
    "litellm": Provider(),
    "meta": Provider(keys=("META_API_KEY",)),
    "moonshotai": Provider(keys=("MOONSHOTAI_API_KEY",)),
    "nebius": Provider(keys=("NEBIUS_API_KEY",)),
    "ovhcloud": Provider(keys=("OVHCLOUD_API_KEY",)),
    "sambanova": Provider(keys=("SAMBANOVA_API_KEY",)),
    "together": Provider(keys=("TOGETHER_API_KEY",)),
    "vercel": Provider(keys=("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN")),
    "zai": Provider(keys=("ZAI_API_KEY",)),
    "bedrock-mantle": Provider(),
    "github-copilot": Provider(),
    "openai-chatgpt": Provider(),
    "openai-codex": Provider(),
    "snowflake": Provider(),
}
"""Every provider that a model's name may begin with, by the names that pydantic-ai gives them."""

_FORMERLY = {
    "gemini": "google",
    "google-gla": "google",
    "google-genai": "google",
    "google-vertex": "google-cloud",
    "vertex": "google-cloud",
    "claude": "anthropic",
    "gpt": "openai",
    "chatgpt": "openai",
    "x-ai": "xai",
    "grok": "xai",
    "dashscope": "alibaba",
    "huggingface-hub": "huggingface",
}
_FAMILIES = {"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "claude": "anthropic", "gemini": "google"}

SETTINGS = (
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "stop_sequences",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "parallel_tool_calls",
    "tool_choice",
    "thinking",
    "citations",
    "cache",
    "service_tier",
    "extra_headers",
    "extra_body",
)
"""The settings that every provider's models may be given; a provider's own begin with its name, as in `openai_user`."""

DEFAULTS: dict[str, dict[str, Any]] = {"anthropic": {"max_tokens": 16_000}}
"""Settings that are sent unless others are given. Anthropic demands a limit; at the models' own, which is the library's
choice, an answer could outlast any sensible timeout and would have to be streamed."""

_OPTIONS = {"timeout": "timeout", "request_timeout": "timeout", "max_retries": "retries", "model": "name"}


def parted(name: Any) -> tuple[str, str]:
    """The provider and the model that `provider:model` names; `UsageError` for anything else."""
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f'a model is named by a text like "openai:gpt-5", got {literal(name)}')
    provider, colon, model = name.strip().partition(":")
    if not colon:
        raise UsageError(_without_provider(provider))
    if provider not in PROVIDERS:
        raise UsageError(f'no provider "{provider}"{_hint(provider)}; providers are {", ".join(PROVIDERS)}')
    if not model:
        raise UsageError(f'"{name}" names a provider but no model; write "{provider}:" and the model\'s name')
    return provider, model


def _hint(provider: str) -> str:
    formerly = _FORMERLY.get(provider.lower())
    return f' (did you mean "{formerly}"?)' if formerly else did_you_mean(provider.lower(), PROVIDERS)


def _without_provider(name: str) -> str:
    if name in PROVIDERS:
        return f'"{name}" names a provider but no model; write "{name}:" and the model\'s name'
    for family, provider in _FAMILIES.items():
        if name.lower().startswith(family):
            return f'the model "{name}" is named without its provider; write "{provider}:{name}"'
    return f'the model "{name}" is named without its provider; write provider:{name}, like "openai:gpt-5"'


def address(provider: str, base_url: str | None) -> str | None:
    """The address to speak to: the one given, the environment's, a local server's own, or None for the provider's."""
    known = PROVIDERS[provider]
    if base_url is None:
        return (known.url and os.environ.get(known.url)) or known.local
    if not isinstance(base_url, str) or not base_url.startswith(("http://", "https://")):
        raise UsageError(
            f'base_url must begin with http:// or https://, like "http://localhost:11434/v1"; got {literal(base_url)}'
        )
    return base_url.rstrip("/")


def key(provider: str, api_key: str | None, base_url: str | None) -> str | None:
    """The key to send, or None for none; `UsageError` where the provider itself is asked and nothing holds its key.

    A server at another address often needs no key, so there a missing one is no error; `api_key=""` says that none
    is to be sent although the environment holds one.
    """
    if api_key is not None:
        if not isinstance(api_key, str):
            raise UsageError(f"api_key must be a text, got a {type(api_key).__name__}")
        return api_key or None
    known = PROVIDERS[provider]
    found = next((os.environ[name] for name in known.keys if os.environ.get(name)), None)
    if found is None and known.keys and base_url is None:
        raise UsageError(f"no key for {provider}: set {' or '.join(known.keys)}, or give Model(api_key=...)")
    return found


def check_installed(provider: str) -> None:
    """Raise `MissingExtra` (or, for a client that no extra of ours holds, `UsageError`) for what is not installed."""
    known = PROVIDERS[provider]
    if known.ours:
        if not (_installed("pydantic_ai") and _installed(known.client)):
            raise MissingExtra("Model", "models")
    elif not _installed("pydantic_ai"):
        raise MissingExtra("Model", "models")
    elif not _installed(known.client):
        raise UsageError(
            f"the provider {provider} needs its own client: pip install 'pydantic-ai-slim[{known.install}]'"
        )


@functools.cache
def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the parent of a dotted name
        return False


def checked(settings: Mapping[str, Any] | None, provider: str) -> dict[str, Any]:
    """The settings as a dict; `UsageError` for one that no model knows, which would silently change nothing."""
    settings = {} if settings is None else settings
    if not isinstance(settings, Mapping):
        raise UsageError(f'settings must be a dict like {{"temperature": 0}}, got {literal(settings)}')
    for name in settings:
        if name in _OPTIONS:
            raise UsageError(f"{name} is no setting of Model; write Model({_OPTIONS[name]}=...)")
        if name not in SETTINGS and not str(name).startswith(_prefixes(provider)):
            raise UsageError(f'no setting "{name}"{did_you_mean(name, SETTINGS)}; settings are {", ".join(SETTINGS)}')
    return {**DEFAULTS.get(provider, {}), **settings}


def _prefixes(provider: str) -> tuple[str, ...]:
    # Most providers speak OpenAI's language, and take its settings besides their own.
    own = provider.split("-")[0].replace("-", "_")
    return tuple({f"{own}_", "openai_"} if PROVIDERS[provider].client == "openai" else {f"{own}_"})
