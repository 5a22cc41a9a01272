"""What a run came to, counted, beside its report."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from brute.eval import Case
from brute.eval.logreading import Reading
from brute.eval.logtally import tally
from tests.eval.logged import attempt, run_of
from tests.support.make import transcript


def test_a_tally_says_what_the_report_says(tmp_path: Path) -> None:
    """Cases by status, tokens and cost with how many did not say, and the cases that did not pass."""
    cases = [Case(f"case {n}", said="?", runs=3) for n in range(5)]
    made = [dataclasses.replace(attempt(n // 3 * 2 + n), case=cases[n // 3], number=n % 3 + 1) for n in range(15)]
    made[4] = dataclasses.replace(made[4], transcript=transcript(requests=[]))
    run_of(made, tmp_path / "runs.db")
    with Reading(tmp_path / "runs.db") as reading:
        run = reading.run("last")
        report, counted = reading.report(run), tally(reading, run)
        assert counted.attempts == 15
        assert counted.cases == {status: n for status in ("passed", "failed", "error") if (n := report.count(status))}  # type: ignore[arg-type]
        assert counted.tokens == report.tokens
        assert counted.cost == report.cost
        wrong = [result for result in report.cases if result.status != "passed"]
        assert [each.attempt.case.name for each in counted.wrong] == [result.case.name for result in wrong]
        assert [each.attempt.status for each in counted.wrong] == [result.status for result in wrong]
        assert [each.of for each in counted.wrong] == [3] * len(wrong)
