"""Suites that every executor can run, since all of what they are made of stands at the top level of a file."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import anyio

from brute import Agent, Message, ToolCall, Usage
from brute.eval import Budget, Case, Suite, World, in_turn
from tests.support.agents import build, tool


async def search(**arguments: Any) -> Any:
    """What was asked for, once more."""
    return {"found": arguments, "set": [1, 2]}


def breaks(**arguments: Any) -> Any:
    """Nothing: it breaks."""
    raise KeyError("id")


async def waits(**arguments: Any) -> None:
    """Nothing, ever."""
    await anyio.sleep_forever()


TOOLS = [tool(search), tool(breaks), tool(waits)]


async def obedient() -> Agent:
    """An agent that does what it is told: its said is a list of tools to call, one batch an iteration, and what it replies last."""

    async def model(env: Any) -> Message:
        told = json.loads(env.messages[0].content)
        step = sum(message.role == "assistant" for message in env.messages)
        batches = told.get("calls", [])
        usage = Usage(input=10, output=1)
        if step < len(batches):
            calls = tuple(
                ToolCall(name=name, arguments=arguments, id=f"{step}.{index}")
                for index, (name, arguments) in enumerate(batches[step])
            )
            return Message(role="assistant", tool_calls=calls, usage=usage)
        if told.get("raises"):
            raise ValueError(told["raises"])
        return Message(role="assistant", content=told.get("reply", "done"), usage=usage)

    return build(model, TOOLS)


def says(reply: str = "done", *batches: list[Any], **more: Any) -> str:
    """What such an agent is told."""
    return json.dumps({"reply": reply, "calls": batches, **more})


def odd(transcript: Any) -> Any:
    """A check that crashes."""
    raise RuntimeError("odd")


def wordy(transcript: Any) -> str:
    """A check that says something."""
    return f"called {len(transcript.calls)} tools"


def canned(**arguments: Any) -> str:
    """A stub that is a function."""
    return f"canned {sorted(arguments)}"


SEARCH = [["search", {"query": "bank rate", "n": 3}]]
MIXED = Suite(
    obedient,
    [
        Case("replies", said=says(), runs=2),
        Case("calls", said=says("4.25", SEARCH), calls={"search": {"query": re.compile("bank")}}, mentions=["4.25"]),
        Case("never calls", said=says(), calls={"search": {}}),
        Case("forbidden", said=says("done", SEARCH, SEARCH), never=["search"]),
        Case("stubbed", said=says("done", SEARCH), stubs={"search": {"rate": 4.25}}, budget=Budget(iterations=1)),
        Case(
            "stubbed in turn", said=says("done", SEARCH, SEARCH, SEARCH), stubs={"search": in_turn("a", canned, None)}
        ),
        Case("a stub that raises", said=says("done", SEARCH), stubs={"search": OSError("disk")}),
        Case("a stub of no tool", said=says(), stubs={"serch": 1}),
        Case("a tool that breaks", said=says("done", [["breaks", {}], *SEARCH]), order=["breaks", "search"]),
        Case("no such tool", said=says("done", [["zzz", {}]]), calls={"zzz": {}}),
        Case("malformed", said=says("done", [["search", "{oh"]]), calls={"search": {"query": "x"}}),
        Case("raises", said=says(raises="oh no", calls=[]), mentions=["done"]),
        Case("silent", said=says(""), silent=True),
        Case("talks", said=says("hello \x1b[31m é \ud800"), silent=True),
        Case("a check that crashes", said=says(), check=odd),
        Case("a check with words", said=says("done", SEARCH), check=wordy),
        Case("too many calls", said=says("done", SEARCH * 3), budget=Budget(tool_calls=1)),
        Case("too slow", said=says("done", [["waits", {}]]), budget=Budget(seconds=0.1)),
        Case("hangs", said=says("done", [*SEARCH, ["waits", {}]])),
        Case("files", said=says(), files={"a/b.txt": b"x"}, conversation=[Message(role="user", content="{}")]),
    ],
    deadline=1,
    jobs=4,
)

SOME = Suite(
    obedient,
    [Case(name, said=says("good" if name != "bad" else "no"), mentions=["good"]) for name in ("a", "bad", "c")],
    jobs=1,
)


class Leaves(World):
    """A world that leaves a mark in the folder of marks when it begins and when it is closed."""

    def prepare(self, case: Case) -> Any:
        """Leave a mark."""
        self.name = case.name
        self.mark("begun")
        return super().prepare(case)

    async def close(self) -> None:
        """Leave the mark."""
        self.mark("closed")

    def mark(self, what: str) -> None:
        """Leave a mark."""
        (Path(os.environ["MARKS"]) / f"{self.name}: {what}").touch()


FOREVER = Suite(
    obedient,
    [Case("quick", said=says()), Case("waits", said=says("x", [["waits", {}]])), Case("later", said=says())],
    world=Leaves,
)


class Room(World):
    """A room that remembers who came."""

    def prepare(self, case: Case) -> Any:
        """One more."""
        self.inbox.append(case.name)
        return super().prepare(case)


async def counting(world: Any) -> Agent:
    """An agent that says how many have come into its world."""

    async def model(env: Any) -> str:
        return str(len(world.inbox))

    return build(model)


SHARED = Suite(counting, [Case(str(n), said="hello", mentions=[str(n)]) for n in (1, 2, 3)], world=Room(), jobs=4)


async def nothing() -> None:
    """No agent."""


UNFIT = Suite(nothing, [Case("a", said="x"), Case("b", said="x")])


async def named() -> Agent:
    """An agent that says in which process it runs."""
    return build(lambda env: str(os.getpid()))


PIDS = Suite(named, [Case("a", said="x", runs=5)])

CAPPED = Suite(obedient, [Case("a", said=says("x", SEARCH, SEARCH, [["waits", {}]]))], max_tokens=30)
