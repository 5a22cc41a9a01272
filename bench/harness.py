"""The harness's own CPU an attempt, beside a bare asyncio task with a timeout that does the same calls and check."""

from __future__ import annotations

import asyncio
import contextvars
import json
import sys
import tempfile
from collections.abc import Sequence

from bench.side import at_most, compared, interleaved
from bench.work import ANSWERS, ASKS, NEWS, RATE, must_pass, scripted, suite

ATTEMPTS = 5000
WIDTH = 64


async def bare(attempts: int) -> None:
    """The floor: tasks with a timeout and a context each, `WIDTH` at a time, that play the same script, look at the same things and
    keep a record (one line of JSON, flushed).
    """

    async def model(messages: list[dict[str, object]]) -> dict[str, object]:
        said = ANSWERS if messages[-1]["role"] == "tool" else ASKS
        calls = [[call.id, call.name, call.arguments] for call in said.tool_calls]
        return {"role": said.role, "content": said.content, "calls": calls}

    current: contextvars.ContextVar[object] = contextvars.ContextVar("current")

    async def turn() -> tuple[list[dict[str, object]], bool]:
        messages: list[dict[str, object]] = [{"role": "user", "content": "what did the Bank of England do yesterday?"}]
        calls: list[tuple[str, object]] = []
        while True:
            said = await model(messages)
            messages.append(said)
            if not said["calls"]:
                break
            for call in ASKS.tool_calls:
                calls.append((call.name, call.arguments))
                messages.append({"role": "tool", "content": NEWS})
        asked = any(name == "search" and RATE.search(str(arguments["query"])) for name, arguments in calls)  # type: ignore[index]
        return messages, asked and "4.25" in str(messages[-1]["content"])

    async def attempt() -> None:
        current.set(object())
        async with asyncio.timeout(600):
            messages, passed = await turn()
        assert passed
        log.write(
            json.dumps({"passed": passed, "messages": messages, "calls": [["search", NEWS]]}, default=vars) + "\n"
        )
        log.flush()

    left = iter(range(attempts))

    async def worker() -> None:
        for _ in left:
            await asyncio.create_task(attempt())

    with tempfile.TemporaryFile("w") as log:
        async with asyncio.TaskGroup() as group:
            for _ in range(WIDTH):
                group.create_task(worker())


async def fresh() -> object:
    """A factory that is async, so that no thread is needed to keep it from blocking the loop."""
    return scripted()


def main(attempts: int = ATTEMPTS, counts: Sequence[int] = (50, 5000), rounds: int = 5) -> int:
    """Print the figures; 1 where a goal is missed."""
    found = interleaved(
        lambda: must_pass(suite(fresh, attempts, jobs=WIDTH)), lambda: asyncio.run(bare(attempts)), rounds
    )
    threaded = interleaved(lambda: must_pass(suite(scripted, attempts, jobs=WIDTH)), lambda: None, min(rounds, 3))
    ours, plain = (1000 * side.one / attempts for side in (found, threaded))
    reached = [
        at_most("CPU an attempt", ours, 0.3, "ms"),
        compared("CPU an attempt", found, attempts, 8),
        at_most("CPU an attempt, the factory sync (called in place once it proved quick)", plain, 0.4, "ms"),
    ]
    for count in counts:
        made = suite(fresh, count, jobs=WIDTH)
        must_pass(made)
        reached.append(at_most(f"first result of {count}", made.reporter.soon, 50, "ms"))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
