"""The HTTP libraries under watch: what goes by is recorded as it was and answered as it was, whichever library carries it."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Case
from tests.support.agents import Live, asks, speaks
from tests.support.taped import files, made, unplugged
from tests.support.wire import Reply, wired

httpx = pytest.importorskip("httpx")
httpx2 = pytest.importorskip("httpx2")
requests = pytest.importorskip("requests")
aiohttp = pytest.importorskip("aiohttp")

CASE = Case("asks", said="hello")
ASKED = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
JSON = {"content-type": "application/json"}
SSE = {"content-type": "text/event-stream; charset=utf-8"}
EVENTS = [
    b'event: a\r\ndata: {"text": "caf\xc3\xa9 one',
    b' "}\r\n\r\n',
    b'data: {"text": "two"}\r\n\r\ndata: [DONE]\r\n\r\n',
]

Seen = tuple[int, str, bytes]
Ask = Callable[[str, Any], Awaitable[Seen]]


def _async(library: Any) -> Ask:
    async def ask(url: str, body: Any) -> Seen:
        async with library.AsyncClient() as client:
            answer = await client.post(url, json=body, headers={"authorization": "Bearer abc"})
            return answer.status_code, answer.headers.get("content-type", ""), answer.content

    return ask


def _streamed(library: Any) -> Ask:
    async def ask(url: str, body: Any) -> Seen:
        async with library.AsyncClient() as client, client.stream("POST", url, json=body) as answer:
            pieces = [piece async for piece in answer.aiter_bytes()]
            return answer.status_code, answer.headers.get("content-type", ""), b"".join(pieces)

    return ask


def _sync(library: Any) -> Ask:
    async def ask(url: str, body: Any) -> Seen:
        def work() -> Seen:
            with library.Client() as client, client.stream("POST", url, json=body) as answer:
                return answer.status_code, answer.headers.get("content-type", ""), b"".join(answer.iter_bytes())

        return await asyncio.to_thread(work)

    return ask


async def _requests(url: str, body: Any) -> Seen:
    def work() -> Seen:
        with requests.Session() as session:
            answer = session.post(url, json=body, stream=True)
            return answer.status_code, answer.headers.get("content-type", ""), b"".join(answer.iter_content(7))

    return await asyncio.to_thread(work)


async def _aiohttp(url: str, body: Any) -> Seen:
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as answer:
        return answer.status, answer.headers.get("content-type", ""), await answer.read()


async def _aiohttp_lines(url: str, body: Any) -> Seen:
    async with aiohttp.ClientSession() as session:
        answer = await session.post(url, data=json.dumps(body).encode())
        lines = [line async for line in answer.content]
        answer.release()
        return answer.status, answer.headers.get("content-type", ""), b"".join(lines)


LIBRARIES: dict[str, Ask] = {
    "httpx": _async(httpx), "httpx streamed": _streamed(httpx), "httpx sync": _sync(httpx), "httpx2": _async(httpx2),
    "httpx2 streamed": _streamed(httpx2), "httpx2 sync": _sync(httpx2), "requests": _requests, "aiohttp": _aiohttp,
    "aiohttp lines": _aiohttp_lines,
}  # fmt: skip


def agent(ask: Ask, url: str, body: Any = ASKED, times: int = 1, seen: list[Any] | None = None) -> Any:
    """A factory of agents whose completion asks a model over that library."""

    async def complete(env: Any) -> str:
        for _ in range(times):
            try:
                status, kind, content = await ask(url, body)
            except Exception as error:
                status, kind, content = 0, type(error).__name__, b""
            if seen is not None:
                seen.append((status, kind, content))
        return f"{status} {content!r}"

    return speaks(complete)


ANSWERS: dict[str, tuple[Reply, bytes]] = {
    "json": ((200, JSON, [b'{"b": 1.0, "a": "caf\xc3\xa9"}'], False), b'{"b": 1.0, "a": "caf\xc3\xa9"}'),
    "events": ((200, SSE, EVENTS, False), b"".join(EVENTS)),
    "gzip": ((200, {**JSON, "content-encoding": "gzip"}, [gzip.compress(b'{"a": 1}')], False), b'{"a": 1}'),
    "gzipped events": (
        (200, {**SSE, "content-encoding": "gzip"}, [gzip.compress(b"".join(EVENTS))], False),
        b"".join(EVENTS),
    ),
    "binary": ((200, {"content-type": "audio/mpeg"}, [b"\xff\x00\xfe"], False), b"\xff\x00\xfe"),
    "text": ((404, {"content-type": "text/plain"}, [b"no such thing"], False), b"no such thing"),
    "empty": ((202, {}, [], False), b""),
    "500": ((500, JSON, [b'{"error": "broken"}'], False), b'{"error": "broken"}'),
    "no json": ((200, JSON, [b'{"a": NaN, '], False), b'{"a": NaN, '),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_an_answer_comes_again_as_it_came(
    library: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status, type and body, out of whatever encoding; and nothing is connected for it."""
    reply, body = ANSWERS[answer]
    first: list[Any] = []
    with wired(reply) as wire:
        made(tmp_path, agent(LIBRARIES[library], wire.url + "/v1/chat", seen=first), CASE, record=True)
    assert first == [(reply[0], reply[1].get("content-type", ""), body)]
    tried, again = unplugged(monkeypatch), list[Any]()
    attempt = made(tmp_path, agent(LIBRARIES[library], "http://127.0.0.1:9/v1/chat", seen=again), CASE, replay=True)
    assert (attempt.status, again, tried) == ("passed", first, [])
    (entry,) = json.loads(files(tmp_path)[0].read_text())["model"]
    assert entry["asked"] == {"method": "POST", "path": "/v1/chat", "body": ASKED}
    assert "Bearer" not in files(tmp_path)[0].read_text()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_request_that_was_not_recorded_is_not_sent(library: str, tmp_path: Path) -> None:
    """Though somebody listens there."""
    with wired((200, JSON, [b"{}"], False), (200, JSON, [b"{}"], False)) as wire:
        made(tmp_path, agent(LIBRARIES[library], wire.url), CASE, record=True)
        other = {**ASKED, "messages": [{"role": "user", "content": "good bye"}]}
        attempt = made(tmp_path, agent(LIBRARIES[library], wire.url, other), CASE, replay=True)
        assert len(wire.requests) == 1
    assert attempt.verdict.sentences == [
        (
            "the request to the model was not recorded: it differs from the nearest one (1 of 1) at "
            'messages[0].content: recorded "hello", now "good bye"'
        )
    ]


@pytest.mark.parametrize("library", ["httpx", "httpx2", "requests", "aiohttp"])
def test_the_same_request_twice_gets_the_first_answer_first(library: str, tmp_path: Path) -> None:
    """A 429, and then an answer: by occurrence."""
    first, again = list[Any](), list[Any]()
    busy: Reply = (429, {**JSON, "retry-after": "20"}, [b'{"error": "busy"}'], False)
    with wired(busy, (200, JSON, [b'{"a": 1}'], False)) as wire:
        made(tmp_path, agent(LIBRARIES[library], wire.url, times=2, seen=first), CASE, record=True)
    made(tmp_path, agent(LIBRARIES[library], "http://127.0.0.1:9", times=2, seen=again), CASE, replay=True)
    assert [status for status, *_ in first] == [429, 200]
    assert again == first


@pytest.mark.parametrize(
    "library", ["httpx streamed", "httpx sync", "httpx2 streamed", "httpx2", "aiohttp", "requests"]
)
def test_an_answer_that_broke_off_breaks_off_again(library: str, tmp_path: Path) -> None:
    """With an exception of the same name, whatever the agent makes of that."""
    first, again = list[Any](), list[Any]()
    with wired((200, SSE, EVENTS[:1], True)) as wire:
        made(tmp_path, agent(LIBRARIES[library], wire.url, seen=first), CASE, record=True)
    made(tmp_path, agent(LIBRARIES[library], "http://127.0.0.1:9", seen=again), CASE, replay=True)
    assert first[0][0] == 0
    assert first[0][1]
    assert again == first


def test_what_does_not_count_of_a_request_makes_no_miss(tmp_path: Path) -> None:
    """Headers, the host, keys in the address, whose request it is, and ids by which calls find their results."""

    def body(call: str, user: str) -> Any:
        called = {
            "role": "assistant",
            "tool_calls": [{"id": call, "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        }
        result = {"role": "tool", "tool_call_id": call, "content": "x"}
        return {"model": "m", "messages": [called, result], "user": user, "metadata": {"trace": user}}

    with wired((200, JSON, [b"{}"], False)) as wire:
        ask = LIBRARIES["httpx"]
        made(tmp_path, agent(ask, wire.url + "/v1/chat?key=AAA&alt=sse", body("call_1", "u1")), CASE, record=True)
    again = made(
        tmp_path,
        agent(ask, "http://elsewhere.invalid/v1/chat?alt=sse&key=BBB", body("call_2", "u2")),
        CASE,
        replay=True,
    )
    assert again.status == "passed"
    assert "AAA" not in files(tmp_path)[0].read_text()
    crossed = body("call_1", "u1")
    crossed["messages"][1]["tool_call_id"] = "call_9"
    miss = made(tmp_path, agent(ask, "http://elsewhere.invalid/v1/chat?alt=sse", crossed), CASE, replay=True)
    assert "messages[1].tool_call_id" in miss.verdict.sentences[0]
    miss = made(tmp_path, agent(ask, "http://elsewhere.invalid/v2/chat?alt=sse", body("c", "u")), CASE, replay=True)
    assert 'at path: recorded "/v1/chat", now "/v2/chat"' in miss.verdict.sentences[0]


def test_a_form_with_a_boundary_made_at_random_matches_itself(tmp_path: Path) -> None:
    """A file that is sent is known by its digest."""

    async def ask(url: str, body: Any) -> Seen:
        async with httpx.AsyncClient() as client:
            answer = await client.post(url, files={"audio": ("a.mp3", b"\xff\xfe\x00")}, data={"model": "whisper"})
            return answer.status_code, "", answer.content

    with wired((200, JSON, [b'{"text": "hi"}'], False)) as wire:
        made(tmp_path, agent(ask, wire.url), CASE, record=True)
    assert made(tmp_path, agent(ask, "http://127.0.0.1:9"), CASE, replay=True).status == "passed"


def test_a_tools_own_requests_are_its_own_business(tmp_path: Path) -> None:
    """Not recorded, since its result is; sent where tools are live, though the model is frozen."""
    with wired((200, JSON, [b'"one"'], False), (200, JSON, [b'"two"'], False)) as wire:
        live = Live("search")

        async def look(**arguments: Any) -> str:
            return (await LIBRARIES["httpx2"](wire.url + "/news", {"q": 1}))[2].decode()

        live.tool.function = look

        def model(env: Any) -> Any:
            return "done" if env.messages[-1].role == "tool" else asks("search")

        made(tmp_path, speaks(model, [live.tool]), CASE, record=True)
        data = json.loads(files(tmp_path)[0].read_text())
        assert [each["of"] for each in data["model"]] == ["completion"] * 2
        attempt = made(tmp_path, speaks(model, [live.tool]), CASE, replay="model")
        assert len(wire.requests) == 2
        # What it found this time was never told to the model.
        assert [each.kind for each in attempt.verdict.failures] == ["error.replay"]
        made(tmp_path, speaks(model, [live.tool]), CASE, replay=True)
        assert len(wire.requests) == 2


def test_a_model_that_a_tool_asks_is_a_model(tmp_path: Path) -> None:
    """By what its request looks like: live tools don't make it live."""
    with wired((200, JSON, [b'{"a": "summary"}'], False)) as wire:
        live = Live("summarise")

        async def summarise(**arguments: Any) -> str:
            return (await LIBRARIES["httpx"](wire.url + "/v1/chat/completions", ASKED))[2].decode()

        live.tool.function = summarise

        def model(env: Any) -> Any:
            return env.messages[-1].content if env.messages[-1].role == "tool" else asks("summarise")

        one = made(tmp_path, speaks(model, [live.tool]), CASE, record=True)
        two = made(tmp_path, speaks(model, [live.tool]), CASE, replay="model")
        assert (len(wire.requests), two.status, one.transcript.reply) == (1, "passed", two.transcript.reply)


def test_a_secret_spread_over_a_stream_is_not_recorded(tmp_path: Path) -> None:
    """No event holds enough of it to be masked, so there is no recording."""
    key = "sk-ant-api03-" + "AbCdEfGhIjKlMnOpQrStUv"
    events = [f'data: {{"delta": {{"text": "{part}"}}}}\n\n'.encode() for part in (key[:8], key[8:20], key[20:])]
    with wired((200, SSE, events, False)) as wire:
        attempt = made(tmp_path, agent(LIBRARIES["httpx"], wire.url), CASE, record=True)
    assert files(tmp_path) == []
    assert attempt.transcript.notes == [
        "not recorded: a secret is spread over the events of a stream, where it can't be masked"
    ]


def test_telemetry_is_neither_recorded_nor_sent_in_a_replay(tmp_path: Path) -> None:
    """It is no error either: whoever sends it goes on without."""

    async def both(url: str, body: Any) -> Seen:
        try:
            await LIBRARIES["httpx"](url + "/v1/traces", {"spans": []})
        except OSError:
            pass
        return await LIBRARIES["httpx"](url, body)

    with wired((200, JSON, [b"{}"], False), (200, JSON, [b"{}"], False)) as wire:
        made(tmp_path, agent(both, wire.url), CASE, record=True)
        assert len(wire.requests) == 2
        assert made(tmp_path, agent(both, wire.url), CASE, replay=True).status == "passed"
        assert len(wire.requests) == 2
    assert len(json.loads(files(tmp_path)[0].read_text())["model"]) == 1


def test_outside_a_taped_attempt_nothing_changes(tmp_path: Path) -> None:
    """And after the run all is as it was."""
    before = [httpx.AsyncClient.send, httpx2.Client.send, requests.Session.send, aiohttp.ClientSession._request]
    made(tmp_path, speaks(lambda env: "hi"), CASE, record=True)
    after = [httpx.AsyncClient.send, httpx2.Client.send, requests.Session.send, aiohttp.ClientSession._request]
    assert before == after


def test_a_stream_that_nobody_read_to_its_end_is_recorded_as_far_as_it_was_read(tmp_path: Path) -> None:
    """And one that nobody closed is not: the file can be read in any case."""

    async def first_piece(url: str, body: Any) -> Seen:
        async with httpx.AsyncClient() as client, client.stream("POST", url, json=body) as answer:
            async for piece in answer.aiter_bytes():
                return answer.status_code, "", piece[:20]
        return 0, "", b""

    one, two = list[Any](), list[Any]()
    with wired((200, SSE, EVENTS, False)) as wire:
        made(tmp_path, agent(first_piece, wire.url, seen=one), CASE, record=True)
    attempt = made(tmp_path, agent(first_piece, "http://127.0.0.1:9", seen=two), CASE, replay=True)
    assert (attempt.status, one) == ("passed", two)


def test_what_a_factory_asks_while_it_builds_the_agent_is_recorded_too(tmp_path: Path) -> None:
    """A prompt that is fetched, a model that is warmed up: in a replay none of it leaves, and swallowing that is no way around."""

    def building(url: str, body: Any = ASKED, *, swallows: bool = False) -> Any:
        async def factory() -> Any:
            try:
                prompt = (await LIBRARIES["httpx"](url, body))[2].decode()
            except BaseException:
                if not swallows:
                    raise
                prompt = "none"
            return await speaks(lambda env: prompt)()

        return factory

    with wired((200, JSON, [b'"be brief"'], False)) as wire:
        one = made(tmp_path, building(wire.url), CASE, record=True)
        two = made(tmp_path, building(wire.url), CASE, replay=True)
        assert (one.transcript.reply, two.transcript.reply, len(wire.requests)) == ('"be brief"', '"be brief"', 1)
        for swallows in (False, True):
            other = made(tmp_path, building(wire.url, {**ASKED, "model": "n"}, swallows=swallows), CASE, replay=True)
            assert [each.kind for each in other.verdict.failures] == ["error.replay"]
            assert 'at model: recorded "m", now "n"' in other.verdict.sentences[0]
        assert len(wire.requests) == 1
