"""Agents to be tested, the tools that they have, and how one attempt at one case is run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import brute
from brute import Agent, Message, Tool, ToolCall, Usage
from brute.eval import Attempt, Case, Job, Suite, World, leaving
from brute.eval.adapters import adapt
from brute.eval.building import Builder
from brute.eval.report import Report
from brute.eval.runner import Runner
from brute.middleware import ToolLoop, Tools
from brute.testing import Script

Call = str | tuple[str, Mapping[str, Any] | str | None]
_ids = itertools.count(1)


def asks(*calls: Call, usage: Usage | None = None) -> Message:
    """A reply that asks for tools: names, or names with arguments."""
    pairs = [(call, {}) if isinstance(call, str) else call for call in calls]
    made = tuple(ToolCall(id=f"call_{next(_ids)}", name=name, arguments=arguments) for name, arguments in pairs)
    return Message(role="assistant", tool_calls=made, usage=usage)


class Live:
    """A tool that remembers each time it ran for real."""

    def __init__(self, name: str = "search", answer: Any = "live", parameters: Mapping[str, Any] | None = None) -> None:
        self.ran: list[dict[str, Any]] = []
        self.answer = answer
        self.tool = Tool(name=name, description=name, parameters=parameters or {}, function=self._run)

    async def _run(self, **arguments: Any) -> Any:
        self.ran.append(arguments)
        return self.answer


def tool(function: Callable[..., Any]) -> Tool:
    """A tool of a function, that takes any arguments."""
    return Tool(name=function.__name__, description="", parameters={}, function=function)


def build(
    replies: Iterable[Any] | Callable[[Any], Any], tools: Sequence[Any] = (), layers: Sequence[Any] = ()
) -> Agent:
    """An agent with a loop, extra layers above the tools, and a model that plays the replies (or is the function given)."""
    stack = brute.agent().use(ToolLoop)
    for layer in layers:
        stack.use(layer)
    return stack.use(Tools, list(tools)).run(replies if callable(replies) else Script(replies))


def makes(
    *replies: Any,
    tools: Sequence[Any] = (),
    layers: Sequence[Any] = (),
    on: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Callable[[], Any]:
    """A factory of such agents, with the agent's own subscribers `on` events."""

    async def factory() -> Agent:
        made = build(replies, tools, layers)
        for event, subscriber in (on or {}).items():
            made.on(event, subscriber)
        return made

    return factory


def speaks(
    completion: Callable[[Any], Any], tools: Sequence[Any] = (), layers: Sequence[Any] = ()
) -> Callable[[], Any]:
    """A factory of agents whose model is a function of the env."""

    async def factory() -> Agent:
        return build(completion, tools, layers)

    return factory


def attempt(make: Any, case: Case | None = None, **options: Any) -> Attempt:
    """One attempt at the case (one that asks for nothing but a reply), by a runner of its own."""
    return attempts(make, [case or Case("answers", said="hello")], **options)[0]


def attempts(make: Any, cases: Sequence[Case], **options: Any) -> list[Attempt]:
    """An attempt at each case, one after the other, by one runner."""
    named = {"world": World, "deadline": 5.0, "unstubbed": "run", **options}
    runner = Runner(Builder(make), adapt, named.pop("world"), **named)

    async def each() -> list[Attempt]:
        return [await runner.attempt(Job(case)) for case in cases]

    made: list[Attempt] = leaving.run(each())
    return made


class Quiet:
    """A reporter that remembers what it was told, as (what, about)."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def started(self, plan: Any, jobs: int, suite: str) -> None:
        """Remember it."""
        self.told.append(("started", jobs))

    def began(self, job: Any) -> None:
        """Remember it."""
        self.told.append(("began", job))

    def attempted(self, attempt: Any) -> None:
        """Remember it."""
        self.told.append(("attempted", attempt))

    def finished(self, report: Any) -> None:
        """Remember it."""
        self.told.append(("finished", report))

    def close(self) -> None:
        """Nothing."""


def quiet(make: Any, cases: Sequence[Case], **options: Any) -> Suite:
    """A suite that reports to a `Quiet`."""
    suite = Suite(make, cases, **options)
    suite.reporter = Quiet()
    return suite


def report(make: Any, cases: Sequence[Case], **options: Any) -> Report:
    """The report of such a suite, run."""
    suite = quiet(make, cases, **options)
    suite.run()
    assert suite.report is not None
    return suite.report


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """The seconds that it shows."""
        return self.now
