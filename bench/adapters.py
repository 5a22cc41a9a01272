"""What observing and stubbing costs: each framework's scripted turns, bare, and as the harness watches and stubs them.

Only the frameworks that are installed here are measured; `python3 dev.py frameworks bench` measures each in its own environment.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from tests.support.frameworks import Kit, installed

from bench.side import compared, interleaved
from brute.eval import Budget
from brute.eval.adapters import adapt
from brute.eval.guarding import Guard
from brute.eval.observer import Observer
from brute.eval.stubs import Stubs
from brute.eval.subject import keep_watch
from brute.eval.transcript import Transcript

TURNS = 60
PLAN = [[("search", {"query": "bank"})], [("search", {"query": "rate"}), ("lookup", {"word": "rate"})], "it held"]
STUBS = {"search": "The Bank held its rate at 4.25%.", "lookup": "what money costs"}
GOAL = 1.10


async def watched(kit: Kit, agent: Any) -> None:
    """One turn as an attempt runs it: observed, stubbed, guarded."""
    subject = adapt(agent)
    observer = Observer(Transcript(), Budget())
    guard = Guard(STUBS, subject.tools, refuse=False)
    first = [*observer.watch_first(subject, guard.forbids), ("before_llm", guard.learn), ("before_tool", guard.seal)]
    keep_watch(subject, first, first=True)
    Stubs(STUBS).install(subject)
    keep_watch(subject, [*observer.watch_last(), ("approve_tool", guard)], first=False)
    await subject.start("what did the Bank do?")
    observer.seal()
    assert [call.outcome for call in observer.transcript.calls] == ["stubbed"] * 3
    assert observer.transcript.reply == "it held"


async def bare(kit: Kit, agent: Any) -> None:
    """One turn as the framework's user runs it, with the tools' own (empty) bodies."""
    await kit.run(agent, "what did the Bank do?")


def measured(kit: Kit, turns: int, rounds: int) -> bool:
    """Print the framework's figures; whether the goal is reached."""

    def run(turn: Any) -> None:
        async def go() -> None:
            for _ in range(turns):
                await turn(kit, kit.agent(PLAN))

        asyncio.run(go())

    found = interleaved(lambda: run(watched), lambda: run(bare), rounds)
    return compared(f"{kit.name}, CPU a turn", found, turns, GOAL, name="bare")


def main(turns: int = TURNS, rounds: int = 25) -> int:
    """Print the figures; 1 where the goal is missed, or nothing was there to be measured."""
    kits = installed()
    if not kits:
        print("not measured: no framework is installed here; python3 dev.py frameworks bench")
        return 1
    reached = [measured(kit, turns, rounds) for kit in kits]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
