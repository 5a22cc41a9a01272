"""What a fresh agent pays that builds its own HTTP client in each attempt, beside a shared client and our own completion built afresh."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import openai

import brute
from bench.asking import MODEL, agent, by_openai
from bench.endpoint import endpoint
from bench.side import at_most
from bench.work import must_pass_here, suite
from brute import Env, Message
from brute.eval import Suite

ATTEMPTS = 60
WIDTH = 16
TAX = 5.0
"""Milliseconds that an attempt on our own completion, built afresh, may cost above one on a shared client of OpenAI's.

A context of its own would cost 26; what remains is what the library that we speak to the providers through costs."""

Run = Callable[[], Awaitable[Suite]]


def main(attempts: int = ATTEMPTS, rounds: int = 5) -> int:
    """Print the figures; 1 where a goal is missed."""
    with endpoint() as running:
        url = running.url()

        def client() -> openai.AsyncOpenAI:
            return openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

        async def done(build: Callable[[], brute.Agent]) -> Suite:
            made = suite(build, attempts, jobs=WIDTH)
            await must_pass_here(made)
            return made

        async def fresh() -> Suite:
            return await done(lambda: agent(_closing(client())))

        async def shared() -> Suite:
            async with client() as one:
                return await done(lambda: agent(by_openai(one)))

        async def ours() -> Suite:
            return await done(lambda: agent(brute.Model(f"openai:{MODEL}", base_url=url, api_key="none")))

        figures = _measured(
            {"a client of its own": fresh, "a shared client": shared, "a fresh brute.Model": ours}, rounds
        )
    reached = []
    least = figures["a shared client"][0]
    for name, (cost, notes) in figures.items():
        taxed = any("TLS context of its own" in note for note in notes)
        right = taxed == (name == "a client of its own")
        told = "names the tax" if taxed else "names no tax"
        print(
            f"{name}: {1000 * cost / attempts:.2f} ms CPU an attempt; the report {told} {'ok' if right else 'MISSED'}",
            flush=True,
        )
        reached.append(right)
    more = 1000 * (figures["a fresh brute.Model"][0] - least) / attempts
    reached.append(at_most("a fresh brute.Model, above a shared client", more, TAX, "ms"))
    return 0 if all(reached) else 1


def _closing(client: openai.AsyncOpenAI) -> Callable[[Env], Awaitable[Message]]:
    """A completion on a client of its own, which it closes after its last word, as a tidy agent would."""
    completion = by_openai(client)

    async def closing(env: Env) -> Message:
        said = await completion(env)
        if not said.tool_calls:
            await client.close()
        return said

    return closing


def _measured(runs: dict[str, Run], rounds: int) -> dict[str, tuple[float, tuple[str, ...]]]:
    """The median CPU seconds of each, run in turns after a round that warms up, and the notes of its last report."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    notes: dict[str, tuple[str, ...]] = {}
    for number in range(rounds + 1):
        for name, run in runs.items():
            began = time.process_time()
            made = asyncio.run(run())  # type: ignore[arg-type]
            if number:
                spent[name].append(time.process_time() - began)
            notes[name] = made.report.notes
    return {name: (statistics.median(times), notes[name]) for name, times in spent.items()}


if __name__ == "__main__":
    sys.exit(main())
