"""A thousand attempts at once: how near the wall time comes to what the waiting alone takes, and how soon the first result is out."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

import aiohttp
import anyio

import brute
from bench.asking import agent, bare_aiohttp, by_aiohttp, looped
from bench.endpoint import endpoint, many_files
from bench.side import at_most, line
from bench.work import ANSWERS, ASKS, case, must_pass, must_pass_here, scripted, suite
from brute import Env, Message
from brute.eval import Case, Suite
from brute.testing import Script

ATTEMPTS = 1000
LATENCY = 1000
"""Milliseconds that each of an attempt's two model calls takes."""

COUNTS = (50, 5000)
WALL = 1.5
"""The wall time, by what the waiting alone takes, at the most."""

SOON = 50.0
"""Milliseconds until the first result, at the most."""


def main(attempts: int = ATTEMPTS, latency: int = LATENCY, counts: Sequence[int] = COUNTS, rounds: int = 3) -> int:
    """Print the figures; 1 where a goal is missed."""
    many_files()
    reached = [
        slept(attempts, latency, rounds),
        asked(attempts, latency, rounds),
        *(first(f"first result of {count} attempts at a case", [case(count)]) for count in counts),
        *(first(f"first result of {count} cases", [case(name=f"case {n}") for n in range(count)]) for count in counts),
    ]
    return 0 if all(reached) else 1


def slept(attempts: int, latency: int, rounds: int) -> bool:
    """Whether the harness alone reaches the goal: the model is a script that sleeps."""

    def sleeper() -> brute.Agent:
        script = Script([ASKS, ANSWERS])

        async def completion(env: Env) -> Message:
            await anyio.sleep(latency / 1000)
            return await script(env)

        return agent(completion)

    def one() -> None:
        made.append(suite(sleeper, attempts, jobs=attempts))
        must_pass(made[-1])

    made: list[Suite] = []
    walls = [_wall(one) for _ in range(rounds)]
    return _told("a model that sleeps", walls, made, latency)


def asked(attempts: int, latency: int, rounds: int) -> bool:
    """Whether a light client reaches the goal; the same by hand, in a bare loop, stands beside it."""
    with endpoint() as running:
        url = running.url(latency)

        async def connected(work: Callable[[aiohttp.ClientSession], Awaitable[None]]) -> None:
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
                await work(session)

        async def by_suite(session: aiohttp.ClientSession) -> None:
            made.append(suite(lambda: agent(by_aiohttp(session, url)), attempts, jobs=attempts))
            await must_pass_here(made[-1])

        async def by_hand(session: aiohttp.ClientSession) -> None:
            await looped(lambda: bare_aiohttp(session, url), attempts, attempts)

        made: list[Suite] = []
        ours, bare = [], []
        for _ in range(rounds):
            ours.append(_wall(lambda: asyncio.run(connected(by_suite))))
            bare.append(_wall(lambda: asyncio.run(connected(by_hand))))
    reached = _told("aiohttp", ours, made, latency)
    print(f"  the same in a bare loop: {statistics.median(bare):.2f} s", flush=True)
    return reached


def first(what: str, cases: Sequence[Case]) -> bool:
    """Whether the first result is out in time where no model call takes any; the suite is made anew, since that counts too."""
    made = suite(scripted, cases)
    must_pass(made)
    return at_most(what, made.reporter.soon, SOON, "ms")


def _told(what: str, walls: Sequence[float], made: Sequence[Suite], latency: int) -> bool:
    wall, soon = statistics.median(walls), statistics.median(one.reporter.soon for one in made) / 1000
    reached = line(
        f"wall of {len(made[0].report.attempts)} attempts at once, {what}", wall, latency / 500, WALL, "s", "ideal"
    )
    print(f"  first result after {soon:.2f} s", flush=True)
    return reached


def _wall(one: Callable[[], None]) -> float:
    began = time.perf_counter()
    one()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
