"""`Local`, up to where llama.cpp begins."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

import brute
from brute import Message, MissingExtra, ModelError, ToolCall, Usage, UsageError
from brute.completion import engine
from brute.completion.engine import Request
from brute.completion.local import Completed, Local
from brute.env import Env
from brute.hooks import Registry
from tests.support.gguf import model

USED = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


class Canned(Local):
    """A local model that answers with given pieces, and keeps what it was asked."""

    def __init__(self, path: Path, *pieces: dict[str, Any], **options: Any) -> None:
        super().__init__(path, **options)
        self.pieces = list(pieces)
        self.asked: list[dict[str, Any]] = []

    def _blocking(self, request: Request, body: dict[str, Any], as_chat: bool) -> list[dict[str, Any]]:
        self.asked.append(body)
        return self.pieces


def said(text: str, reason: str | None = None) -> dict[str, Any]:
    """A streamed piece of a completed text."""
    return {"choices": [{"index": 0, "text": text, "finish_reason": reason}]}


def env(*messages: Message, tools: tuple[brute.Tool, ...] = ()) -> Env:
    """An env of these messages and tools."""
    made = Env(list(messages), Registry())
    made.tools = list(tools)
    return made


SEARCH = brute.Tool(name="search", description="Search.", parameters={"type": "object"}, function=print)


def test_a_local_model_costs_nothing_until_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent is built afresh for each attempt: nothing is fetched, loaded or imported."""
    monkeypatch.setenv("BRUTE_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    assert repr(Local("smollm2")) == "Local('smollm2')"
    assert repr(Local(model(tmp_path / "m.gguf"))) == "Local('m.gguf')"
    assert [path.name for path in tmp_path.iterdir()] == ["m.gguf"]


def test_a_slip_in_the_name_gets_the_nearest() -> None:
    """It is told where the model is written down, not at the first call."""
    with pytest.raises(UsageError, match=r'^no model "smolm2" \(did you mean "smollm2"\?\); known by name: smollm2;'):
        Local("smolm2")


@pytest.mark.parametrize("path", ["nowhere.gguf", "models/nowhere", "~/nowhere.gguf"])
def test_a_path_where_nothing_is_names_the_path(path: str) -> None:
    """What has a suffix or a folder is a path."""
    with pytest.raises(UsageError, match=r"^no such model file: .*nowhere"):
        Local(path)


def test_a_file_of_another_kind_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    """Its first bytes tell."""
    (tmp_path / "m.gguf").write_bytes(b"PK\x03\x04")
    with pytest.raises(UsageError, match=r"m.gguf is not a GGUF model file"):
        Local(tmp_path / "m.gguf")


def test_something_that_is_no_name_is_refused() -> None:
    """Bytes are a path to the system, and not to us."""
    with pytest.raises(UsageError, match="takes the name of a model or the path"):
        Local(_Bytes())


class _Bytes:
    def __fspath__(self) -> Any:
        return b"m.gguf"


@pytest.mark.parametrize(("option", "most"), [("context", "16,777,216"), ("slots", "1,024")])
def test_what_no_memory_holds_is_refused(option: str, most: str) -> None:
    """A slip in a digit would have the process take all memory there is, at the first call."""
    sentence = f"Local's {option} may be {most} at most, got 1,000,000,000: the memory for it is taken at once"
    with pytest.raises(UsageError) as raised:
        Local("smollm2", **{option: 10**9})
    assert str(raised.value) == sentence


@pytest.mark.parametrize("option", ["context", "slots", "threads", "max_tokens"])
@pytest.mark.parametrize("value", [-1, 1.5, "2"])
def test_an_option_of_the_wrong_kind_names_what_is_allowed(option: str, value: Any) -> None:
    """The argument, what is allowed, and what was given."""
    options: dict[str, Any] = {option: value}
    with pytest.raises(UsageError, match=f"^Local's {option} must be a whole number of 1 or more, got {value!r}$"):
        Local("smollm2", **options)


def test_a_prompt_is_completed_with_what_was_asked_for(tmp_path: Path) -> None:
    """What isn't given for one call is what the model was made with."""
    local = Canned(model(tmp_path / "m.gguf"), said(" news:"), said(" rates", "stop"), USED, max_tokens=50)

    async def main() -> Completed:
        return await local.complete("Action:", grammar='root ::= " news"', stop=["\n"], temperature=0.5)

    assert anyio.run(main) == Completed(" news: rates", Usage(input=9, output=2), "m.gguf")
    assert local.asked == [
        {
            "prompt": "Action:",
            "stop": ["\n"],
            "grammar": 'root ::= " news"',
            "max_tokens": 50,
            "temperature": 0.5,
            "seed": 7,
            "cache_prompt": True,
        }
    ]


def test_a_text_that_was_cut_says_so(tmp_path: Path) -> None:
    """It ran out of tokens before it was done."""
    local = Canned(model(tmp_path / "m.gguf"), said(" and"), said("", "length"))

    async def main() -> Completed:
        return await local.complete("once", stop="\n")

    completed = anyio.run(main)
    assert completed.cut
    assert completed.usage is None
    assert local.asked[0]["stop"] == ["\n"]


def test_a_completed_text_becomes_the_message_of_its_call() -> None:
    """The message carries the usage and the model's name, which the harness counts."""
    completed = Completed(" news: rates", Usage(input=9, output=2), "smollm2")
    call = ToolCall(name="search", arguments={"query": "rates"})
    assert completed.message("", [call]) == Message(
        role="assistant", tool_calls=(call,), usage=Usage(input=9, output=2), model="smollm2"
    )
    assert completed.message().content == " news: rates"


def test_exact_uses_one_slot_and_no_cache(tmp_path: Path) -> None:
    """What else is in flight can then not move a digit."""
    local = Canned(model(tmp_path / "m.gguf"), said("a"), exact=True, slots=4)

    async def main() -> Completed:
        return await local.complete("once")

    anyio.run(main)
    assert local.asked[0]["cache_prompt"] is False
    assert local._options(tmp_path).slots == 1


def test_a_conversation_is_answered_as_a_message(tmp_path: Path) -> None:
    """As the terminal of an agent it speaks the model's own chat template."""
    local = Canned(model(tmp_path / "m.gguf"), {"choices": [{"delta": {"content": "Hello."}}]}, USED)

    async def main() -> Message:
        return await local(env(Message(role="user", content="hi")))

    assert anyio.run(main) == Message(
        role="assistant", content="Hello.", usage=Usage(input=9, output=2), model="m.gguf"
    )
    assert local.asked[0]["messages"] == [{"role": "user", "content": "hi"}]
    assert "tools" not in local.asked[0]


@pytest.mark.parametrize(
    ("pieces", "sentence"),
    [
        (
            [
                {"choices": [{"delta": {"reasoning_content": "Hm."}}]},
                {"choices": [{"delta": {}, "finish_reason": "length"}]},
            ],
            "the answer was cut off at the token limit before it said anything (Local(..., max_tokens=) sets it)",
        ),
        ([{"choices": [{"delta": {"content": " "}}]}], "the answer was broken off before it said anything"),
    ],
)
def test_a_blank_answer_that_the_model_did_not_end_is_no_silence(
    tmp_path: Path, pieces: list[dict[str, Any]], sentence: str
) -> None:
    """A model that thinks before it speaks may be cut off while it does, and `silent` would pass by that."""
    local = Canned(model(tmp_path / "m.gguf"), *pieces, USED)

    async def main() -> Message:
        return await local(env(Message(role="user", content="hi")))

    with pytest.raises(ModelError) as raised:
        anyio.run(main)
    assert str(raised.value) == sentence


def test_a_blank_answer_that_the_model_ended_is_one(tmp_path: Path) -> None:
    """A model may say nothing."""
    local = Canned(model(tmp_path / "m.gguf"), {"choices": [{"delta": {}, "finish_reason": "stop"}]}, USED)

    async def main() -> Message:
        return await local(env(Message(role="user", content="hi")))

    assert anyio.run(main).content == ""


def test_halves_of_characters_are_put_to_the_model_as_unreadable(tmp_path: Path) -> None:
    """A tool may have answered them; llama.cpp would refuse the request, and the turn would end as the agent's slip."""
    local = Canned(model(tmp_path / "m.gguf"), {"choices": [{"delta": {"content": "Hm."}}]})

    async def main() -> Message:
        return await local(env(Message(role="user", content="a\ud800b")))

    anyio.run(main)
    assert local.asked[0]["messages"] == [{"role": "user", "content": "a\ufffdb"}]


def test_tools_are_refused_where_the_template_has_no_place_for_them(tmp_path: Path) -> None:
    """A model that can't choose tools would answer nonsense; the sentence says what to do instead."""
    local = Canned(model(tmp_path / "m.gguf", "{{ messages }}"))

    async def main() -> None:
        await local(env(Message(role="user", content="hi"), tools=(SEARCH,)))

    with pytest.raises(UsageError) as caught:
        anyio.run(main)
    assert str(caught.value) == (
        "m.gguf can't choose tools; make the ToolCall from local.complete(prompt, grammar=...), "
        "see examples/quickstart/agent.py"
    )
    assert local.asked == []


def test_tools_are_offered_where_the_template_has_a_place_for_them(tmp_path: Path) -> None:
    """What the model asks for comes back as calls."""
    part = {"index": 0, "id": "a", "function": {"name": "search", "arguments": '{"query": "rates"}'}}
    pieces = {"choices": [{"delta": {"tool_calls": [part]}}]}
    local = Canned(model(tmp_path / "m.gguf", "{{ tools }}"), pieces)

    async def main() -> Message:
        return await local(env(Message(role="user", content="hi"), tools=(SEARCH,)))

    (call,) = anyio.run(main).tool_calls
    assert (call.id, call.name, call.parsed()) == ("a", "search", {"query": "rates"})
    assert [tool["function"]["name"] for tool in local.asked[0]["tools"]] == ["search"]


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (
            {"type": "exceed_context_size_error", "n_prompt_tokens": 3001, "n_ctx": 2048, "message": "request ..."},
            ModelError,
            "the prompt has 3001 tokens, and m.gguf was given a context of 2048 (Local(..., context=...) sets it)",
        ),
        (
            {"type": "invalid_request_error", "message": "failed to parse grammar"},
            UsageError,
            "the grammar given to m.gguf is not GBNF that llama.cpp can read: failed to parse grammar",
        ),
        ({"code": 500, "message": "odd"}, ModelError, "llama.cpp refused the request to m.gguf: odd"),
    ],
)
def test_what_llama_refuses_is_one_sentence(
    tmp_path: Path, error: dict[str, Any], kind: type[Exception], sentence: str
) -> None:
    """The sentence has the numbers, and the option that helps."""
    local = Canned(model(tmp_path / "m.gguf"), {"error": error})

    async def main() -> None:
        await local.complete("a")

    with pytest.raises(kind) as caught:
        anyio.run(main)
    assert str(caught.value) == sentence


def test_a_cancelled_request_is_told_to_stop(tmp_path: Path) -> None:
    """The thread is left behind, and the model stops at its next token."""
    began, go_on, requests = threading.Event(), threading.Event(), []

    class Slow(Canned):
        def _blocking(self, request: Request, body: dict[str, Any], as_chat: bool) -> list[dict[str, Any]]:
            requests.append(request)
            began.set()
            go_on.wait()
            return []

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(Slow(model(tmp_path / "m.gguf")).complete, "once")
            await anyio.to_thread.run_sync(began.wait)
            group.cancel_scope.cancel()

    anyio.run(main)
    go_on.set()
    assert [request.stopped for request in requests] == [True]
    assert requests[0].take({"choices": []}) is True


def test_a_missing_extra_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is there, what runs it is not."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)

    async def main() -> None:
        await Local(model(tmp_path / "m.gguf")).complete("a")

    with pytest.raises(MissingExtra, match=r"^Local needs the extra 'local': pip install 'brute-eval\[local\]'$"):
        anyio.run(main)


def test_a_library_that_is_missing_is_not_taken_for_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slim image the package is there and libgomp is not."""
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1: cannot open shared object file')")
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModelError, match=r"installed but can't be loaded: libgomp\.so\.1: cannot open"):
        engine._xllamacpp()


@pytest.mark.parametrize(
    ("model", "options", "sentence"),
    [
        (3, {}, "Local takes the name of a model or the path of a .gguf file, got 3"),
        ("", {}, "Local takes the name of a model or the path of a .gguf file, got ''"),
        ("smollm2", {"threads": 0}, "Local's threads must be a whole number of 1 or more, got 0"),
        ("smollm2", {"slots": True}, "Local's slots must be a whole number of 1 or more, got True"),
        ("smollm2", {"temperature": "hot"}, "Local's temperature must be a number of 0 or more, got 'hot'"),
        ("smollm2", {"temperature": float("nan")}, "Local's temperature must be a number of 0 or more, got nan"),
        ("smollm2", {"seed": None}, "Local's seed must be a whole number, got None"),
        ("smollm2", {"exact": 1}, "Local's exact must be True or False, got 1"),
    ],
)
def test_what_could_not_be_meant_is_refused(model: Any, options: dict[str, Any], sentence: str) -> None:
    """The argument, what is allowed, and what was given."""
    with pytest.raises(UsageError) as caught:
        Local(model, **options)
    assert str(caught.value) == sentence
    assert Local("smollm2", threads=None, temperature=1, seed=-1).name == "smollm2"
