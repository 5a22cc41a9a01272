"""A model behind an API, asked on loopback through its provider's real client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import anyio
import pytest

import brute
from brute.completion.model import Model
from brute.env import Env
from brute.hooks import LlmEvent, Registry
from tests.completion.faults import (
    BROKEN,
    HELLO,
    KEY,
    LIMITED,
    MALFORMED,
    MODELS,
    OVERLOADED,
    UNAUTHORISED,
    Waits,
    model,
    retrying,
)
from tests.support.cassettes import Fault, Loopback, serve

pytest.importorskip("pydantic_ai")


def asked(server: Loopback, api: str = "openai", **options: Any) -> brute.ModelError:
    """The error that one question ends in."""
    with pytest.raises(brute.ModelError) as raised:
        brute.agent().run(model(server, api, **options)).start("hi")
    return raised.value


SENTENCES = {
    "a 401": (UNAUTHORISED, "401 incorrect API key provided: ***", False),
    "a 403 in words of its own": (Fault(status=403, body='{"detail": "No access"}'), "403 no access", False),
    "a 404": (Fault(status=404, body='{"error": {"message": "no model x"}}'), "404 no model x", False),
    "a 408 without a word": (Fault(status=408), "408 request timed out", True),
    "a 429": (LIMITED, "429 rate limited", True),
    "a 429 without a word": (Fault(status=429), "429 rate limited", True),
    "a 500": (BROKEN, "500 the server had an error", True),
    "a page of HTML": (Fault(status=502, body="<html>x</html>", content_type="text/html"), "502 bad gateway", True),
    "a 529": (OVERLOADED, "529 overloaded", True),
    "no answer": (Fault("drop"), "connection dropped: server disconnected without sending a response", True),
    "half an answer": (
        Fault("cut"),
        (
            "connection dropped: peer closed connection without sending complete message body "
            "(received 19 bytes, expected 1000)"
        ),
        True,
    ),
    "malformed JSON": (MALFORMED, r'the answer was not JSON: "{\"id\": \"x\", \"choi"', True),
    "a login page": (
        Fault(body="<html>sign in</html>", content_type="text/html"),
        'the answer was not JSON: "<html>sign in</html>"',
        True,
    ),
    "an empty body": (Fault(body=""), "the answer was empty", True),
    "an empty object": (Fault(body="{}"), 'the answer held no message: "{}"', False),
    "an error with status 200": (Fault(body='{"error": {"message": "Down", "code": 503}}'), "503 down", True),
}


@pytest.mark.parametrize("api", MODELS)
@pytest.mark.parametrize("case", SENTENCES)
def test_each_trouble_has_its_sentence(case: str, api: str) -> None:
    """Whatever the provider, the same trouble gives the same sentence, and says whether another try may help."""
    fault, sentence, transient = SENTENCES[case]
    with serve(fault) as server:
        error = asked(server, api)
    assert (str(error), error.transient) == (sentence, transient)
    assert error.status == (fault.status if "503" not in sentence else 503) or error.status is None
    assert len(server.requests) == 1


@pytest.mark.parametrize("api", MODELS)
def test_a_silent_server_ends_at_the_timeout(api: str) -> None:
    """A server that never answers costs one try no more than its timeout."""
    with serve(Fault("hang")) as server:
        error = asked(server, api, timeout=0.05)
    assert (str(error), error.transient) == ("no answer within 0.05 seconds", True)


def test_a_server_that_is_not_there() -> None:
    """A refused connection names the address."""
    with serve() as server:
        pass
    error = asked(server)
    assert str(error) == f"could not connect to {server.url}/v1: connection refused"
    assert error.transient


@pytest.mark.parametrize("api", MODELS)
def test_no_client_retries_by_itself(api: str) -> None:
    """The tries are ours alone, so that they are bounded and recorded: without any there is one request."""
    with serve(OVERLOADED, OVERLOADED, OVERLOADED) as server:
        asked(server, api)
    assert len(server.requests) == 1


def ask(model: Model) -> tuple[brute.Message | None, LlmEvent]:
    """One question's answer, and the event that tells of it."""
    events: list[LlmEvent] = []
    agent = brute.agent().run(model)
    agent.hooks.on("after_llm", events.append, inline=True)
    try:
        return agent.start("hi").messages[-1], events[0]
    except brute.ModelError:
        return None, events[0]


def test_a_passing_trouble_is_tried_again_and_recorded() -> None:
    """A 429 is waited out as long as it asks, a broken answer as long as we think fit, and each is one sentence."""
    waits = Waits()
    with serve(LIMITED, MALFORMED, HELLO) as server:
        message, event = ask(model(server, limit=2, waits=waits))
    assert message is not None
    assert message.content == "Hello there."
    assert event.retries == [
        "429 rate limited; waited 2 s",
        r'the answer was not JSON: "{\"id\": \"x\", \"choi"; waited 1 s',
    ]
    assert waits == [2.0, 1.0]


def test_the_tries_are_bounded() -> None:
    """The last try's error is the call's, and those before it are recorded."""
    with serve(BROKEN, BROKEN, BROKEN, HELLO) as server:
        message, event = ask(model(server, limit=2))
    assert message is None
    assert str(event.error) == "500 the server had an error"
    assert len(event.retries) == 2
    assert len(server.requests) == 3


def test_a_wait_that_is_too_long_is_refused_at_once() -> None:
    """A provider that asks for an hour is not waited for."""
    waits = Waits()
    with serve(Fault(status=429, headers={"retry-after": "3600"}), HELLO) as server:
        message, event = ask(model(server, limit=2, waits=waits))
    assert message is None
    assert str(event.error) == "429 rate limited; asked to wait 3600 s, longer than 60 s"
    assert not waits
    assert len(server.requests) == 1


def test_a_401_is_not_tried_again() -> None:
    """What no waiting cures is asked once."""
    with serve(UNAUTHORISED, HELLO) as server:
        message, event = ask(model(server, limit=2))
    assert message is None
    assert event.retries == []
    assert len(server.requests) == 1


def test_a_provider_that_says_not_to_try_again_is_heard() -> None:
    """`x-should-retry: false` is obeyed."""
    with serve(Fault(status=500, headers={"x-should-retry": "false"}), HELLO) as server:
        _, event = ask(model(server, limit=2))
    assert str(event.error) == "500 internal server error"
    assert len(server.requests) == 1


def test_a_spent_quota_is_not_tried_again() -> None:
    """OpenAI's 429 for a spent quota is no rate limit."""
    body = '{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}'
    with serve(Fault(status=429, body=body), HELLO) as server:
        _, event = ask(model(server, limit=2))
    assert str(event.error) == "429 you exceeded your current quota"
    assert len(server.requests) == 1


def test_the_key_is_never_shown() -> None:
    """A provider that repeats the key is not repeated."""
    with serve(Fault(status=401, body=json.dumps({"error": {"message": f"Bad key {KEY} or Bearer abcdef"}}))) as server:
        error = asked(server)
    assert str(error) == "401 bad key *** or ***"
    assert KEY not in repr(model(server))


def test_an_answer_is_a_message_with_its_usage() -> None:
    """Text, usage and the model that answered; what was not reported is None."""
    with serve(HELLO) as server:
        message, event = ask(model(server))
    assert message == brute.Message(
        role="assistant",
        content="Hello there.",
        usage=brute.Usage(input=9, output=3),
        model="gpt-5-2025-08-07",
    )
    assert (event.usage, event.model) == (brute.Usage(input=9, output=3), "gpt-5-2025-08-07")


def test_a_server_that_imitates_openai_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ollama, vLLM and llama.cpp are asked through the chat API, without a key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serve(HELLO) as server:
        env = brute.agent().run(Model("openai:qwen3:4b", base_url=f"{server.url}/v1", retries=0)).start("hi")
    assert env.reply == "Hello there."
    assert (server.requests[0].path, server.requests[0].body["model"]) == ("/v1/chat/completions", "qwen3:4b")


@pytest.mark.parametrize("name", ["ollama:llama3.2", "vllm:qwen3"])
def test_a_local_server_has_an_address_of_its_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ollama:` and `vllm:` know where their server stands, and take another address."""
    monkeypatch.delenv("OLLAMA_BASE_URL", raising=False)
    monkeypatch.delenv("VLLM_BASE_URL", raising=False)
    assert str(Model(name).base_url).startswith("http://localhost:")
    with serve(HELLO) as server:
        env = brute.agent().run(Model(name, base_url=f"{server.url}/v1/", retries=0)).start("hi")
    assert env.reply == "Hello there."
    assert server.requests[0].path == "/v1/chat/completions"


def test_settings_reach_the_provider() -> None:
    """What `settings` says is sent."""
    with serve(HELLO) as server:
        chosen = Model("openai:m", base_url=f"{server.url}/v1", retries=0, settings={"temperature": 0, "seed": 7})
        brute.agent().run(chosen).start("hi")
    assert (server.requests[0].body["temperature"], server.requests[0].body["seed"]) == (0, 7)


def test_anthropic_is_not_streamed() -> None:
    """Anthropic demands a limit on the answer; ours keeps it short enough to be sent in one piece."""
    with serve(BROKEN) as server:
        asked(server, "anthropic")
    assert (server.requests[0].body["max_tokens"], server.requests[0].body["stream"]) == (16_000, False)


def test_it_can_be_called_without_a_pipeline() -> None:
    """A hand-made env is enough; it gets no message appended, and has nowhere to record a retry."""
    env = Env([brute.Message(role="user", content="hi")], Registry())
    with serve(OVERLOADED, HELLO) as server:
        message = anyio.run(model(server, limit=1), env)
    assert message.content == "Hello there."
    assert len(env.messages) == 1


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "a name without a provider": (
        "gpt-5",
        {},
        'the model "gpt-5" is named without its provider; write "openai:gpt-5"',
    ),
    "a misspelt provider": (
        "antropic:claude-opus-5",
        {},
        'no provider "antropic" (did you mean "anthropic"?); providers are ',
    ),
    "no text": (5, {}, 'a model is named by a text like "openai:gpt-5", got 5'),
    "an address without a scheme": (
        "openai:x",
        {"base_url": "localhost:11434"},
        "base_url must begin with http:// or https://, like \"http://localhost:11434/v1\"; got 'localhost:11434'",
    ),
    "a negative number of retries": (
        "ollama:x",
        {"retries": -1},
        "retries must be a whole number of 0 or more, got -1",
    ),
    "no time at all": ("ollama:x", {"timeout": 0}, "timeout must be a number of seconds above 0, got 0"),
    "a misspelt setting": (
        "ollama:x",
        {"settings": {"temprature": 0}},
        'no setting "temprature" (did you mean "temperature"?); settings are max_tokens, ',
    ),
    "an option among the settings": (
        "ollama:x",
        {"settings": {"max_retries": 5}},
        "max_retries is no setting of Model; write Model(retries=...)",
    ),
    "a key that is no text": ("openai:x", {"api_key": 5}, "api_key must be a text, got a int"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_slip_is_refused_where_it_is_written(case: str) -> None:
    """Each wrong option is one sentence, before anything is asked."""
    name, options, sentence = REFUSED[case]
    with pytest.raises(brute.UsageError) as raised:
        Model(name, **options)
    assert str(raised.value).startswith(sentence)


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude-opus-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("openrouter:x/y", "OPENROUTER_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(name: str, variables: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says which environment variable is looked for."""
    for variable in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(variable)
    with pytest.raises(brute.UsageError) as raised:
        Model(name)
    assert str(raised.value) == f"no key for {name.split(':')[0]}: set {variables}, or give Model(api_key=...)"


def test_an_empty_key_is_none_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """`api_key=""` keeps the environment's key from being sent to another server."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    with serve(HELLO, HELLO) as server:
        for key in (None, ""):
            brute.agent().run(Model("openai:m", base_url=f"{server.url}/v1", api_key=key, retries=0)).start("hi")
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent[0] == "Bearer sk-of-the-environment"
    assert "sk-of" not in sent[1]


def test_a_fresh_model_costs_next_to_nothing() -> None:
    """An agent built afresh for each attempt shares every client: no request after the first makes a TLS context."""
    import ssl

    made: list[object] = []
    original = ssl.create_default_context

    def counted(*args: Any, **named: Any) -> ssl.SSLContext:
        made.append(args)
        return original(*args, **named)

    with serve(*[HELLO] * 21) as server:
        brute.agent().run(model(server)).start("hi")
        ssl.create_default_context = counted
        try:
            began = time.process_time()
            for _ in range(20):
                brute.agent().run(model(server)).start("hi")
            spent = (time.process_time() - began) / 20
        finally:
            ssl.create_default_context = original
    assert not made
    assert spent < 0.1  # measured 5 ms, the loop and both ends of the wire included


def test_importing_and_making_a_model_imports_no_client() -> None:
    """Neither `brute`, nor the module, nor a model that is never asked pays for the provider's client."""
    code = (
        "import sys, brute; brute.Model('ollama:x'); brute.Model('openai:x', api_key='k');"
        "heavy = {'pydantic', 'pydantic_ai', 'openai', 'httpx', 'httpx2', 'anthropic', 'genai_prices', 'ssl'};"
        "sys.exit(sorted(heavy & set(sys.modules)) or 0)"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra `models` the sentence says what to install."""
    from brute.completion import providers

    monkeypatch.setattr(providers, "_installed", lambda module: module != "anthropic")
    with pytest.raises(brute.MissingExtra, match=r"Model needs the extra 'models': pip install 'brute-eval\[models\]'"):
        Model("anthropic:claude-opus-5", api_key=KEY)
    assert Model("openai:gpt-5", api_key=KEY, retries=retrying()).name == "openai:gpt-5"
