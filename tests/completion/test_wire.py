"""The clients that all models share, and the connections that each event loop has for itself."""

from __future__ import annotations

import asyncio
import gc
import threading

import anyio
import pytest

import brute
from brute.completion import wire
from tests.completion.faults import HELLO, model
from tests.support.cassettes import Fault, Loopback, serve

pytest.importorskip("pydantic_ai")


def test_connections_end_with_their_loop() -> None:
    """Each loop closes its connections when it ends; nothing is left for the collector to warn of."""
    with serve(*[HELLO] * 6) as server:
        for _ in range(3):
            brute.agent().run(model(server)).start("hi")
        thread = threading.Thread(target=lambda: brute.agent().run(model(server)).start("hi"))
        thread.start()
        thread.join()
        gc.collect()  # -W error makes an unclosed socket an error
        assert not wire._open


def test_two_calls_share_a_connection() -> None:
    """Within a loop a connection is kept for the next call, whichever model makes it."""

    async def twice(server: Loopback) -> int:
        for _ in range(2):
            await brute.agent().run(model(server)).astart("hi")
        (pools,) = wire._open.values()
        return len(pools._all)

    with serve(HELLO, HELLO) as server:
        assert anyio.run(twice, server) == 1


def test_many_calls_at_once_are_spread_over_pools() -> None:
    """More overlapping calls than one pool carries well open another."""

    async def busy() -> list[int]:
        pools = await wire._pools()
        taken = [pools.take() for _ in range(wire.FULL + 1)]
        counts = [pool.busy for pool in pools._all]
        for pool in taken:
            pool.busy -= 1
        return counts

    assert anyio.run(busy) == [wire.FULL, 1]


def test_a_cancelled_call_leaves_no_one_waiting() -> None:
    """A turn that is stopped while the model thinks ends at once, and its pool is free again."""

    async def stopped(server: Loopback) -> list[int]:
        with anyio.move_on_after(0.05):
            await brute.agent().run(model(server)).astart("hi")
        return [pool.busy for pools in wire._open.values() for pool in pools._all]

    with serve(Fault("hang")) as server:
        assert anyio.run(stopped, server) == [0]


def test_a_loop_that_was_just_closed_is_forgotten() -> None:
    """A loop whose owner closed it without ending its generators leaves no entry behind for long."""
    loop = asyncio.new_event_loop()
    loop.run_until_complete(wire._pools())
    loop.close()
    assert loop in wire._open

    async def other() -> bool:
        await wire._pools()
        return loop in wire._open

    assert not anyio.run(other)


def test_an_answer_is_read_once() -> None:
    """The body as it was, and as JSON where it is that."""
    assert wire.Answer(200, b'{"a": 1}').data == {"a": 1}
    assert wire.Answer(200, b"{").data is None
    assert wire.Answer(200, b"[" * 100_000).data is None


@pytest.mark.parametrize("wanted", ["openai:x", "openai-chat:x"])
def test_models_share_their_client(wanted: str) -> None:
    """One provider, address and key make one client, whatever the model."""
    provider, name = wanted.split(":")
    one, other = (wire.speaker(provider, model, "http://localhost:1/v1", None) for model in (name, "y"))
    assert one is not other
    assert one is wire.speaker(provider, name, "http://localhost:1/v1", None)
    assert one.provider is other.provider


def test_threads_that_ask_at_once_share_one_context(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs 25 ms, and nobody needs a second one."""
    import httpx2

    made: list[int] = []
    create = httpx2.create_ssl_context

    def counted(*args: object, **named: object) -> object:
        made.append(1)
        return create(*args, **named)  # type: ignore[arg-type]

    wire._made_tls.cache_clear()
    wire._made_client.cache_clear()
    monkeypatch.setattr(httpx2, "create_ssl_context", counted)
    gate = threading.Barrier(8)

    def asks() -> None:
        gate.wait(10)
        clients.append(wire.client())

    clients: list[object] = []
    threads = [threading.Thread(target=asks) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len({id(client) for client in clients}) == 1
