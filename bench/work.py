"""The work of one attempt, the same everywhere: two model calls, one stubbed tool call, two expectations."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import brute
from brute import Message, ToolCall, Usage
from brute.eval import Case, Suite
from brute.middleware import SystemPrompt, ToolLoop, Tools
from brute.testing import Script

RATE = re.compile("bank|rate", re.I)
SYSTEM = "Answer in one sentence."
SAID = "what did the Bank of England do yesterday?"
NEWS = "The Bank of England held Bank Rate at 4.25 per cent."
ASKS = Message(
    role="assistant",
    tool_calls=(ToolCall(id="call_1", name="search", arguments={"query": "Bank of England rate"}),),
    usage=Usage(input=50, output=12),
)
ANSWERS = Message(role="assistant", content="It held Bank Rate at 4.25%.", usage=Usage(input=90, output=14))


async def search(query: str) -> str:
    """Search the news."""
    raise RuntimeError(f"the tool ran for {query}")


SEARCH = brute.Tool(
    name="search",
    description="Search the news.",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    function=search,
)


def scripted() -> brute.Agent:
    """A fresh agent with a scripted model."""
    stack = brute.agent().use(SystemPrompt, SYSTEM).use(ToolLoop).use(Tools, [SEARCH])
    return stack.run(Script([ASKS, ANSWERS]))


def case(runs: int = 1, name: str = "searches for what it cannot know") -> Case:
    """The case, to be attempted `runs` times."""
    return Case(
        name,
        said=SAID,
        stubs={"search": NEWS},
        calls={"search": {"query": RATE}},
        mentions=["4.25"],
        runs=runs,
    )


class Quiet:
    """A reporter that says nothing, and notes when the first attempt was told."""

    def __init__(self) -> None:
        self.made = time.perf_counter()
        self.first: float | None = None
        self.count = 0

    def started(self, *_: Any) -> None:
        """Nothing."""

    began = finished = started

    def attempted(self, _: Any) -> None:
        """Count the attempt."""
        self.count += 1
        if self.first is None:
            self.first = time.perf_counter()

    @property
    def soon(self) -> float:
        """Milliseconds from the making of the suite to its first result."""
        assert self.first is not None
        return 1000 * (self.first - self.made)


def suite(agent: Any, cases: int | Sequence[Case], **more: Any) -> Suite:
    """A quiet suite of the one case in so many attempts, or of these cases; it keeps no log unless it is given one."""
    reporter = Quiet()
    made = Suite(agent, [case(cases)] if isinstance(cases, int) else cases, **{"log": None, **more})
    made.reporter = reporter
    return made


def must_pass(made: Suite) -> None:
    """Run the suite; every attempt must pass, or the figures would mean nothing."""
    _passed(made, made.run())


async def must_pass_here(made: Suite) -> None:
    """Run the suite on the running loop; every attempt must pass."""
    _passed(made, await made.arun())


def _passed(made: Suite, status: int) -> None:
    assert status == 0, next(a.verdict.sentences for a in made.report.attempts if not a.passed)
