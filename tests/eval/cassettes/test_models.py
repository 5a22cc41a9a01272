"""brute's own completions, recorded and replayed: a `Model` on its provider's real client, a `Local`, and functions around them."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest

import brute
from brute import Message, Model, ModelError, Usage
from brute.completion.engine import Request
from brute.completion.local import Local
from brute.eval import Case
from brute.middleware import ToolLoop, Tools
from tests.completion.faults import HELLO, KEY, LIMITED, retrying
from tests.support.agents import build, speaks
from tests.support.cassettes import Exchange, Loopback, serve
from tests.support.gguf import model as gguf
from tests.support.recorded import complete_turns, turn_tools
from tests.support.taped import files, made, unplugged

pytest.importorskip("pydantic_ai")
pytestmark = [
    pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]
CASE = Case("a turn", said="hello")
PATHS = {
    ":generateContent": "google",
    "/messages": "anthropic",
    "/responses": "openai-responses",
    "/chat/completions": "openai",
}


def named(exchange: Exchange, url: str) -> Model:
    """The model that was recorded."""
    wire = next(each for each in PATHS if exchange.path.endswith(each))
    base = exchange.path.removesuffix(wire).partition("/models/")[0].removesuffix("/v1beta")
    if PATHS[wire] == "anthropic":
        base = base.removesuffix("/v1")
    name = exchange.request.get("model") or exchange.path.partition("models/")[2].partition(":")[0]
    return Model(f"{PATHS[wire]}:{name}", base_url=url + base, api_key=KEY, retries=retrying())


def agent(exchange: Exchange, url: str, tools: Any = ()) -> Any:
    """A factory of agents on that model."""

    async def factory() -> Any:
        return brute.agent().use(ToolLoop).use(Tools, list(tools)).run(named(exchange, url))

    return factory


def test_recorded_turns_of_real_models_are_replayed_without_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each provider's real client: the same calls, tokens, cost and reply."""
    wires: set[str] = set()
    for number, turn in enumerate(complete_turns()):
        first = turn.exchanges[0]
        wire = next((each for each in PATHS if first.path.endswith(each)), None)
        if wire is None or wire in wires or not turn.calls:
            continue
        wires.add(wire)
        folder, case = tmp_path / str(number), Case("a turn", said=turn.said[-1])
        with serve(*turn.exchanges, closes=True) as server:
            one = made(folder, agent(first, server.url, turn_tools(turn)), case, record=True)
        assert (wire, one.status, one.verdict.failures) == (wire, "passed", ())
        with monkeypatch.context() as patched:
            tried = unplugged(patched)
            two = made(folder, agent(first, "http://127.0.0.1:9", turn_tools(turn)), case, replay=True)
        for field in ("reply", "names", "tokens", "cost", "iterations", "usage"):
            assert (wire, field, getattr(one.transcript, field)) == (wire, field, getattr(two.transcript, field))
        assert (two.status, tried) == ("passed", [])
        assert [each.model for each in one.transcript.requests] == [each.model for each in two.transcript.requests]
        assert {each["of"] for each in json.loads(files(folder)[0].read_text())["model"]} == {"model"}
    assert len(wires) == len(PATHS)
    gc.collect()


def asking(server: Loopback) -> Any:
    """A factory of agents on OpenAI's chat API."""

    async def factory() -> Any:
        made_of = Model("openai:gpt-4o", base_url=server.url + "/v1", api_key=KEY, retries=retrying())
        return brute.agent().run(made_of)

    return factory


def test_a_model_s_own_retries_are_over_when_its_answer_is_recorded(tmp_path: Path) -> None:
    """What was tried before is not tried again in a replay."""
    with serve(LIMITED, HELLO) as server:
        one = made(tmp_path, asking(server), CASE, record=True)
        two = made(tmp_path, asking(server), CASE, replay=True)
        assert len(server.requests) == 2
    assert (one.status, two.status, one.transcript.reply) == ("passed", "passed", two.transcript.reply)
    assert [len(each.transcript.requests[0].retries) for each in (one, two)] == [1, 0]
    assert len(json.loads(files(tmp_path)[0].read_text())["model"]) == 1


def test_another_model_or_setting_is_a_miss(tmp_path: Path) -> None:
    """The recorded answers are not that model's."""
    with serve(HELLO) as server:
        made(tmp_path, asking(server), CASE, record=True)

        async def other() -> Any:
            return brute.agent().run(Model("openai:gpt-5", base_url=server.url, api_key=KEY))

        async def warm() -> Any:
            return brute.agent().run(
                Model("openai:gpt-4o", base_url=server.url, api_key=KEY, settings={"temperature": 1})
            )

        misses = [made(tmp_path, each, CASE, replay=True).verdict.sentences for each in (other, warm)]
    assert [each[0].partition(" at ")[2] for each in misses] == [
        'model: recorded "openai:gpt-4o", now "openai:gpt-5"',
        'settings: recorded nothing, now {"temperature": 1}',
    ]


def test_no_key_is_needed_where_no_model_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that only replays has none."""
    monkeypatch.setenv("OPENAI_API_KEY", "k-93f0aa71c2")
    with serve(HELLO) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")

        async def factory() -> Any:
            return brute.agent().run(Model("openai:gpt-4o"))

        assert made(tmp_path, factory, CASE, record=True).status == "passed"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert made(tmp_path, factory, CASE, replay=True).status == "passed"
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert made(tmp_path, factory, CASE, replay=True).status == "passed"
    with pytest.raises(brute.UsageError, match="no key for openai"):
        made(tmp_path, factory, CASE, replay="tools")


class Canned(Local):
    """A local model whose engine counts what it is asked."""

    asked = 0

    def _blocking(self, request: Request, body: dict[str, Any], as_chat: bool) -> list[dict[str, Any]]:
        type(self).asked += 1
        key = "delta" if as_chat else "text"
        said = {"content": "local"} if as_chat else " yes"
        used = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
        return [{"choices": [{"index": 0, key: said, "finish_reason": "stop"}]}, used]

    async def ready(self) -> None:
        """Nothing to fetch."""
        type(self).asked += 100


def test_a_local_model_is_neither_loaded_nor_asked(tmp_path: Path) -> None:
    """As the terminal, and in a function that completes a prompt of its own, which counts though no message shows it."""
    path = gguf(tmp_path / "m.gguf")
    prompts = ["Is it news?"]

    async def chat() -> Any:
        return brute.agent().run(Canned(path))

    async def completing() -> Any:
        async def complete(env: Any) -> Message:
            done = await Canned(path).complete(prompts[0], stop=["\n"])
            return done.message()

        return brute.agent().run(complete)

    for make, reply in ((chat, "local"), (completing, " yes")):
        Canned.asked = 0
        one = made(tmp_path, make, CASE, record=True)
        count = Canned.asked
        two = made(tmp_path, make, CASE, replay=True)
        assert (one.status, two.status, Canned.asked) == ("passed", "passed", count)
        assert one.transcript.reply == two.transcript.reply == reply
        assert one.transcript.usage == two.transcript.usage == Usage(input=9, output=2)
    prompts[0] = "Is it old?"
    miss = made(tmp_path, completing, CASE, replay=True)
    assert 'at prompt: recorded "Is it news?", now "Is it old?"' in miss.verdict.sentences[0]


def test_a_model_that_stays_down_is_an_error_and_not_recorded(tmp_path: Path) -> None:
    """And in a replay there is nothing to be had."""

    async def factory() -> Any:
        async def down(env: Any) -> Message:
            raise ModelError("down", status=503, transient=True)

        return brute.agent().run(down)

    made(tmp_path, factory, CASE, record=True, retries=0)
    attempt = made(tmp_path, factory, CASE, replay=True)
    assert attempt.verdict.sentences[0].startswith("there is no recording of this attempt at ")
    assert attempt.verdict.sentences[0].endswith(".1.json; make one with --record")


def test_a_completion_that_says_several_messages_says_them_again(tmp_path: Path) -> None:
    """One that dispatches by itself puts calls and results into the conversation."""
    asked: list[int] = []

    async def complete(env: Any) -> None:
        asked.append(1)
        env.messages.assistant("first").tool("result", "x").assistant("second")

    async def factory() -> Any:
        return build(complete)

    one, two = (made(tmp_path, factory, CASE, **how) for how in ({"record": True}, {"replay": True}))
    assert [(m.role, m.content) for m in one.transcript.messages] == [
        (m.role, m.content) for m in two.transcript.messages
    ]
    assert (len(asked), two.transcript.reply) == (1, "second")


def test_a_sync_completion_on_a_thread_is_taped_too(tmp_path: Path) -> None:
    """It is a leaf like any other."""
    asked: list[int] = []

    def complete(env: Any) -> str:
        asked.append(1)
        return "well"

    for how in ({"record": True}, {"replay": True}, {"replay": "model"}):
        assert made(tmp_path, speaks(complete), CASE, **how).transcript.reply == "well"
    assert len(asked) == 1
