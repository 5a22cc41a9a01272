"""What every executor keeps, whatever it makes attempts in; a class for each of them inherits this."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import anyio
import pytest

from brute import UsageError
from brute.eval import Attempt, Suite
from brute.eval.report import Report
from brute.loading import load_file
from tests.eval.executors import sample
from tests.support.agents import Quiet


def run(suite: Suite, executor: str, **configured: Any) -> tuple[Report, Quiet]:
    """The report of the suite under an executor, and what its reporter was told."""
    quiet = Quiet()
    made = suite.configured(executor=executor, reporter=quiet, **configured)
    made.run()
    assert made.report is not None
    return made.report, quiet


def told(attempt: Attempt) -> dict[str, Any]:
    """All of an attempt but its clocks."""
    transcript = attempt.transcript.to_json()
    transcript["seconds"] = None
    for each in (*transcript["calls"], *transcript["requests"]):
        each["started"] = each["ended"] = None
    return {
        "case": attempt.case.name,
        "number": attempt.number,
        "status": attempt.status,
        "sentences": [_timeless(sentence) for sentence in attempt.verdict.sentences],
        "kinds": [failure.kind for failure in attempt.verdict.failures],
        "left behind": attempt.left_behind,
        **transcript,
        "failures": None,
    }


def _timeless(sentence: str) -> str:
    return "spent some seconds" if sentence.startswith("spent ") and "seconds" in sentence else sentence


class Contract:
    """The tests; `executor` is the one that they are of."""

    executor: str

    def test_the_attempts_are_those_of_the_serial_one(self) -> None:
        """Statuses, sentences and transcripts, whatever comes of an attempt."""
        serial, _ = run(sample.MIXED, "serial")
        made, _ = run(sample.MIXED, self.executor)
        for ours, theirs in zip(made.attempts, serial.attempts, strict=True):
            assert told(ours) == told(theirs)

    def test_the_report_has_the_order_of_the_plan(self) -> None:
        """And its reporter is told of each attempt as it ends, between the beginning and the end."""
        made, quiet = run(sample.MIXED, self.executor)
        assert [(each.case, each.number) for each in made.attempts] == [
            (job.case, job.number) for job in sample.MIXED.plan()
        ]
        words = [what for what, _ in quiet.told]
        assert (words[0], words[-1]) == ("started", "finished")
        assert sorted(words[1:-1]) == ["attempted"] * 21 + ["began"] * 21

    def test_fail_fast_stops_at_the_first_failed_case(self) -> None:
        """What had not ended is cancelled."""
        made, _ = run(sample.SOME, self.executor, fail_fast=True)
        assert [attempt.status for attempt in made.attempts] == ["passed", "failed", "cancelled"]
        assert made.stopped == "stopped at the first failed case (bad)"

    def test_an_interruption_keeps_what_was_finished(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The rest is cancelled, and the world of the one under way is closed."""
        monkeypatch.setenv("MARKS", str(tmp_path))
        suite = sample.FOREVER.configured(executor=self.executor, jobs=1, reporter=Quiet())

        async def main() -> None:
            task = asyncio.ensure_future(suite.arun())
            with anyio.fail_after(10):
                while not (tmp_path / "waits: begun").exists():  # noqa: ASYNC110
                    await anyio.sleep(0.01)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

        asyncio.run(main())
        assert suite.report is not None
        assert suite.report.interrupted
        assert [attempt.status for attempt in suite.report.attempts] == ["passed", "cancelled", "cancelled"]
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "quick: begun",
            "quick: closed",
            "waits: begun",
            "waits: closed",
        ]

    def test_one_world_is_shared_by_all(self) -> None:
        """Attempts take turns in it."""
        # Loaded anew, so that nobody else has been in this one's world.
        made, quiet = run(load_file(sample.__file__).SHARED, self.executor)
        assert [attempt.status for attempt in made.attempts] == ["passed"] * 3
        assert quiet.told[0] == ("started", 1)

    def test_bad_input_refuses_the_run(self) -> None:
        """It is raised, and nobody is told of an end."""
        quiet = Quiet()
        with pytest.raises(UsageError, match="built nothing"):
            sample.UNFIT.configured(executor=self.executor, reporter=quiet).run()
        assert "finished" not in [what for what, _ in quiet.told]

    def test_a_suite_runs_again(self) -> None:
        """Nothing of one run is left for the next."""
        suite = sample.SOME.configured(executor=self.executor, reporter=Quiet())
        for _ in range(2):
            suite.run()
            assert suite.report is not None
            assert [attempt.status for attempt in suite.report.attempts] == ["passed", "failed", "passed"]
