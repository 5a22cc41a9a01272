"""Eval files as pytest collects them: a file, its suites where it has several, and an item for each case."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..case import Case
from ..cli.gathering import gathered
from ..cli.offers import OPTION
from ..cli.refusal import Refusal
from ..ending import guarded
from ..masking import masked
from ..report import CaseResult
from ..suite import Suite
from ..wording import quote, visible
from .outcomes import CaseFailed, CaseUngraded, judge
from .showing import Shown, spent

if TYPE_CHECKING:
    from .evals import Evals


_OF_TESTS = {"usefixtures": "fixtures", "parametrize": "parameters; make a case for each"}
"""Marks that a case can't heed."""


class EvalFile(pytest.File):
    """An eval file. It is loaded as `brute eval` loads it, and what `brute eval` refuses is an error of its collection."""

    evals: Evals

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The cases; in a file with several suites, the suites."""
        try:
            # A file that ends the process is refused, however it does.
            with guarded("--brute-isolate"):
                suites = gathered([_from_here(self.path)], None, isolated=self.config.getoption("brute_isolate"))
        except Refusal as refusal:
            # pytest's command line has another set of options.
            told = [masked(sentence.replace(OPTION, "")) for sentence in refusal.sentences]
            raise self.CollectError("\n".join(told)) from None
        self._mark(suites[0].home.get("pytestmark", ()))
        for suite in suites:
            self.evals.offered(_from_here(self.path), suite)
            if len(suites) == 1:
                yield from _items(self, suite, self.evals)
            else:
                name = next((name for name, thing in suite.home.items() if thing is suite.original), suite.name)
                yield EvalSuite.from_parent(self, name=name, suite=suite, evals=self.evals)

    def _mark(self, marks: Any) -> None:
        """Mark all cases as the file's `pytestmark` says, a mark or a list of them."""
        for mark in marks if isinstance(marks, (list, tuple)) else [marks]:
            if not isinstance(mark, (pytest.Mark, pytest.MarkDecorator)):
                raise self.CollectError(f"{_from_here(self.path)}: pytestmark must be a mark or a list of marks")
            _mark(self, [mark if isinstance(mark, pytest.Mark) else mark.mark])


class EvalSuite(pytest.Collector):
    """One suite of an eval file that has several, under the name that it has there."""

    def __init__(self, *, suite: Suite, evals: Evals, **more: Any) -> None:
        super().__init__(**more)
        self.suite = suite
        self.evals = evals

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The cases."""
        return _items(self, self.suite, self.evals)


class EvalItem(pytest.Item):
    """One case, all of its attempts; `case` and `suite` are there for whoever marks or selects items by them.

    A case that failed fails in the call, as a test does. One that could not be graded is an error of the setup, which pytest counts and
    shows apart.
    """

    def __init__(self, *, case: Case, suite: Suite, evals: Evals, **more: Any) -> None:
        super().__init__(**more)
        self.case = case
        self.suite = suite
        self.evals = evals
        self.result: CaseResult | None = None
        self.add_marker("brute")
        _mark(self, getattr(case.check, "pytestmark", ()))

    def setup(self) -> None:
        """Take the result; the first that is asked for has the attempts of all made."""
        if self.config.getoption("setuponly", False):
            return
        self.result = self.evals.result(self)
        self.user_properties[:] = spent(self.result)
        if self.result.status != "failed":
            judge(self.result)

    def runtest(self) -> None:
        """Fail, where the case failed."""
        assert self.result is not None
        judge(self.result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong, and what each attempt did."""
        if isinstance(excinfo.value, (CaseFailed, CaseUngraded)):
            style = self.config.getoption("tbstyle", "long")
            return Shown(excinfo.value.result, str(self.path), self._line() + 1, style)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file, the line of the case (its check's or the first, where it was not made in the file), and what stands over a failure."""
        suite = f"{self.parent.name}: " if isinstance(self.parent, EvalSuite) else ""
        return self.path, self._line(), f"{self.path.name}: {suite}{self.name}"

    @property
    def seconds(self) -> float:
        """What the attempts took, one after the other."""
        attempts = self.result.attempts if self.result is not None else ()
        return sum(attempt.transcript.seconds or 0.0 for attempt in attempts)

    def _line(self) -> int:
        """The line, counted from 0; pytest wants one of whatever is skipped."""
        place = self.suite.places.get(self.case.name)
        if place is not None and place.path == str(self.path):
            return place.line - 1
        code = getattr(self.case.check, "__code__", None)
        return code.co_firstlineno - 1 if code is not None and code.co_filename == str(self.path) else 0


_ROUND = str.maketrans("[]", "()")


def _items(parent: Any, suite: Suite, evals: Evals) -> Iterator[EvalItem]:
    """The cases, each under a name that stands in one line, names no path of pytest's, and is no other's."""
    times: Counter[str] = Counter()
    for case in suite.cases:
        # pytest takes what stands in square brackets for a parameter's value, and `--lf` would not find the item again.
        name = visible(case.name).replace("::", ": :").translate(_ROUND)
        times[name] += 1
        name = name if times[name] == 1 else f"{name} ({times[name]})"
        item: EvalItem = EvalItem.from_parent(parent, name=name, case=case, suite=suite, evals=evals)
        for mark, what in _OF_TESTS.items():
            if item.get_closest_marker(mark) is not None:
                raise parent.CollectError(f"case {quote(case.name)} is marked with {mark}, and takes no {what}")
        yield item


def _mark(node: pytest.Item | pytest.Collector, marks: Iterable[pytest.Mark]) -> None:
    for mark in marks:
        node.own_markers.append(mark)
        node.keywords[mark.name] = mark


def _from_here(path: Path) -> str:
    """The path as a person knows it; and the working folder is where `package.module:factory` is looked for, as `brute eval` has it."""
    here = os.getcwd()
    if here not in sys.path:
        # Behind everything, so that it changes no import of the tests.
        sys.path.append(here)
    near = os.path.relpath(path)
    return str(path) if near.startswith("..") else near
