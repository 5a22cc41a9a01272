"""An agent over HTTP, run by a suite, beside a bare loop on the same client that does the same requests, tool answer and check."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import aiohttp
import openai

import brute
from bench.asking import agent, bare_aiohttp, bare_openai, by_aiohttp, by_openai, looped
from bench.endpoint import apart, endpoint
from bench.side import compared, interleaved
from bench.work import must_pass_here, suite
from brute.eval import leaving

ATTEMPTS = 200
WIDTHS = (1, 16, 64)
GOAL = 1.1


def main(attempts: int = ATTEMPTS, widths: Sequence[int] = WIDTHS, rounds: int = 11) -> int:
    """Print the figures; 1 where a goal is missed."""
    with endpoint() as running, apart(running):
        url = running.url()
        tls = ssl.create_default_context()  # made once, or its 26 ms would be a part of both sides

        def connected() -> openai.AsyncOpenAI:
            http = openai.DefaultAsyncHttpxClient(verify=tls)
            return openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=http)

        async def by_suite(width: int) -> None:
            async with connected() as client:

                async def fresh() -> brute.Agent:
                    return agent(by_openai(client))

                await must_pass_here(suite(fresh, attempts, jobs=width))

        async def by_plain(width: int) -> None:
            async with connected() as client:
                await must_pass_here(suite(lambda: agent(by_openai(client)), attempts, jobs=width))

        async def by_hand(width: int) -> None:
            async with connected() as client:
                await looped(lambda: bare_openai(client), attempts, width)

        def beside(width: int, work: Callable[[int], Coroutine[Any, Any, None]], factory: str) -> bool:
            # As `Suite.run()` and `brute eval` run it.
            found = interleaved(lambda: leaving.run(work(width)), lambda: asyncio.run(by_hand(width)), rounds)
            what = f"CPU an attempt on the openai client, {width} at a time, the factory {factory}"
            return compared(what, found, attempts, GOAL, name="bare")

        kinds = ((by_suite, "async"), (by_plain, "a plain function"))
        reached = [beside(width, run, factory) for width in widths for run, factory in kinds]
        _light(url, 4 * attempts, widths[-1], rounds)
    return 0 if all(reached) else 1


def _light(url: str, attempts: int, width: int, rounds: int) -> None:
    """Print the same for a client that costs a tenth."""

    async def connected(work: Callable[[aiohttp.ClientSession], Awaitable[None]]) -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
            await work(session)

    async def by_suite(session: aiohttp.ClientSession) -> None:
        await must_pass_here(suite(lambda: agent(by_aiohttp(session, url)), attempts, jobs=width))

    async def by_hand(session: aiohttp.ClientSession) -> None:
        await looped(lambda: bare_aiohttp(session, url), attempts, width)

    found = interleaved(lambda: asyncio.run(connected(by_suite)), lambda: asyncio.run(connected(by_hand)), rounds)
    each = [1000 * seconds / attempts for seconds in found[:2]]
    print(
        f"CPU an attempt on aiohttp, {width} at a time: {each[0]:.3f} ms, bare {each[1]:.3f} ms (for comparison)",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
