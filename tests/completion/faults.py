"""The providers that are tried on loopback, and the wrong answers that each gets."""

from __future__ import annotations

import json
from typing import Any

from brute.completion.model import Model
from brute.completion.retrying import Retrying
from tests.support.cassettes import Fault, Loopback

KEY = "test-key-0123456789"

MODELS = {
    "openai": ("openai:gpt-5", "/v1"),
    "openai-responses": ("openai-responses:gpt-5", "/v1"),
    "anthropic": ("anthropic:claude-opus-5", ""),
    "google": ("google:gemini-2.5-flash", ""),
}
"""A model of each API, and the path of its base URL."""

UNAUTHORISED = Fault(status=401, body='{"error": {"message": "Incorrect API key provided: sk-proj-0123456789abc."}}')
LIMITED = Fault(status=429, body='{"error": {"message": "Rate limited."}}', headers={"retry-after": "2"})
BROKEN = Fault(status=500, body='{"error": {"message": "The server had an error."}}')
OVERLOADED = Fault(status=529, body='{"error": {"type": "overloaded_error", "message": "Overloaded"}}')
MALFORMED = Fault(body='{"id": "x", "choi')
HELLO = Fault(
    body=json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-5-2025-08-07",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello there."}}
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        }
    )
)
"""OpenAI's chat API saying hello."""


class Waits(list[float]):
    """The seconds that a `Retrying` would have waited."""

    async def __call__(self, seconds: float) -> None:
        """Note the wait instead of waiting."""
        self.append(seconds)


def retrying(limit: int = 2, waits: Waits | None = None) -> Retrying:
    """Retries without any waiting and without chance."""
    return Retrying(limit=limit, sleep=Waits() if waits is None else waits, random=lambda: 0.0)


def model(
    server: Loopback, api: str = "openai", *, limit: int = 0, waits: Waits | None = None, **options: Any
) -> Model:
    """A model of this API, asked at the server."""
    name, path = MODELS[api]
    return Model(name, base_url=server.url + path, api_key=KEY, retries=retrying(limit, waits), **options)
