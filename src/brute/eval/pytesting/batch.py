"""The attempts of several items, made side by side."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from .. import ending, leaving, remarks
from ..abreast import Abreast
from ..attempt import Attempt, Job
from ..cli.keeping import place
from ..keeping import Log
from ..report import CaseResult, Report, joined
from ..runlog import Recording, RunLog
from ..suite import Suite
from ..transcript import Transcript
from ..verdict import Failure, Verdict
from ..wording import visible
from .outcomes import ProcessLeft
from .progress import Progress
from .share import may_fail, width, worker

if TYPE_CHECKING:
    from .collecting import EvalItem
    from .evals import Evals

_CANCELLED = "an agent cancelled every task of the loop, the run's own too"


class Batch:
    """Items whose attempts are made together, under one number of attempts at a time; `results` are those that came to an end.

    Under `-x` (`--maxfail`) it ends where pytest would: nothing that stands behind the last failure that pytest will look at is begun any more,
    and what stands before it is finished.
    """

    def __init__(self, items: Sequence[EvalItem], evals: Evals) -> None:
        self.items = list(items)
        self.config = evals.config
        self.results: dict[EvalItem, CaseResult] = {}
        self.notes: list[str] = []
        self.report: Report | None = None
        self._suites = self._configured(evals)
        self._items = {(self._suites[item.suite].name, item.case.name): item for item in self.items}
        self._at = {item: at for at, item in enumerate(self.items)}
        self._open = {item: self._runs(item) for item in self.items}
        self._failed: list[EvalItem] = []
        self._left = _failures_left(self.items[0])
        self._interrupted = False
        self.gone: ending.Gone | None = None
        self._underway: Counter[EvalItem] = Counter()
        jobs = self.config.getoption("brute_jobs") or max(suite.jobs for suite in self._suites.values())
        self._progress = Progress(self.config, [*self._suites.values()])
        self._abreast = Abreast(list(self._suites.values()), self, width=width(self.config, jobs), needed=self._needed)

    def _configured(self, evals: Evals) -> dict[Suite, Suite]:
        """Each suite of the items, with the cases that are among them alone, as the options say."""
        wanted: dict[Suite, set[str]] = {}
        for item in self.items:
            wanted.setdefault(item.suite, set()).add(item.case.name)
        option = self.config.getoption
        return {
            suite: suite.configured(
                only=lambda case, names=names: case.name in names,  # type: ignore[misc]
                runs=option("brute_runs"),
                jobs=option("brute_jobs"),
                executor="process" if option("brute_isolate") else None,
                judge=option("brute_judge"),
                votes=option("brute_votes"),
                name=evals.name(suite),
            )
            for suite, names in wanted.items()
        }

    def _runs(self, item: EvalItem) -> int:
        return self.config.getoption("brute_runs") or item.case.runs

    def run(self) -> None:
        """Make the attempts. `KeyboardInterrupt` is raised when what was finished by then is in the results.

        So is `ProcessLeft`, where code of an agent's wanted this process to end. In a worker of xdist's nothing is: what was underway then has no
        verdict, and is a result all the same, and the worker goes on with the rest, as another would that took the place of a dead one.
        """
        recording = self._recording()
        try:
            failure = _fetched()
            if failure is None:
                failure = self._run()
            self._collect(failure)
        finally:
            self._progress.end(self.report)
            self._end(recording)
        if self.gone is not None:
            if worker(self.config) is None or not self.results:
                raise ProcessLeft(self.gone.sentence)
        elif self._interrupted:
            raise KeyboardInterrupt

    def _run(self) -> Failure | None:
        """Run it; why what has no result is not graded, where an agent ended the run."""
        with ending.guarded("--brute-isolate"):
            try:
                leaving.run(self._abreast.go())
            except KeyboardInterrupt:
                self._interrupted = True
                self.gone = ending.gone()
                ending.spare()
            except asyncio.CancelledError:
                return Failure("cancelled", remarks.not_finished(_CANCELLED))
        return None

    def _collect(self, failure: Failure | None) -> None:
        made: dict[EvalItem, list[Attempt]] = {item: [] for item in self.items}
        reports = [suite.report or (suite.cut() if suite.cut else Report()) for suite in self._suites.values()]
        for attempt in (attempt for report in reports for attempt in report.attempts):
            made[self._item(attempt)].append(attempt)
        end = self._horizon()
        for item, attempts in made.items():
            refused = self._abreast.refused.get(self._suites[item.suite])
            why = Failure("error.build", str(refused)) if refused is not None else failure
            if self._taken_along(item) and self.gone is not None:
                why = Failure("cancelled", remarks.not_finished(self.gone.sentence))
            result = self._result(item, attempts, why)
            # What was not finished because nobody waits for it any more has no result.
            unasked = self._interrupted or (end is not None and self._at[item] > end)
            if result.status != "cancelled" or not unasked or self._taken_along(item):
                self.results[item] = result
        self.report = self._reported(reports)

    def _taken_along(self, item: EvalItem) -> bool:
        """Whether the item was underway when an agent ended the run, in a worker, which goes on without it."""
        return self.gone is not None and worker(self.config) is not None and self._underway[item] > 0

    def _result(self, item: EvalItem, attempts: Sequence[Attempt], why: Failure | None) -> CaseResult:
        """What the attempts come to. Those that were not made are no passes: `why` says what is the matter, if that is known."""
        ended = [attempt for attempt in attempts if attempt.status != "cancelled" or why is None]
        if len(ended) < self._runs(item):
            why = why or Failure("cancelled", remarks.not_finished(remarks.ENDED))
            ended.append(_ungraded(item, why))
        return CaseResult(item.case, self._suites[item.suite].name, tuple(ended))

    def _reported(self, reports: Sequence[Report]) -> Report:
        report = joined(reports)
        gone = (self.gone.sentence,) if self.gone is not None else ()
        notes = (*report.notes, *self._abreast.notes, *gone)
        self.notes += notes
        seconds = max(each.seconds for each in reports)
        return dataclasses.replace(report, seconds=seconds, interrupted=self._interrupted, notes=notes)

    def _recording(self) -> Recording | None:
        """The run in the log that the options, or one of the suites, name."""
        given = self.config.getoption("brute_log")
        path = place(list(self._suites.values()), given)
        command = ["pytest", *map(str, self.config.invocation_params.args)]
        recording = RunLog(path).begin(command) if path is not None else None
        for suite in self._suites.values():
            kept = recording is not None and (given is not None or suite.log is not None)
            suite.log = Log(recording) if kept and recording is not None else None
        return recording

    def _end(self, recording: Recording | None) -> None:
        if recording is None:
            return
        if self.report is None:
            recording.close()
        elif len(self._abreast.refused) == len(self._suites):
            # Nothing ran: a slip in a file is no run.
            recording.forget()
        else:
            recording.end(self.report)
        self.notes += recording.notes

    def _item(self, attempt: Attempt) -> EvalItem:
        return self._items[attempt.suite, attempt.case.name]

    # What decides how long it goes on.

    def _needed(self, suite: Suite, job: Job) -> bool:
        """Whether pytest will ask for what the attempt comes to."""
        item, end = self._items[suite.name, job.case.name], self._horizon()
        needed = end is None or self._at[item] < end
        # What is needed begins now.
        self._underway[item] += needed
        return needed

    def _horizon(self) -> int | None:
        """The place of the item at which pytest will stop, where that is known."""
        if self._left is None or len(self._failed) < self._left:
            return None
        return sorted(self._at[item] for item in self._failed)[self._left - 1]

    # The reporter of all the runs.

    def started(self, plan: Sequence[Job], jobs: int, suite: str) -> None:
        """Nothing: pytest has said what is selected."""

    def began(self, job: Job) -> None:
        """Nothing."""

    def attempted(self, attempt: Attempt) -> None:
        """Note that the attempt has ended, and stop when what pytest will ask for is there."""
        self._progress.attempted(attempt)
        item = self._item(attempt)
        self._open[item] -= 1
        self._underway[item] -= 1
        if not attempt.passed and item not in self._failed and not may_fail(item):
            self._failed.append(item)
        end = self._horizon()
        if end is not None and not any(self._open[each] for each in self.items[:end]):
            self._abreast.stop(f"stopped where pytest does ({visible(self.items[end].case.name)})")

    def finished(self, report: Report) -> None:
        """Nothing: each suite has its report."""


def _failures_left(item: EvalItem) -> int | None:
    """How many more failures pytest will take; None for any number."""
    most = int(item.config.getoption("maxfail", 0) or 0)
    return max(1, most - item.session.testsfailed) if most else None


def _fetched() -> Failure | None:
    """Fetch the embedded models that agents were loaded with, before any clock runs; why that can't be done."""
    embedded: Any = sys.modules.get("brute.completion.embedded")
    try:
        if embedded is not None:
            embedded.fetch_all()
    except ModelError as error:
        return Failure("error.model", str(error))
    return None


def _ungraded(item: EvalItem, why: Failure) -> Attempt:
    status = Verdict((why,)).status
    return Attempt(item.case, item.case.runs, status, Verdict((why,)), Transcript(said=item.case.said))
