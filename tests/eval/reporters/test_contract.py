"""What every reporter keeps to: it takes any run that a suite can tell of, changes none of it, and ends with its summary."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable

import pytest

from brute.eval import Report
from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.plain import Plain
from brute.eval.reporters.protocol import Reporter
from tests.eval.reporters.sample import ATTEMPTS, PLAN, REPORT, told_to
from tests.eval.reporters.test_live import Terminal, live
from tests.support.screen import shown

Made = tuple[Reporter, io.StringIO]


def plain() -> Made:
    """A plain reporter and its stream."""
    stream = io.StringIO()
    return Plain(Outlet(stream)), stream


def drawn() -> Made:
    """A live reporter and its terminal."""
    stream = Terminal()
    return live(stream), stream


RUNS = {
    "all": REPORT,
    "nothing": Report(),
    "interrupted": Report(interrupted=True, attempts=ATTEMPTS[:3]),
    "stopped": Report(stopped="stopped at the first failed case (x)", attempts=ATTEMPTS[:2]),
}


@pytest.mark.parametrize("make", [plain, drawn])
@pytest.mark.parametrize("run", RUNS)
def test_a_run_from_its_start_to_its_end(make: Callable[[], Made], run: str) -> None:
    """A reporter takes any run, and what it was told is left as it was."""
    report = RUNS[run]
    reporter, stream = make()
    before = repr(report)
    told_to(reporter, report)
    assert repr(report) == before
    assert shown(stream.getvalue()).splitlines()[-1].split()[0] in ("3", "1", "nothing", "interrupted")


@pytest.mark.parametrize("make", [plain, drawn])
def test_attempts_that_end_out_of_order(make: Callable[[], Made]) -> None:
    """Attempts are told in the order of completion, each once."""
    reporter, stream = make()
    reporter.started(PLAN, 8, "a suite")
    for job in PLAN:
        reporter.began(job)
    for each in reversed(ATTEMPTS):
        reporter.attempted(dataclasses.replace(each, suite="a suite"))
    reporter.finished(REPORT)
    text = shown(stream.getvalue())
    assert text.startswith("a suite: 7 cases, 8 attempts, up to 8 at a time\n")
    heads = [line.split()[0] for line in text.partition("\n\n")[0].splitlines()[1:] if not line.startswith(" ")]
    assert heads == [each.status for each in reversed(ATTEMPTS)]


@pytest.mark.parametrize("make", [plain, drawn])
def test_the_same_run_is_told_in_the_same_bytes(make: Callable[[], Made]) -> None:
    """The same run makes the same output."""
    outputs = []
    for _ in range(2):
        reporter, stream = make()
        told_to(reporter)
        outputs.append(stream.getvalue())
    assert outputs[0] == outputs[1]
