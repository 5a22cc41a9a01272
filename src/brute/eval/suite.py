"""Cases, an agent and a world, and the run of them."""

from __future__ import annotations

import copy
import dataclasses
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import UsageError
from ..leaves import in_loop
from . import executors, places, suitecheck
from .arguments import Place, note, refuse_unknown, shown
from .attempt import Job
from .building import Builder
from .caps import Caps, Meter
from .case import Case
from .cassettes import sides
from .faults import Faults
from .report import Report
from .reporters.protocol import Reporter
from .world import World

UNCHANGED: Any = object()
"""What leaves an argument as it is, where None means something."""

ARGUMENTS = (
    "agent", "cases", "world", "jobs", "deadline", "unstubbed", "faults", "retries", "max_cost", "max_tokens", "max_seconds", "out", "name",
    "log", "executor", "memory", "record", "replay", "judge", "votes",
)  # fmt: skip
"""What a suite takes."""

OF_CASE = tuple(field.name for field in dataclasses.fields(Case) if field.name != "name")
"""What belongs to a case, and is often looked for here."""


class Suite:
    """Cases, an agent and a world.

    `agent` is the path of an agent file (found beside the file that makes the suite, or in the working folder),
    `package.module:factory`, or a function (sync or async) that builds an agent; it is built afresh for every attempt, and handed the
    attempt's world where it takes a parameter named `world`. `world` is a `World` class or factory (one for each attempt), or one `World` in
    which attempts take turns. At most `jobs` attempts run at a time. Each has `deadline` seconds. `unstubbed="refuse"` stops a turn at any
    call that has no stub; `faults` makes calls to tools fail (`Faults`). `executor` is how attempts are made: "local" side by side in this process, "serial" one after the other, "process" each
    in a process that may come to grief alone (docs/isolation.md), where it may take `memory` megabytes. An attempt at which a model call
    failed for a reason that may pass is made again, at most `retries` times. All attempts together spend at most `max_cost` US dollars,
    `max_tokens` and `max_seconds`. `out` is the text stream that `run` reports to (standard output; None for none is `io.StringIO()`).
    `judge` is the completion, or the `provider:model`, that is asked about the rubrics of cases that have some, `votes` times each.
    `log` is the path of the run log (`.brute/runs.db` in the working folder), None for none. `record` keeps what models and tools answer in
    cassettes beside the file that makes the suite, `replay` answers from them (True for both sides, or "model" or "tools"; docs/replay.md).

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
        faults: Faults | None = None,
        retries: int = 1,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        max_seconds: float | None = None,
        out: Any = None,
        name: str | None = None,
        log: Any = UNCHANGED,
        executor: str = "local",
        memory: int | None = None,
        record: bool | str | None = None,
        replay: bool | str | None = None,
        judge: Any = None,
        votes: int = 1,
        **unknown: Any,
    ) -> None:
        refuse_unknown("Suite", unknown, ARGUMENTS, OF_CASE)
        if agent is None:
            raise UsageError('Suite needs an agent: Suite(agent="agent.py", cases=[...])')
        # Where another process finds the suite again: the names of the file that makes it.
        self.home: Mapping[str, Any] = sys._getframe(1).f_globals
        self.original = self
        caller = self.home.get("__file__")
        self.file = os.path.abspath(caller) if caller else None
        self.places: Mapping[str, Place] = {}
        self.builder = Builder(agent, os.path.dirname(self.file) if self.file else None)
        self.cases = suitecheck.cases(cases)
        self.world = suitecheck.world(world)
        self.jobs = suitecheck.number("jobs", jobs, whole=True)
        self.deadline = suitecheck.number("deadline", deadline, whole=False)
        self.unstubbed = suitecheck.unstubbed(unstubbed)
        self.faults = suitecheck.faults(faults)
        self.retries = suitecheck.retries(retries)
        self.judge = suitecheck.judge(judge)
        self.votes = suitecheck.number("votes", votes, whole=True)
        self.caps = Caps(cost=max_cost, tokens=max_tokens, seconds=max_seconds)
        self.meter: Meter | None = None
        self.executor = executors.known(executor)
        self.memory = None if memory is None else suitecheck.number("memory", memory, whole=True)
        self.out = suitecheck.out(out)
        if name is not None and not isinstance(name, str):
            raise UsageError(f"Suite: name must be a text, got {shown(name)}")
        self.name = name or ""
        self.log: Any = places.LOG if log is UNCHANGED else suitecheck.log(log)
        self.record, self.replay = sides.both(record, replay)
        self.fail_fast = False
        self.reporter: Reporter | None = None
        self.report = None
        self.cut: Callable[[], Report] | None = None
        self._telling: Reporter | None = None
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
        memory: int | None = None,
        meter: Meter | None = None,
        retries: int | None = None,
        record: bool | str | None = None,
        replay: bool | str | None = None,
        judge: Any = None,
        votes: int | None = None,
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
        suite.jobs = suite.jobs if jobs is None else suitecheck.number("jobs", jobs, whole=True)
        suite.deadline = suite.deadline if deadline is None else suitecheck.number("deadline", deadline, whole=False)
        suite.executor = suite.executor if executor is None else executors.known(executor)
        suite.memory = suite.memory if memory is None else suitecheck.number("memory", memory, whole=True)
        suite.fail_fast = fail_fast
        suite.reporter = reporter
        suite.meter = meter or suite.meter
        suite.retries = suite.retries if retries is None else suitecheck.retries(retries)
        if record or replay:
            suite.record, suite.replay = sides.both(record, replay)
        suite.judge = suite.judge if judge is None else suitecheck.judge(judge)
        suite.votes = suite.votes if votes is None else suitecheck.number("votes", votes, whole=True)
        suite.name = suite.name if name is None else name
        suite.log = suite.log if log is UNCHANGED else log
        return suite

    def deck(self) -> Any:
        """The cassettes that the suite is recorded in, or replayed from; None where it is neither."""
        if not (self.record or self.replay):
            return None
        from .cassettes.decks import deck_of

        return deck_of(self)

    def plan(self) -> list[Job]:
        """Every attempt to be made, case by case."""
        return [Job(case, number) for case in self.cases for number in range(1, case.runs + 1)]

    def run(self) -> int:
        """Make every attempt and report; 0 when every case passed, else 1. Inside a running loop, `await suite.arun()`.

        Ctrl-C and SIGTERM raise `KeyboardInterrupt` when what was finished has been reported; a second one does so at once. Code of the
        agent's that ends this process ends the run: what was finished is reported, and `SystemExit` raised, never with 0.
        """
        if in_loop():
            raise UsageError("run() was called inside a running event loop; write: await suite.arun()")
        from . import ending, leaving

        with ending.guarded('executor="process"'):
            return self._run(leaving.run, ending.gone)

    def _run(self, run: Callable[[Any], int], gone: Callable[[], SystemExit | None]) -> int:
        from .scripts import expected

        reporter = self._telling = self.reporter or self._reporter()
        try:
            return run(self.arun())
        except KeyboardInterrupt as interrupt:
            expected(interrupt)
            # A second Ctrl-C ended the run where it stood, or the agent wanted the process to end.
            if self.report is None and self.cut is not None:
                self.report = self.cut()
            taken = gone()
            if taken is None:
                raise
            if self.report is not None:
                reporter.finished(self.report)
            raise taken from None
        except UsageError as error:
            # Whoever wrote it needs the sentence, and not the way through our code to where it was found.
            expected(error)
            raise error.with_traceback(None) from None

    async def arun(self) -> int:
        """Make every attempt and report; 0 when every case passed, else 1."""
        from .running import run

        reporter, self._telling = self._telling or self.reporter or self._reporter(), None
        await run(self, reporter)
        passed = self.report is not None and self.report.passed
        # A report that nobody could read is no good news.
        return 0 if passed and not getattr(reporter, "unwritten", None) else 1

    def _reporter(self) -> Reporter:
        from .reporters.terminal import terminal

        return terminal(sys.stdout if self.out is None else self.out)
