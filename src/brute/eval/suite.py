"""Cases, an agent and a world, and the run of them."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import UsageError
from ..leaves import in_loop
from . import executors, places
from .arguments import Place, note, refuse_unknown, shown
from .attempt import Job
from .building import Builder
from .caps import Caps, Meter
from .case import Case
from .report import Report
from .reporters.protocol import Reporter
from .world import World

UNCHANGED: Any = object()
"""What leaves an argument as it is, where None means something."""

_ARGUMENTS = (
    "agent", "cases", "world", "jobs", "deadline", "unstubbed", "retries", "max_cost", "max_tokens", "max_seconds", "out", "name",
    "log", "executor", "memory",
)  # fmt: skip


class Suite:
    """Cases, an agent and a world.

    `agent` is the path of an agent file (found beside the file that makes the suite, or in the working folder),
    `package.module:factory`, or a function (sync or async) that builds an agent; it is built afresh for every attempt, and handed the
    attempt's world where it takes a parameter named `world`. `world` is a `World` class or factory (one for each attempt), or one `World` in
    which attempts take turns. At most `jobs` attempts run at a time. Each has `deadline` seconds. `unstubbed="refuse"` stops a turn at any
    call that has no stub. `executor` is how attempts are made: "local" side by side in this process, "serial" one after the other, "process" each
    in a process that may come to grief alone (docs/isolation.md), where it may take `memory` megabytes. An attempt at which a model call
    failed for a reason that may pass is made again, at most `retries` times. All attempts together spend at most `max_cost` US dollars,
    `max_tokens` and `max_seconds`. `out` is the text stream that `run` reports to (standard output; None for none is `io.StringIO()`).
    `log` is the path of the run log (`.brute/runs.db` in the working folder), None for none.

    Raises `UsageError` for whatever could not be meant.
    """

    report: Report | None

    def __init__(
        self,
        agent: Any = None,
        cases: Sequence[Case] = (),
        *,
        world: Any = World,
        jobs: int = 16,
        deadline: float = 600,
        unstubbed: str = "run",
        retries: int = 1,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        max_seconds: float | None = None,
        out: Any = None,
        name: str | None = None,
        log: Any = UNCHANGED,
        executor: str = "local",
        memory: int | None = None,
        **unknown: Any,
    ) -> None:
        refuse_unknown("Suite", unknown, _ARGUMENTS)
        if agent is None:
            raise UsageError('Suite needs an agent: Suite(agent="agent.py", cases=[...])')
        # Where another process finds the suite again: the names of the file that makes it.
        self.home: Mapping[str, Any] = sys._getframe(1).f_globals
        self.original = self
        caller = self.home.get("__file__")
        self.file = os.path.abspath(caller) if caller else None
        self.places: Mapping[str, Place] = {}
        self.builder = Builder(agent, os.path.dirname(self.file) if self.file else None)
        self.cases = _cases(cases)
        self.world = _world(world)
        self.jobs = _number("jobs", jobs, whole=True)
        self.deadline = _number("deadline", deadline, whole=False)
        if unstubbed not in ("run", "refuse"):
            raise UsageError(f'Suite: unstubbed must be "run" or "refuse", got {shown(unstubbed)}')
        self.unstubbed = unstubbed
        self.retries = _retries(retries)
        self.caps = Caps(cost=max_cost, tokens=max_tokens, seconds=max_seconds)
        self.meter: Meter | None = None
        if out is not None and not callable(getattr(out, "write", None)):
            raise UsageError(f"Suite: out must be a text stream, something with write(text), got {shown(out)}")
        self.executor = executors.known(executor)
        self.memory = None if memory is None else _number("memory", memory, whole=True)
        self.out = out
        if name is not None and not isinstance(name, str):
            raise UsageError(f"Suite: name must be a text, got {shown(name)}")
        self.name = name or ""
        self.log: Any = places.LOG if log is UNCHANGED else _log(log)
        self.fail_fast = False
        self.reporter: Reporter | None = None
        self.report = None
        self.cut: Callable[[], Report] | None = None
        note(self, sys._getframe(1))

    def configured(
        self,
        *,
        agent: Any = None,
        runs: int | None = None,
        jobs: int | None = None,
        deadline: float | None = None,
        only: Callable[[Case], bool] | None = None,
        fail_fast: bool = False,
        reporter: Reporter | None = None,
        name: str | None = None,
        log: Any = UNCHANGED,
        executor: str | None = None,
        meter: Meter | None = None,
        retries: int | None = None,
    ) -> Suite:
        """A copy with some of it changed, as the command line asks.

        `only` may choose no case at all; `meter` counts what the suite spends together with others.
        """
        suite = copy.copy(self)
        suite.report = None
        if agent is not None:
            suite.builder = Builder(agent)
        if runs is not None:
            import dataclasses

            suite.cases = tuple(dataclasses.replace(case, runs=runs) for case in suite.cases)
        if only is not None:
            suite.cases = tuple(filter(only, suite.cases))
        suite.jobs = suite.jobs if jobs is None else _number("jobs", jobs, whole=True)
        suite.deadline = suite.deadline if deadline is None else _number("deadline", deadline, whole=False)
        suite.executor = suite.executor if executor is None else executors.known(executor)
        suite.fail_fast = fail_fast
        suite.reporter = reporter
        suite.meter = meter or suite.meter
        suite.retries = suite.retries if retries is None else _retries(retries)
        suite.name = suite.name if name is None else name
        suite.log = suite.log if log is UNCHANGED else log
        return suite

    def plan(self) -> list[Job]:
        """Every attempt to be made, case by case."""
        return [Job(case, number) for case in self.cases for number in range(1, case.runs + 1)]

    def run(self) -> int:
        """Make every attempt and report; 0 when every case passed, else 1. Inside a running loop, `await suite.arun()`.

        Ctrl-C and SIGTERM raise `KeyboardInterrupt` when what was finished has been reported; a second one does so at once.
        """
        if in_loop():
            raise UsageError("run() was called inside a running event loop; write: await suite.arun()")
        from . import endings, leaving

        try:
            status: int = leaving.run(self.arun())
        except KeyboardInterrupt as interrupt:
            endings.expected(interrupt)
            # A second Ctrl-C ended the run where it stood.
            if self.report is None and self.cut is not None:
                self.report = self.cut()
            raise
        except UsageError as error:
            # Whoever wrote it needs the sentence, and not the way through our code to where it was found.
            endings.expected(error)
            raise error.with_traceback(None) from None
        return status

    async def arun(self) -> int:
        """Make every attempt and report; 0 when every case passed, else 1."""
        from .running import run

        reporter = self.reporter or self._reporter()
        await run(self, reporter)
        passed = self.report is not None and self.report.passed
        # A report that nobody could read is no good news.
        return 0 if passed and not getattr(reporter, "unwritten", None) else 1

    def _reporter(self) -> Reporter:
        from .reporters.terminal import terminal

        return terminal(sys.stdout if self.out is None else self.out)


def _cases(cases: Any) -> tuple[Case, ...]:
    if isinstance(cases, Case) or not hasattr(cases, "__iter__"):
        raise UsageError(f"Suite: cases must be a list of Cases, got {shown(cases)}")
    made = tuple(cases)
    if not made:
        raise UsageError("Suite: cases is empty, and a suite that runs nothing would pass")
    names: set[str] = set()
    for case in made:
        if not isinstance(case, Case):
            raise UsageError(f"Suite: cases must hold Cases, got {shown(case)}")
        if case.name in names:
            raise UsageError(f"Suite: two cases are called {shown(case.name)}")
        names.add(case.name)
    return made


def _world(world: Any) -> Any:
    if not isinstance(world, World) and not callable(world):
        raise UsageError(
            f"Suite: world must be a World, a World class or a function that makes one, got {shown(world)}"
        )
    if isinstance(world, type) and not issubclass(world, World):
        raise UsageError(f"Suite: world must be a subclass of World, got {world.__name__}")
    return world


def _log(log: Any) -> Any:
    if log is not None and not isinstance(log, (str, os.PathLike)):
        raise UsageError(f"Suite: log must be the path of the run log or None, got {shown(log)}")
    return log


def _number(name: str, value: Any, *, whole: bool) -> Any:
    right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not right or not 0 < value < float("inf"):
        raise UsageError(
            f"Suite: {name} must be {'a whole number >= 1' if whole else 'a number of seconds > 0'}, got {shown(value)}"
        )
    return value


def _retries(retries: Any) -> int:
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise UsageError(f"Suite: retries must be a whole number >= 0, got {shown(retries)}")
    return retries
