"""An agent over HTTP, run by a suite, beside a bare loop on the same client that does the same requests, tool answer and check."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

import aiohttp
import openai

from bench.asking import agent, bare_aiohttp, bare_openai, by_aiohttp, by_openai, looped
from bench.endpoint import endpoint
from bench.side import interleaved, line
from bench.work import must_pass_here, suite

ATTEMPTS = 150
"""Enough that starting a loop and a client, which both sides do once a round, is lost in it."""

WIDTHS = (1, 16, 64)


def main(attempts: int = ATTEMPTS, widths: Sequence[int] = WIDTHS, rounds: int = 7) -> int:
    """Print the figures; 1 where a goal is missed."""
    reached = []
    with endpoint() as running:
        url = running.url()

        async def by_suite(width: int) -> None:
            async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
                await must_pass_here(suite(lambda: agent(by_openai(client)), attempts, jobs=width))

        async def by_hand(width: int) -> None:
            async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
                await looped(lambda: bare_openai(client), attempts, width)

        async def light_by_suite(width: int) -> None:
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
                await must_pass_here(suite(lambda: agent(by_aiohttp(session, url)), 4 * attempts, jobs=width))

        async def light_by_hand(width: int) -> None:
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
                await looped(lambda: bare_aiohttp(session, url), 4 * attempts, width)

        for width in widths:
            ours, bare = interleaved(
                lambda: asyncio.run(by_suite(width)),  # noqa: B023
                lambda: asyncio.run(by_hand(width)),  # noqa: B023
                rounds,
            )
            what = f"CPU an attempt on the openai client, {width} at a time"
            reached.append(line(what, 1000 * ours / attempts, 1000 * bare / attempts, 1.1, name="bare"))
        width = widths[-1]
        ours, bare = interleaved(
            lambda: asyncio.run(light_by_suite(width)), lambda: asyncio.run(light_by_hand(width)), rounds
        )
        what = f"CPU an attempt on aiohttp, {width} at a time"
        reached.append(line(what, 250 * ours / attempts, 250 * bare / attempts, 2.0, name="bare"))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
