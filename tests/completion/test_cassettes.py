"""Whole turns of real models' recorded answers, through the providers' real clients on loopback.

What must come out is read from the raw bodies by `tests.support.recorded`, which knows nothing of the code under test.
Where the last recorded answer still asks for a tool (the recorder's own `final_result`), the turn is cut there.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

import brute
from brute.completion.model import Model
from brute.eval import Budget, Case, Suite, Transcript, in_turn
from brute.hooks import LlmEvent, ToolEvent
from brute.messages import Message
from brute.middleware import MaxIterations, ToolLoop, Tools
from tests.completion.faults import KEY, retrying
from tests.support.cassettes import CASSETTES, Exchange, Loopback, cassette, names, serve
from tests.support.recorded import Turn, recorded, turn_tools

pytest.importorskip("pydantic_ai")
pytestmark = [
    pytest.mark.skipif(not CASSETTES.exists(), reason=f"no recorded answers at {CASSETTES}"),
    # Anthropic's client warns that models of the recordings will be retired.
    pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning"),
]

KINDS = ("input", "output", "cache_read", "cache_write")
PATHS = {"openai": "/v1", "openrouter": "/api/v1"}


def _all() -> Iterator[Any]:
    for name in names():
        for number, turn in enumerate(recorded(cassette(name)), start=1):
            yield pytest.param(name, turn, id=f"{name.removesuffix('.json')}-{number}")


TURNS = list(_all())
COMPLETE = [param for param in TURNS if not param.values[1].steps[-1].calls]


def model(name: str, exchange: Exchange, server: Loopback) -> Model:
    """The model that was recorded, asked at the server."""
    family = name.split("/")[0]
    asked = exchange.request.get("model") or exchange.path.split("models/")[1].split(":")[0]
    provider = {"google-gla": "google"}.get(family, family)
    if exchange.path.endswith("/responses"):
        provider = "openai-responses"
    return Model(f"{provider}:{asked}", base_url=server.url + PATHS.get(family, ""), api_key=KEY, retries=retrying())


def opening(turn: Turn) -> list[Message]:
    """What the turn began with."""
    told = [Message(role="system", content=text) for text in turn.system]
    return told + [Message(role="user", content=text) for text in turn.said]


@pytest.mark.parametrize(("name", "turn"), TURNS)
def test_a_turn_holds_what_was_recorded(name: str, turn: Turn) -> None:
    """The calls with their arguments and ids, each answer's usage, model and text are the recorded ones."""
    llm: list[LlmEvent] = []
    calls: list[ToolEvent] = []
    with serve(*turn.exchanges) as server:
        agent = brute.agent().use(ToolLoop).use(MaxIterations, len(turn.exchanges)).use(Tools, turn_tools(turn))
        agent.run(model(name, turn.exchanges[0], server))
        agent.hooks.on("after_llm", llm.append, inline=True)
        agent.hooks.on("before_tool", calls.append, inline=True)
        env = agent.start(opening(turn))
        assert server.left == 0
    assert [(event.name, event.call.parsed()) for event in calls] == turn.calls
    # Google's older models give their calls no id; such a call gets one.
    wanted = [id for step in turn.steps for id in step.ids]
    assert [event.call.id if id else "" for event, id in zip(calls, wanted, strict=True)] == wanted
    assert all(event.call.id for event in calls)
    assert [{kind: getattr(event.usage, kind) for kind in KINDS} for event in llm] == [
        step.usage for step in turn.steps
    ]
    assert [event.model for event in llm] == [step.model for step in turn.steps]
    assert [event.message.content for event in llm if event.message] == [step.text for step in turn.steps]
    assert env.reply == ("" if turn.steps[-1].calls else turn.steps[-1].text)


@pytest.mark.parametrize(("name", "turn"), COMPLETE)
def test_an_attempt_passes_exactly_on_what_was_recorded(name: str, turn: Turn) -> None:
    """The harness sees the recorded calls, usage and reply, with the recorded results served by stubs."""
    stubs: dict[str, list[str]] = {}
    for step, results in zip(turn.steps, turn.results, strict=True):
        for (tool, _), result in zip(step.calls, results, strict=True):
            stubs.setdefault(tool, []).append(result)
    *before, last = opening(turn)
    case = Case(
        "recorded",
        said=last.content,
        conversation=before,
        stubs={tool: in_turn(*results) for tool, results in stubs.items()},
        calls={tool: [arguments for called, arguments in turn.calls if called == tool] for tool in stubs},
        budget=Budget(iterations=len(turn.steps), tool_calls=len(turn.calls), tokens=_tokens(turn)),
    )
    with serve(*turn.exchanges) as server:

        def build() -> brute.Agent:
            return brute.agent().use(ToolLoop).use(Tools, turn_tools(turn)).run(model(name, turn.exchanges[0], server))

        suite = Suite(agent=build, cases=[case], jobs=1, out=io.StringIO())
        suite.run()
    assert suite.report is not None
    (attempt,) = suite.report.attempts
    assert (attempt.status, attempt.verdict.failures) == ("passed", ())
    _check(attempt.transcript, turn)


def _check(transcript: Transcript, turn: Turn) -> None:
    assert [(call.name, call.arguments) for call in transcript.calls] == turn.calls
    assert [call.outcome for call in transcript.calls] == ["stubbed"] * len(turn.calls)
    assert transcript.usage is not None
    assert {kind: getattr(transcript.usage, kind) for kind in KINDS} == {kind: turn.total(kind) for kind in KINDS}
    assert (transcript.tokens, transcript.iterations) == (_tokens(turn), len(turn.steps))
    assert transcript.reply == turn.steps[-1].text


def _tokens(turn: Turn) -> int:
    return sum((step.usage["input"] or 0) + (step.usage["output"] or 0) for step in turn.steps)


def last_request(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The last request of a cassette's first turn: the one that was sent, and the one that was recorded."""
    turn = recorded(cassette(name))[0]
    with serve(*turn.exchanges) as server:
        agent = brute.agent().use(ToolLoop).use(MaxIterations, len(turn.exchanges)).use(Tools, turn_tools(turn))
        agent.run(model(name, turn.exchanges[0], server)).start(opening(turn))
    return server.requests[-1].body, turn.exchanges[-1].request


def of_kind(request: dict[str, Any], key: str, *path: str) -> list[Any]:
    """The values under `key` in every entry of a conversation, in order."""
    entries = request.get("messages") or request.get("input") or request.get("contents") or []
    parts = [part for entry in entries for part in entry.get("parts") or [entry]]
    return [part[key] for part in parts if part.get(key)]


@pytest.mark.parametrize(
    "name",
    [
        "google-gla/pydantic-ai__test_output__test_google_default_tools_use_validated_mode.json",
        "google-gla/pydantic-ai__test_tool_search__test_google_deferred_capability_announcement_live.json",
        "google-gla/pydantic-ai__test_tool_search__test_tool_search_eval_google_.json",
    ],
)
def test_gemini_is_told_its_own_thought_signatures(name: str) -> None:
    """Gemini refuses a conversation without the signatures of its thoughts: each goes back as it came."""
    sent, wanted = last_request(name)
    assert of_kind(sent, "thoughtSignature") == of_kind(wanted, "thoughtSignature") != []


def test_deepseek_is_told_its_own_reasoning() -> None:
    """A reasoning model's thoughts go back with the calls that they led to."""
    sent, wanted = last_request(
        "deepseek/pydantic-ai__test_deepseek__test_deepseek_deferred_capability_with_thinking.json"
    )
    assert of_kind(sent, "reasoning_content") == of_kind(wanted, "reasoning_content") != []


def test_a_reasoning_item_goes_back_whole() -> None:
    """The Responses API wants its reasoning items back, with their ids, before the calls that they led to."""
    name = "deepseek/pydantic-ai__test_deepseek_responses__test_deepseek_responses_function_tool_.json"
    sent, wanted = last_request(name)
    for request in (sent, wanted):
        assert [entry.get("type") for entry in request["input"]][1:3] == ["reasoning", "function_call"]
    assert sent["input"][1] == wanted["input"][1]


@pytest.mark.parametrize("name", [name for name in names() if name.startswith(("openai/pydantic", "openrouter/"))])
def test_results_go_back_to_their_calls(name: str) -> None:
    """Each result carries the id of the call that it answers, as recorded."""
    sent, wanted = last_request(name)
    answered = [[m["tool_call_id"] for m in request["messages"] if m["role"] == "tool"] for request in (sent, wanted)]
    assert answered[0] == answered[1]
    assert [m["role"] for m in sent["messages"]] == [m["role"] for m in wanted["messages"]]


def test_a_conversation_from_elsewhere_is_told_from_its_fields() -> None:
    """Messages of another turn are enough to go on: calls keep their ids, and results their calls."""
    name = "anthropic/pydantic-ai__test_output__test_mixed_tools_no_output.json"
    turn = recorded(cassette(name))[0]
    with serve(*turn.exchanges, turn.exchanges[-1]) as server:
        agent = brute.agent().use(ToolLoop).use(Tools, turn_tools(turn)).run(model(name, turn.exchanges[0], server))
        env = agent.start(opening(turn))
        agent.start([*env.messages[:-1]])
    assert server.requests[2].body["messages"] == server.requests[1].body["messages"]
