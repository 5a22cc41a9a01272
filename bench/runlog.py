"""The run log: what it adds to an attempt, how big it gets, and how soon things are read from it."""

from __future__ import annotations

import asyncio
import functools
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.harness import fresh
from bench.side import at_most, interleaved
from bench.work import case, must_pass, scripted, suite
from brute import Message
from brute.eval import Attempt, Case, Failure, Job, Transcript, Verdict
from brute.eval.keying import Keys
from brute.eval.logreading import Reading
from brute.eval.logtally import tally
from brute.eval.resuming import Resumption, done, unfinished
from brute.eval.runlog import RunLog

ATTEMPTS = 5000
MANY = 100_000
WIDTH = 64
SIZE = 5000
"""Bytes of a transcript in the big log."""


def main(attempts: int = ATTEMPTS, many: int = MANY, rounds: int = 5) -> int:
    """Print the figures; 1 where a goal is missed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        reached = [
            *added(attempts, place, rounds),
            *opened(attempts, place),
            resumed(attempts, place),
            *big(many, place, rounds),
            grown(attempts, place),
        ]
    return 0 if all(reached) else 1


def added(attempts: int, place: Path, rounds: int) -> list[bool]:
    """What the log adds to an attempt: CPU and bytes."""
    numbers = itertools.count()

    def logged() -> None:
        must_pass(suite(fresh, attempts, jobs=WIDTH, log=place / f"added{next(numbers)}.db"))

    with_log, without, _ = interleaved(
        logged, lambda: must_pass(suite(fresh, attempts, jobs=WIDTH, log=None)), rounds=rounds
    )
    size = (place / "added0.db").stat().st_size / attempts
    print(f"  with the log {1000 * with_log / attempts:.3f} ms an attempt, without {1000 * without / attempts:.3f}")
    return [
        at_most("CPU that the log adds to an attempt", 1000 * (with_log - without) / attempts, 0.15, "ms"),
        at_most("log an attempt", size, 1000, "bytes"),
    ]


def opened(attempts: int, place: Path) -> list[bool]:
    """How soon the verdicts, one attempt, and everything are read."""
    path = place / "added0.db"

    def verdicts() -> Any:
        with Reading(path) as reading:
            return reading.report(reading.run("last")).exit_status

    def everything() -> int:
        with Reading(path) as reading:
            return sum(len(each.attempt.transcript.calls) for each in reading.stream(reading.run("last")))

    verdicts()
    return [
        at_most(f"verdicts of {attempts}", took(verdicts), 40, "ms"),
        at_most(f"everything of {attempts}", took(everything), 500, "ms"),
        at_most(f"peak memory of streaming {attempts}", peak(str(path)), 80, "MB"),
    ]


def peak(path: str) -> float:
    """The most memory (MB) of a process of its own that reads everything, one attempt at a time."""
    program = (
        "import sys, resource; from pathlib import Path; from brute.eval.logreading import Reading\n"
        "with Reading(sys.argv[1]) as reading:\n"
        "    sum(len(each.attempt.transcript.calls) for each in reading.stream(reading.run('last')))\n"
        "status = Path('/proc/self/status')\n"
        # What Linux says of a child by getrusage is never less than what its parent had when it began.
        "print(status.read_text().partition('VmHWM:')[2].split()[0] if status.exists()\n"
        "    else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", program, path]
    kilobytes = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return kilobytes / (2**20 if sys.platform == "darwin" else 2**10)


def resumed(attempts: int, place: Path) -> bool:
    """How soon a run of as many cases, half of them done, is ready to go on."""
    path = place / "resumed.db"
    made = suite(scripted, [case(name=f"case {number}") for number in range(attempts)])
    plan = made.plan()

    async def half() -> None:
        recording = RunLog(path).begin()
        part = recording.part("", plan, Keys(plan, made.builder, made.world))
        for index, job in enumerate(plan[: attempts // 2]):
            await part.wrote(index, Attempt(job.case, 1, "passed", Verdict(), Transcript(said="?")))
        recording.write(lambda: lambda c: c.execute("UPDATE run SET process = 0"), lambda error: None)
        recording.close()

    asyncio.run(half())

    def ready() -> int:
        with Reading(path) as reading:
            run = unfinished(reading)
            return len(done(Resumption(reading, run), "", plan, Keys(plan, made.builder, made.world)).attempts)

    assert ready() == attempts // 2
    return at_most(f"resuming {attempts} cases", took(ready), 300, "ms")


def big(many: int, place: Path, rounds: int) -> list[bool]:
    """How soon one reads in a log of many attempts with transcripts of 5 kB."""
    path = place / "big.db"
    asyncio.run(_fill(path, many))
    print(f"  {many} attempts take {path.stat().st_size / 2**20:.0f} MB")

    def runs() -> int:
        with Reading(path) as reading:
            return len(reading.runs())

    def verdicts() -> int:
        with Reading(path) as reading:
            return tally(reading, reading.run("last")).attempts

    with Reading(path) as reading:
        run = reading.run("last")
        assert tally(reading, run).attempts == many
        ids = random.Random(1).sample(range(run.span[0] + 1, run.span[0] + many), 20)
        one = min(took(functools.partial(reading.transcript, id), 1) for id in ids)  # type: ignore[misc]
        typical = sorted(took(functools.partial(reading.transcript, id), 1) for id in ids)[10]  # type: ignore[misc]
    command = [sys.executable, "-m", "brute", "runs", "--log", str(path)]
    nothing = [sys.executable, "-m", "brute", "--help"]
    start = took(lambda: subprocess.run(nothing, capture_output=True, check=True), rounds)
    listed = took(lambda: subprocess.run(command, capture_output=True, check=True), rounds)
    print(f"  `brute runs` takes {listed:.0f} ms, `brute --help` {start:.0f}; the quickest transcript {one:.2f} ms")
    return [
        at_most(f"runs of {many}", took(runs), 200, "ms"),
        at_most("brute runs, beyond the start of the program", listed - start, 200, "ms"),
        at_most(f"verdicts of {many}", took(verdicts), 200, "ms"),
        at_most("one transcript", typical, 5, "ms"),
    ]


async def _fill(path: Path, many: int) -> None:
    cases = [Case(f"case {number}", said="?", runs=many // 100) for number in range(100)]
    words = [f"word{number}" for number in range(2000)]
    choose = random.Random(7)
    seen = [
        Transcript(messages=[Message(role="assistant", content=" ".join(choose.choices(words, k=SIZE // 8)))])
        for _ in range(200)
    ]
    plan = [Job(each, number) for each in cases for number in range(1, each.runs + 1)]
    recording = RunLog(path).begin()
    part = recording.part("", plan, Keys(plan))
    bad = Verdict((Failure("mentions", 'never said "4.25"; the reply was "It held."'),))
    jobs = iter(enumerate(plan))

    async def work() -> None:
        for index, job in jobs:
            verdict = bad if index % 50 == 0 else Verdict()
            await part.wrote(index, Attempt(job.case, job.number, verdict.status, verdict, seen[index % 200]))

    async with asyncio.TaskGroup() as group:
        for _ in range(256):
            group.create_task(work())
    # Left without its end, so that the attempts have to be counted.
    recording.write(lambda: lambda c: c.execute("UPDATE run SET process = 0"), lambda error: None)
    recording.close()


def grown(attempts: int, place: Path) -> bool:
    """The memory that a finished attempt keeps, by runs of this many and of three times as many."""
    program = (
        "import gc, os, sys; from bench.harness import fresh; from bench.work import must_pass, suite\n"
        "made = suite(fresh, int(sys.argv[1]), jobs=64, log=sys.argv[2]); must_pass(made); gc.collect()\n"
        "import resource\n"
        "pages = int(open('/proc/self/statm').read().split()[1])\n"
        "print(pages * os.sysconf('SC_PAGE_SIZE'))"
    )

    def memory(count: int) -> int:
        command = [sys.executable, "-c", program, str(count), str(place / f"grown{count}.db")]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    if not os.path.exists("/proc/self/statm"):
        return True
    few, more = memory(attempts), memory(3 * attempts)
    return at_most("memory a finished attempt keeps", (more - few) / (2 * attempts), 1024, "bytes")


def took(one: Callable[[], Any], rounds: int = 5) -> float:
    """Milliseconds of wall time, the median of several rounds."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        one()
        times.append(time.perf_counter() - began)
    return 1000 * sorted(times)[len(times) // 2]


if __name__ == "__main__":
    sys.exit(main())
