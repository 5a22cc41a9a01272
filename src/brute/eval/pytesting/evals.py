"""The evals of one pytest session: what is collected, and each item's result when pytest asks for it."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..casefiles import ENDINGS
from ..cli.finding import PATTERNS
from ..masking import masked
from ..report import CaseResult, Report, joined
from ..reporters.inert import inert
from ..reporters.summary import totals
from ..suite import Suite
from ..wording import plural
from .batch import Batch
from .collecting import EvalFile, EvalItem
from .outcomes import CaseUngraded, ProcessLeft
from .share import dist, share, worker


class Evals:
    """The rest of the plugin, for a session that asks for evals.

    The attempts of all selected items are made when the first of them is set up, and each item is handed its own: pytest orders, selects,
    counts and reports them as it does tests.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.suites: list[tuple[str, Suite]] = []
        self.batches: list[Batch] = []
        self.results: dict[EvalItem, CaseResult] = {}
        self.notes: list[str] = []
        self._asked: set[EvalItem] = set()

    def offered(self, file: str, suite: Suite) -> None:
        """Know a suite of an eval file: one among several is named in the run log by its file."""
        self.suites.append((file, suite))

    def name(self, suite: Suite) -> str:
        """The name that the suite's cases stand under in the run log, as of `brute eval`."""
        file = next(file for file, each in self.suites if each is suite)
        names = [each.name or other for other, each in self.suites]
        name = suite.name or file
        return suite.name if len(names) == 1 else name if names.count(name) == 1 else f"{file}:{name}"

    def result(self, item: EvalItem) -> CaseResult:
        """The item's result; its attempts, and those of all selected items that have none yet, are made if need be."""
        while item not in self.results:
            items = [each for each in share(item) if each is item or not (each in self._asked or each in self.results)]
            batch = Batch(items, self)
            self.batches.append(batch)
            try:
                batch.run()
            finally:
                self.results |= batch.results
                self.notes += batch.notes
            if item not in self.results and batch.gone is None:
                raise KeyboardInterrupt
        self._asked.add(item)
        return self.results.pop(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """An eval file; it is a module of tests too only where `python_files` says so, and not for being named on the command line.

        A file of cases is one only where it is named: in a folder, an eval file beside it may be the one that loads it.
        """
        found = yield
        of_cases = file_path.name.endswith(ENDINGS) and parent.session.isinitpath(file_path)
        if not of_cases and not any(fnmatch.fnmatchcase(file_path.name, pattern) for pattern in PATTERNS):
            return found
        if not _matches(file_path, self.config.getini("python_files")):
            found = [each for each in found if not isinstance(each, pytest.Module) or _doctests(each)]
        file: EvalFile = EvalFile.from_parent(parent, path=file_path)
        file.evals = self
        return [*found, file]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """The report of an item: the time is that of its own attempts, and an error is told like a failure."""
        report = yield
        if not isinstance(item, EvalItem):
            return report
        error = call.excinfo if call.excinfo is not None and isinstance(call.excinfo.value, CaseUngraded) else None
        if call.when != "teardown":
            report.duration = item.seconds if call.when == "call" or error is not None else 0.0
        if error is not None:
            # Nor is it the failure that an xfail expects: what could not be graded is not known to fail.
            report.outcome = "failed"
            report.__dict__.pop("wasxfail", None)
            report.longrepr = item.repr_failure(error)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """An item; after Ctrl-C, or where an agent ended the run, those that were finished by then are reported before it ends the session."""
        try:
            return (yield)
        except (KeyboardInterrupt, ProcessLeft):
            if worker(self.config) is None:
                self._report_finished(item.session)
            raise

    def _report_finished(self, session: pytest.Session) -> None:
        done = [each for each in session.items if each in self.results]
        # What was set up for the item that was interrupted.
        session._setupstate.teardown_exact(None)
        for each, following in zip(done, [*done[1:], None], strict=True):
            self.config.hook.pytest_runtest_protocol(item=each, nextitem=following)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """What all attempts came to, and what is to be remarked on the run."""
        reports = [batch.report for batch in self.batches if batch.report is not None]
        sums = (
            [totals(joined(reports)), *self._unreported(reports)] if reports and terminalreporter.verbosity >= 0 else []
        )
        if sums or self.notes:
            terminalreporter.ensure_newline()
            terminalreporter.section("evals")
        for line in (*sums, *(f"note: {inert(note, 1000)}" for note in dict.fromkeys(self.notes))):
            terminalreporter.write_line(masked(line))

    def _unreported(self, reports: Sequence[Report]) -> list[str]:
        """That the sum has cases which pytest did not come to: they were made beside the others, and are paid for."""
        beyond = sum(case.status != "cancelled" for case in joined(reports).cases) - len(self._asked)
        return (
            [f"note: {plural(beyond, 'case')} of these ended before pytest stopped, and stood behind"]
            if beyond > 0
            else []
        )

    def pytest_sessionfinish(self) -> None:
        """Hand the notes to xdist's controller, which reports for all workers."""
        if worker(self.config) is not None:
            self.config.workeroutput["brute_notes"] = [masked(inert(note, 1000)) for note in self.notes]  # type: ignore[attr-defined]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist how the items are distributed."""
        node.workerinput["brute_dist"] = dist(self.config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over the notes of a worker of xdist; one that crashed has none."""
        self.notes += getattr(node, "workeroutput", {}).get("brute_notes", [])


def _matches(path: Path, patterns: list[str]) -> bool:
    """Whether one of the patterns of `python_files` is for this file: those with a folder in them are for the path."""
    return any(
        fnmatch.fnmatch(str(path), pattern if os.path.isabs(pattern) else f"*{os.sep}{pattern}")
        if os.sep in pattern
        else fnmatch.fnmatch(path.name, pattern)
        for pattern in patterns
    )


def _doctests(collector: pytest.Collector) -> bool:
    """Whether these are the examples of `--doctest-modules`, which are nobody else's."""
    return type(collector).__name__ == "DoctestModule"
