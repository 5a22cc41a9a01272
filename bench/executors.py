"""What it costs to make attempts in processes of their own, how soon a worker is replaced, and what a second one is worth."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import resource
import statistics
import sys
import time
from collections.abc import AsyncIterator

import brute
from bench.side import at_most
from bench.work import Quiet, case, must_pass, scripted
from brute.eval import Case, Job, Suite
from brute.eval.executors.process import Process
from brute.eval.tls import Tax

ATTEMPTS = 1000
SPINS = 300_000
"""How far the agent that computes counts: some 20 ms, as little as what anybody would call work for a core of its own."""

OVER = 5.0
"""Milliseconds of CPU an attempt over `local`, at the most, the children's counted."""

REPLACED = 100.0
"""Milliseconds from the kill of a worker to the end of an attempt that its successor makes, at the most."""

TWICE = 1.7
"""The attempts a second of two workers by those of one, at the least, where the agent computes."""


async def fresh() -> brute.Agent:
    """The scripted agent, by a factory that needs no thread."""
    return scripted()


async def exits() -> brute.Agent:
    """An agent that ends its process when it is told to."""

    async def model(env: brute.Env) -> str:
        if env.messages[0].content == "exit":
            os._exit(3)
        return "done"

    return brute.agent().run(model)


async def busy() -> brute.Agent:
    """An agent that computes."""

    async def model(env: brute.Env) -> str:
        return str(sum(number * number for number in range(SPINS)))

    return brute.agent().run(model)


ONE = case()
COMPUTES = Case("computes", said="x")
EXITS = Case("exits", said="exit")
STAYS = Case("stays", said="stay")


def cpu() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def spent(agent: object, of: Case, attempts: int, **more: object) -> tuple[float, float]:
    """CPU and wall seconds of a run of so many attempts."""
    # Made here, where a worker finds it again.
    made = Suite(agent, [of], **more).configured(runs=attempts, reporter=Quiet())
    began = cpu(), time.perf_counter()
    must_pass(made)
    return cpu() - began[0], time.perf_counter() - began[1]


def each(attempts: int, executor: str, rounds: int) -> float:
    """Milliseconds of CPU that one more attempt costs: what starting up costs stands in a short run too, and is taken off."""
    few = max(attempts // 10, 1)
    found = []
    for _ in range(rounds):
        long, _ = spent(fresh, ONE, attempts + few, executor=executor, jobs=2)
        short, _ = spent(fresh, ONE, few, executor=executor, jobs=2)
        found.append(1000 * (long - short) / attempts)
    return statistics.median(found)


async def replaced(times: int) -> list[float]:
    """Milliseconds from an attempt's death to the end of the next, in a worker that was not there before."""
    async with opened() as process:
        return [await _after_an_exit(process) for _ in range(times)]


async def _after_an_exit(process: Process) -> float:
    lost = await process.attempt(Job(EXITS))
    began = time.perf_counter()
    next_one = await process.attempt(Job(STAYS))
    assert (lost.status, next_one.status) == ("failed", "passed")
    return 1000 * (time.perf_counter() - began)


async def killed(times: int) -> list[float]:
    """Milliseconds from a kill of a worker until it is known to be gone and its successor has made an attempt."""
    async with opened() as process:
        return [await _after_a_kill(process) for _ in range(times)]


async def _after_a_kill(process: Process) -> float:
    await process.attempt(Job(STAYS))
    worker = process._idle[-1]
    began = time.perf_counter()
    worker.kill("bench")
    while not worker.gone:  # noqa: ASYNC110
        await asyncio.sleep(0)
    await process.attempt(Job(STAYS))
    return 1000 * (time.perf_counter() - began)


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[Process]:
    """The executor with one worker at a time, of a suite of an agent that may exit."""
    process = Process(Suite(exits, [EXITS, STAYS], executor="process"), 1, Tax())
    await process.open()
    try:
        yield process
    finally:
        await process.close()


def rate(attempts: int, jobs: int) -> float:
    """Attempts a second of so many workers, from the first that ended to the last: starting up is another matter."""
    made = Suite(busy, [COMPUTES], executor="process", jobs=jobs).configured(runs=attempts, reporter=Quiet())
    must_pass(made)
    return (attempts - 1) / (time.perf_counter() - made.reporter.first)


def bare(attempts: int) -> float:
    """The same work a second in a bare process, which one core does."""
    began = time.perf_counter()
    for _ in range(attempts):
        sum(number * number for number in range(SPINS))
    return attempts / (time.perf_counter() - began)


def both_cores(attempts: int) -> float:
    """How much more of the same two bare processes do than one, at this moment on this machine."""
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        pool.map(bare, [1, 1])
        one = bare(attempts)
        began = time.perf_counter()
        pool.map(bare, [attempts, attempts], chunksize=1)
        return 2 * attempts / (time.perf_counter() - began) / one


def doubled(attempts: int, rounds: int) -> bool:
    """Whether two workers do that much more than one; beside it, what the machine itself would let them."""
    ratios, most = [], []
    for _ in range(rounds):
        one, two = rate(attempts, 1), rate(attempts, 2)
        ratios.append(two / one)
        most.append(both_cores(attempts // 2))
    ratio, ceiling = statistics.median(ratios), statistics.median(most)
    reached = ratio >= TWICE
    print(
        f"two workers by one, on an agent that computes: {ratio:.2f}, two bare processes by one {ceiling:.2f} "
        f"(goal {TWICE}) {'ok' if reached else 'MISSED'}",
        flush=True,
    )
    return reached


def main(attempts: int = ATTEMPTS, rounds: int = 3, times: int = 20) -> int:
    """Print the figures; 1 where a goal is missed."""
    local, process = each(attempts, "local", rounds), each(attempts, "process", rounds)
    print(f"CPU an attempt: local {local:.3f} ms, process {process:.3f} ms", flush=True)
    reached = [at_most("CPU an attempt of process over local", process - local, OVER, "ms")]
    reached.append(
        at_most("kill a worker and make an attempt in the next", max(asyncio.run(killed(times))), REPLACED, "ms")
    )
    reached.append(at_most("an attempt after one that exited", max(asyncio.run(replaced(times))), REPLACED, "ms"))
    reached.append(doubled(max(attempts // 5, 4), rounds))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
