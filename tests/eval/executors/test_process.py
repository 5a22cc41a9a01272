"""The executor `process` keeps the contract, and no attempt can take another along."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brute.eval import Attempt, Job
from brute.eval.executors.process import Process
from brute.eval.tls import Tax
from tests.eval.executors import bad, sample
from tests.eval.executors.contract import Contract, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and signals are POSIX's")

ROOT = Path(__file__).parents[3]


class TestProcess(Contract):
    """Every test of the contract."""

    executor = "process"


@pytest.fixture(scope="module")
def made() -> dict[str, Attempt]:
    """An attempt with each of the bad tools, by the tool's name."""
    report, _ = run(bad.ONE_OF_EACH, "process")
    return {attempt.case.name: attempt for attempt in report.attempts}


SENTENCES = {
    "blocks": ("turn.deadline", "stopped after 1 second; still in tool blocks"),
    "blocks_the_loop": ("turn.deadline", "stopped after 1 second; still in tool blocks_the_loop"),
    "holds_the_lock": ("turn.deadline", "stopped after 1 second; still in tool holds_the_lock"),
    "exits": ("turn.crashed", "the turn ended its process with exit code 3; in tool exits"),
    "leaves": ("turn.raised", "the turn raised SystemExit: 3"),
    "crashes": ("turn.crashed", "the turn crashed its process with SIGSEGV; in tool crashes"),
    "hogs": ("turn.memory", "asked for more memory than the 512 MB that this suite allows; in tool hogs"),
    "floods": ("turn.output", "wrote more than 64 MB to standard output and standard error"),
    "parts": ("turn.left", f'left 1 process running, killed since: "sleep {bad.NAP}"'),
    "orphans": ("turn.left", f'left 1 process running, killed since: "sleep {bad.NAP}"'),
}


@pytest.mark.parametrize("name", bad.BAD)
def test_a_bad_tool_costs_its_own_attempt(name: str, made: dict[str, Attempt]) -> None:
    """It failed, and says what happened; what was seen until then is kept."""
    attempt = made[name]
    failure = attempt.verdict.failures[0]
    assert (attempt.status, len(attempt.verdict.failures)) == ("failed", 1)
    assert (failure.kind, failure.message) == SENTENCES[name]
    fine, other = attempt.transcript.calls
    assert (fine.name, fine.outcome, fine.result, other.name) == ("fine", "ran", "done", name)
    assert [message.role for message in attempt.transcript.messages][:4] == ["user", "assistant", "tool", "assistant"]
    assert (attempt.transcript.iterations, attempt.transcript.said) in [(2, name), (3, name)]
    assert attempt.transcript.seconds is not None


def test_an_attempt_among_them_is_as_without_them(made: dict[str, Attempt]) -> None:
    """The good one passed."""
    assert made["fine"].status == "passed"


def test_the_seconds_of_one_that_was_killed_count_to_its_end(made: dict[str, Attempt]) -> None:
    """And not to the last that was heard of it."""
    assert 0.9 < (made["holds_the_lock"].transcript.seconds or 0) < 10


def test_the_detail_has_the_last_words(made: dict[str, Attempt]) -> None:
    """What it printed, and where it crashed."""
    detail = made["crashes"].verdict.failures[0].detail
    assert detail.startswith("last words\nFatal Python error: Segmentation fault")
    assert "bad.py" in detail


def test_none_of_their_children_is_left(made: dict[str, Attempt]) -> None:
    """Neither in the worker's session nor in another."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"sleep {bad.NAP}" not in listed.splitlines()


def test_a_crash_in_the_building_is_an_error() -> None:
    """The agent could not be built; there was no turn to judge."""
    report, _ = run(bad.BESIDE, "process")
    told = [(attempt.status, attempt.verdict.failures[0]) for attempt in report.attempts]
    assert [(status, failure.kind) for status, failure in told] == [("error", "error.build")] * 2
    assert told[0][1].message == "the agent could not be built: its process ended with exit code 4"


def test_a_crash_in_the_check_is_an_error() -> None:
    """It names the check."""
    report, _ = run(bad.CHECKED, "process")
    first, second = report.attempts
    assert (first.status, second.status) == ("error", "passed")
    assert first.verdict.sentences == ['the check "checks" broke: its process ended with SIGSEGV']
    assert first.transcript.reply == "done"


def test_a_suite_that_starts_threads_runs_in_fresh_interpreters(tmp_path: Path) -> None:
    """Nothing is forked beside a thread; the attempts are the same."""
    (tmp_path / "threaded.py").write_text(
        "import threading, os\nfrom tests.eval.executors.bad import *\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "SUITE = Suite(agent, [Case(name, said=name) for name in ('fine', 'exits', 'orphans')], jobs=2)\n"
    )
    from brute.loading import load_file

    report, _ = run(load_file(tmp_path / "threaded.py").SUITE, "process")
    assert [attempt.status for attempt in report.attempts] == ["passed", "failed", "failed"]


def script(pids: Path) -> subprocess.Popen[str]:
    """A run of its own whose attempts hang over children of theirs; it is under way when this answers."""
    environment = {**os.environ, "PIDS": str(pids)}
    command = [sys.executable, "-W", "error", "-m", "tests.eval.executors.bad"]
    running = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 20
    while len(list(pids.iterdir())) < 4:
        assert time.monotonic() < until, running.communicate(timeout=5)
        time.sleep(0.02)
    return running


def _await_the_end_of(pids: Path) -> None:
    until = time.monotonic() + 5
    left = [int(path.name) for path in pids.iterdir()]
    while left:
        assert time.monotonic() < until, f"still there: {left}"
        left = [pid for pid in left if Path(f"/proc/{pid}").exists()]
        time.sleep(0.01)


def test_what_an_attempt_leaves_running_does_not_reach_the_next() -> None:
    """Neither a thread, nor a task, nor the signal of Ctrl-C."""
    report, _ = run(bad.LATER, "process")
    assert [attempt.status for attempt in report.attempts] == ["passed"] * 4 + ["failed", "passed"]
    assert report.attempts[4].verdict.sentences == ["the turn crashed its process with SIGINT; in tool interrupts"]


def test_a_shared_world_is_lost_with_its_worker() -> None:
    """What comes after can't be graded: it would wake up in another world."""
    report, _ = run(bad.SHARING, "process")
    assert [attempt.status for attempt in report.attempts] == ["passed", "failed", "error"]
    assert report.attempts[2].verdict.failures[0].kind == "error.world"


def test_a_loop_that_is_blocked_past_the_budget_is_stopped() -> None:
    """Long before the deadline, and graded as having spent it."""
    report, _ = run(bad.HURRIED, "process")
    (failure,) = report.attempts[0].verdict.failures
    assert failure.kind == "budget.seconds"
    assert failure.message.endswith(" seconds, budget 0.5")
    assert 0.5 < (report.attempts[0].transcript.seconds or 0) < 60


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are forked on Linux")
def test_workers_are_forked_where_that_is_safe() -> None:
    """The suite is loaded once."""

    async def main() -> bool:
        process = Process(sample.PIDS, 1, Tax())
        await process.open()
        await process.close()
        return process._pool.forks

    assert asyncio.run(main())


@pytest.mark.functional
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps track of what leaves a session")
@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGINT, signal.SIGINT], [signal.SIGKILL]])
def test_no_child_survives_the_run(signals: list[signal.Signals], tmp_path: Path) -> None:
    """However it ends."""
    running = script(tmp_path)
    for each in signals:
        running.send_signal(each)
    running.communicate(timeout=20)
    assert running.returncode != 0
    _await_the_end_of(tmp_path)


@pytest.mark.functional
def test_a_suite_with_all_of_them_mixed_in_ends_by_itself() -> None:
    """With exactly the bad ones bad."""
    report, _ = run(bad.MANY, "process")
    told = [attempt.status for attempt in report.attempts]
    assert told == ["passed" if name == "fine" else "failed" for name in bad.MIXED_IN]
    assert len(told) == 300


def test_workers_are_used_again() -> None:
    """All attempts of one job are made in one process."""
    report, _ = run(sample.PIDS, "process", jobs=1)
    assert len({attempt.transcript.reply for attempt in report.attempts}) == 1


@pytest.mark.parametrize("jobs", [1, 4])
def test_an_attempt_that_kills_the_nursery_fails_alone(jobs: int) -> None:
    """What ran beside it is made again, what comes after it as ever."""
    report, _ = run(bad.KILLING, "process", jobs=jobs)
    told = {attempt.case.name: attempt for attempt in report.attempts}
    killer = told.pop("kills_the_nursery")
    assert killer.verdict.sentences == ["the turn killed the process that its own came from; in tool kills_the_nursery"]
    assert (killer.status, killer.verdict.failures[0].kind) == ("failed", "turn.crashed")
    assert {attempt.status for attempt in told.values()} == {"passed"}


@pytest.mark.parametrize("when", ["idle", "busy"])
def test_a_nursery_that_is_killed_from_outside_costs_no_attempt(when: str) -> None:
    """As by a system that had run out of memory, between two attempts or in the middle of one, which is made again and says so."""

    async def main() -> list[Attempt]:
        process = Process(bad.LATER, 1, Tax())
        await process.open()
        naps = Job(next(case for case in bad.LATER.cases if case.said == "naps"))
        try:
            made = [await process.attempt(naps)]
            under_way = asyncio.ensure_future(process.attempt(naps)) if when == "busy" else None
            await asyncio.sleep(0)
            assert process._pool._process is not None
            process._pool._process.kill()
            process._pool._process.wait()
            made += [await under_way] if under_way is not None else []
            return [*made, await process.attempt(naps)]
        finally:
            await process.close()

    made = asyncio.run(main())
    assert {attempt.status for attempt in made} == {"passed"}
    again = "made again after the process that its own came from was killed meanwhile"
    assert [attempt.transcript.notes for attempt in made[1:-1]] == ([[again]] if when == "busy" else [])


def test_an_attempt_finds_its_process_as_a_fresh_one_is() -> None:
    """Whatever the one before has done to it."""
    report, _ = run(bad.CHANGING, "process")
    assert {attempt.status for attempt in report.attempts} == {"passed"}
    found = [attempt.transcript.reply for attempt in report.attempts if attempt.case.said == "condition"]
    assert len(found) == len(bad.CHANGES) + 1
    assert set(found) == {found[0]}


def test_a_cap_stops_a_turn_in_the_middle() -> None:
    """It counts each model call when that comes in, and does not wait for the attempt to end, which this one never does."""
    report, _ = run(sample.CAPPED, "process")
    (attempt,) = report.attempts
    assert (attempt.status, report.stopped) == ("cancelled", "reached the run's cap of 30 tokens (spent 33)")
