"""No socket is connected in a turn whose model is frozen, whatever reaches for one."""

from __future__ import annotations

import asyncio
import http.client
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Case, World
from tests.support.agents import Live, asks, makes, speaks
from tests.support.taped import made
from tests.support.wire import wired

CASE = Case("reaches out", said="hello")
OK = (200, {"content-type": "application/json"}, [b"{}"], False)


async def _stream(host: str, port: int) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
    await writer.drain()
    await reader.read()
    writer.close()
    await writer.wait_closed()


async def _urllib(host: str, port: int) -> None:
    def work() -> None:
        with urllib.request.urlopen(f"http://{host}:{port}/", timeout=5) as answer:
            answer.read()

    await asyncio.to_thread(work)


async def _client(host: str, port: int) -> None:
    def work() -> None:
        connection = http.client.HTTPConnection(host, port, timeout=5)
        connection.request("GET", "/")
        connection.getresponse().read()
        connection.close()

    await asyncio.to_thread(work)


async def _datagram(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", (host, port))


async def _message(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendmsg([b"x"], [], 0, (host, port))


WAYS: dict[str, Callable[[str, int], Any]] = {
    "asyncio": _stream,
    "urllib": _urllib,
    "http.client": _client,
    "datagram": _datagram,
    "message": _message,
}


def agent(way: Callable[[str, int], Any], host: str, port: int, *, swallows: bool = True) -> Any:
    """A factory of agents whose layer reaches out by itself, before the model is asked."""

    class Reaches:
        def __init__(self, app: Any) -> None:
            self.app = app

        async def __call__(self, env: Any) -> None:
            try:
                await way(host, port)
            except OSError:
                assert swallows
            await self.app(env)

    return makes("well", "well", "well", layers=[Reaches])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("replay", [True, "model"])
def test_what_reaches_out_beside_the_recording_is_an_error_and_gets_nowhere(
    way: str, replay: Any, tmp_path: Path
) -> None:
    """Though the agent swallows what it gets, and somebody listens there."""
    with wired(OK, OK) as wire:
        port = wire.server.server_address[1]
        made(tmp_path, agent(WAYS[way], "127.0.0.1", port), CASE, record=True)
        count = len(wire.requests)
        attempt = made(tmp_path, agent(WAYS[way], "127.0.0.1", port), CASE, replay=replay)
        assert len(wire.requests) == count
    assert [each.kind for each in attempt.verdict.failures] == ["error.replay"]
    assert attempt.verdict.sentences == [
        f"something reached for 127.0.0.1:{port}, and nothing may leave to the network in a replay; it was not sent"
    ]


@pytest.mark.parametrize("way", ["asyncio", "urllib"])
def test_no_name_is_looked_up_either(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lookup leaves to the network too."""
    looked: list[Any] = []

    def getaddrinfo(host: Any, *more: Any, **named: Any) -> Any:
        looked.append(host)
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    made(tmp_path, agent(WAYS[way], "model.invalid", 443), CASE, record=True)
    assert looked == ["model.invalid"]
    attempt = made(tmp_path, agent(WAYS[way], "model.invalid", 443), CASE, replay=True)
    assert looked == ["model.invalid"]
    assert "something reached for model.invalid:443, and" in attempt.verdict.sentences[0]


def test_live_tools_may_reach_out_under_a_frozen_model(tmp_path: Path) -> None:
    """That is what they are live for; frozen, they don't run."""
    with wired(OK, OK, OK) as wire:
        live = Live("search")

        async def look(**arguments: Any) -> str:
            await _stream(*wire.server.server_address[:2])
            return "x"

        live.tool.function = look

        def model(env: Any) -> Any:
            return "done" if env.messages[-1].role == "tool" else asks("search")

        for how, count in (({"record": True}, 1), ({"replay": "model"}, 2), ({"replay": True}, 2)):
            assert made(tmp_path, speaks(model, [live.tool]), CASE, **how).status == "passed"
            assert len(wire.requests) == count


def test_the_case_s_own_world_and_stubs_may_reach_out(tmp_path: Path) -> None:
    """They are no part of the agent."""
    with wired(*[OK] * 6) as wire:
        where = wire.server.server_address[:2]

        class Room(World):
            async def prepare(self, case: Any) -> Any:
                await _stream(*where)
                return case.said

        async def stub() -> str:
            await _stream(*where)
            return "stubbed"

        def model(env: Any) -> Any:
            return "done" if env.messages[-1].role == "tool" else asks("search")

        case = Case("reaches out", said="x", stubs={"search": stub})
        for how in ({"record": True}, {"replay": True}):
            attempt = made(tmp_path, speaks(model, [Live("search").tool]), case, world=Room, **how)
            assert (attempt.status, attempt.verdict.failures) == ("passed", ())
        assert len(wire.requests) == 4


def test_after_the_run_sockets_are_as_they_were(tmp_path: Path) -> None:
    """All that was put under watch is taken out again."""
    before = dict(socket.socket.__dict__), socket.getaddrinfo, asyncio.base_events.BaseEventLoop.getaddrinfo
    made(tmp_path, makes("hi"), CASE, record=True)
    made(tmp_path, makes("hi"), CASE, replay=True)
    assert (dict(socket.socket.__dict__), socket.getaddrinfo, asyncio.base_events.BaseEventLoop.getaddrinfo) == before


@pytest.mark.parametrize("lookup", ["gethostbyname", "gethostbyname_ex", "gethostbyaddr"])
def test_a_name_is_not_looked_up_by_the_old_functions_either(lookup: str, tmp_path: Path) -> None:
    """They ask the network as any other does, and are as they were when the run is over."""

    async def way(host: str, port: int) -> None:
        getattr(socket, lookup)(host)

    plain = getattr(socket, lookup)
    made(tmp_path, agent(way, "127.0.0.1", 9), CASE, record=True)
    attempt = made(tmp_path, agent(way, "127.0.0.1", 9), CASE, replay=True)
    assert attempt.verdict.sentences == [
        "something reached for 127.0.0.1, and nothing may leave to the network in a replay; it was not sent"
    ]
    assert getattr(socket, lookup) is plain
