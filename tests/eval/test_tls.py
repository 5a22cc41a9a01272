"""The TLS contexts that attempts make are counted, and nobody else's."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import certifi
import pytest

import brute
from brute.eval import Case
from brute.eval.tls import Tax, counting, taxed
from brute.testing import Script
from tests.support.agents import makes, report

_original = ssl.create_default_context


def test_a_suite_whose_agents_each_make_a_context_is_told() -> None:
    """On a thread as well as on the loop."""

    def factory() -> brute.Agent:
        ssl.create_default_context()
        return brute.agent().run(Script(["done"]))

    made = report(factory, [Case("a", said="x", runs=3)])
    assert len(made.notes) == 1
    assert made.notes[0].startswith("the agent makes a TLS context of its own in each attempt (3 of them, ")
    assert ssl.create_default_context is _original


@pytest.mark.parametrize("named", [True, False])
def test_so_is_one_whose_clients_read_the_certificates_by_hand(named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As httpx2 does it where no environment variable names them."""
    import httpx2

    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if named:
        monkeypatch.setenv("SSL_CERT_FILE", certifi.where())

    def factory() -> brute.Agent:
        context = httpx2.create_ssl_context()
        assert context.get_ca_certs()
        return brute.agent().run(Script(["done"]))

    [note] = report(factory, [Case("a", said="x", runs=3)]).notes
    assert note.startswith("the agent makes a TLS context of its own in each attempt (3 of them, ")
    assert "load_verify_locations" not in vars(ssl.SSLContext)


def test_a_suite_whose_agents_make_none_is_told_nothing() -> None:
    """Nor one of too few attempts to tell."""
    assert report(makes("done"), [Case("a", said="x", runs=3)]).notes == ()
    tax = Tax()
    tax.contexts = 2
    assert tax.note(2) is None
    assert tax.note(3) is None


def test_a_context_made_outside_attempts_is_not_counted() -> None:
    """The code around the run pays for itself."""
    with taxed() as tax:
        ssl.create_default_context()
    assert tax.contexts == 0


def test_runs_that_overlap_count_apart_and_leave_nothing() -> None:
    """Whichever ends first."""

    async def one(begun: Any, go_on: Any) -> int:
        with taxed() as tax:
            counting.set(tax)
            begun.set()
            await go_on.wait()
            ssl.create_default_context()
            return tax.contexts

    async def go() -> tuple[int, int]:
        first, second, done = asyncio.Event(), asyncio.Event(), asyncio.Event()
        one_task = asyncio.create_task(one(first, second))
        await first.wait()
        other = asyncio.create_task(one(second, done))
        contexts = await one_task
        done.set()
        return contexts, await other

    assert asyncio.run(go()) == (1, 1)
    assert ssl.create_default_context is _original


def test_a_wrapper_put_around_ours_meanwhile_is_left_alone() -> None:
    """And the next run still counts once."""

    def theirs(*args: Any, **named: Any) -> ssl.SSLContext:
        return inner(*args, **named)

    try:
        with taxed():
            inner = ssl.create_default_context
            ssl.create_default_context = theirs
        assert ssl.create_default_context is theirs
        with taxed() as tax:
            counting.set(tax)
            ssl.create_default_context()
        assert tax.contexts == 1
    finally:
        counting.set(None)
        ssl.create_default_context = inner
        with taxed():
            pass
    assert ssl.create_default_context is _original
