"""What of an earlier run is done, and what is made again."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from brute import Usage
from brute.errors import UsageError
from brute.eval import Attempt, Case, Failure, Report, Suite, Verdict, World, keying
from brute.eval.keying import Keys
from brute.eval.logreading import Reading
from brute.eval.logtally import tally
from brute.eval.resuming import Done, Resumption, done, unfinished
from brute.eval.runlog import RunLog
from tests.eval.logged import attempt


def build() -> None:
    """A factory that is never called."""


def other() -> int:
    """Another one."""
    return 1


def suite(agent: object = build, **changed: object) -> Suite:
    """Eight cases of two attempts; `changed` is said in the case of that name."""
    cases = [Case(f"case {n}", said=str(changed.get(f"case_{n}", n)), runs=2) for n in range(8)]
    return Suite(agent, cases)


def keys_of(made: Suite) -> Keys:
    """The keys of its plan."""
    return Keys(made.plan(), made.builder, made.world)


def attempts_of(made: Suite) -> list[Attempt]:
    """Two attempts of each case; each fourth could not be graded."""
    return [
        dataclasses.replace(attempt(index), case=job.case, number=job.number) for index, job in enumerate(made.plan())
    ]


def run_of(made: Suite, path: Path, upto: int) -> None:
    """A run that was killed after so many attempts."""

    async def go() -> None:
        recording = RunLog(path).begin()
        part = recording.part("", made.plan(), keys_of(made))
        for index, each in enumerate(attempts_of(made)[:upto]):
            await part.wrote(index, each)
        recording.write(lambda: lambda c: c.execute("UPDATE run SET process = 0"), lambda error: None)
        recording.close()

    asyncio.run(go())


def done_of(made: Suite, path: Path) -> Done:
    """What is done of it."""
    with Reading(path) as reading:
        return done(Resumption(reading, unfinished(reading)), "", made.plan(), keys_of(made))


def test_what_passed_or_failed_is_done_and_the_rest_is_made_again(tmp_path: Path) -> None:
    """An attempt that could not be graded says so; one that was never made needs no word."""
    run_of(suite(), tmp_path / "runs.db", 10)
    found = done_of(suite(), tmp_path / "runs.db")
    assert sorted(found.attempts) == [0, 1, 2, 4, 5, 6, 8, 9]
    assert len(found.stale) == 2
    assert found.notes == ("2 attempts made again that could not be graded before",)
    expected = attempts_of(suite())
    for index, each in found.attempts.items():
        assert (each.case, each.status, each.verdict) == (
            expected[index].case,
            expected[index].status,
            expected[index].verdict,
        )
        assert each.transcript == expected[index].transcript


def test_a_changed_case_is_made_again_and_named(tmp_path: Path) -> None:
    """The others are done."""
    run_of(suite(), tmp_path / "runs.db", 16)
    found = done_of(suite(case_2="something else"), tmp_path / "runs.db")
    assert sorted(found.attempts) == [0, 1, 2, 6, 8, 9, 10, 12, 13, 14]
    assert found.notes[0] == '2 attempts made again, since the case changed: "case 2"'


def test_a_changed_agent_makes_everything_again(tmp_path: Path) -> None:
    """And says so."""
    run_of(suite(), tmp_path / "runs.db", 16)
    found = done_of(suite(other), tmp_path / "runs.db")
    assert found.attempts == {}
    assert len(found.stale) == 16
    assert found.notes == (
        '16 attempts made again, since the agent changed: "case 0", "case 1", "case 2", "case 3", "case 4" and 3 more',
    )


def test_a_run_that_ended_is_not_resumed_unless_it_is_named(tmp_path: Path) -> None:
    """Nor is one that goes on."""
    path = tmp_path / "runs.db"
    ended = RunLog(path).begin()
    ended.end(Report(attempts=(attempt(0),)))
    going = RunLog(path).begin()
    with Reading(path) as reading:
        with pytest.raises(UsageError, match=r"no run in .* is unfinished"):
            unfinished(reading)
        assert unfinished(reading, ended.id).id == ended.id
    going.end(Report(interrupted=True))
    with Reading(path) as reading:
        assert unfinished(reading).id == going.id


def test_a_run_that_is_gone_on_with_ends_as_one(tmp_path: Path) -> None:
    """What is made again replaces what was there, and the run is under its old id."""
    path = tmp_path / "runs.db"
    made = suite()
    run_of(made, path, 10)
    with Reading(path) as reading:
        run = unfinished(reading)
        found = done(Resumption(reading, run), "", made.plan(), keys_of(made))
    recording = RunLog(path).resume(run.number, run.id)

    async def go() -> None:
        part = recording.part("", made.plan(), keys_of(made), stale=found.stale)
        for index, each in enumerate(attempts_of(made)):
            if index not in found.attempts:
                await part.wrote(index, dataclasses.replace(each, status="passed", verdict=attempt(0).verdict))

    asyncio.run(go())
    recording.end(Report(attempts=tuple(attempts_of(made))))
    with Reading(path) as reading:
        [run] = reading.runs()
        assert (run.id, run.planned, run.how, run.process) == (recording.id, 16, "finished", os.getpid())
        statuses = [each.attempt.status for each in reading.written(run)]
        assert statuses == ["passed", "passed", "failed", "passed"] * 2 + ["passed", "passed"] + ["passed"] * 6
        assert reading.counts(run.number) == {"passed": 14, "failed": 2}


def test_what_is_made_again_counts_until_its_successor_is_written(tmp_path: Path) -> None:
    """A resumed run that is interrupted at once has lost nothing: gone on with as it was, all of it is done."""
    path = tmp_path / "runs.db"
    made, changed = suite(), suite(case_0="other", case_1="other")
    run_of(made, path, 16)
    was = done_of(made, path)
    with Reading(path) as reading:
        run = unfinished(reading)
        found = done(Resumption(reading, run), "", changed.plan(), keys_of(changed))
    recording = RunLog(path).resume(run.number, run.id)

    async def go() -> None:
        part = recording.part("", changed.plan(), keys_of(changed), stale=found.stale)
        await part.wrote(0, dataclasses.replace(attempts_of(changed)[0], status="passed", verdict=attempt(0).verdict))

    assert {0, 1, 2, 3} <= set(found.stale)
    asyncio.run(go())
    recording.end(Report(interrupted=True))
    now = done_of(made, path)
    assert set(was.attempts) - set(now.attempts) == {0}
    assert 0 in done_of(changed, path).attempts


CHANGES: dict[str, Any] = {
    "the agent": {"agent": other},
    "the world": {"world": type("Room", (World,), {"prepare": lambda self, case: case.said})},
    "a setting of the suite": {"unstubbed": "refuse"},
    "Python's version": {"python": "3.99"},
    "brute's grading": {"grading": 99},
}


@pytest.mark.parametrize("what", [*CHANGES, "the agent and the world", "the case", "the world and the case"])
def test_what_has_changed_is_named(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thing that an attempt depends on, as far as the log tells what it was."""
    cases = [Case("a", said="x"), Case("b", said="y")]
    path = tmp_path / "runs.db"
    run_of(Suite(build, cases), path, 2)
    changes = {name: each for part in what.split(" and ") for name, each in CHANGES.get(part, {}).items()}
    if "python" in changes:
        monkeypatch.setattr(keying.sys, "version_info", (3, 99))
    if "grading" in changes:
        monkeypatch.setattr(keying, "GRADING", 99)
    if "case" in what:
        cases[1] = Case("b", said="other")
    now = Suite(changes.get("agent", build), cases, world=changes.get("world", World))
    settings = (changes["unstubbed"],) if "unstubbed" in changes else ()
    with Reading(path) as reading:
        keys = Keys(now.plan(), now.builder, now.world, settings)
        found = done(Resumption(reading, unfinished(reading)), "", now.plan(), keys)
    if what == "the case":
        assert found.notes == ('1 attempt made again, since the case changed: "b"',)
    elif what == "the world and the case":
        assert found.notes == (
            '1 attempt made again, since the world changed: "a"',
            '1 attempt made again, since the world and the case changed: "b"',
        )
    else:
        assert found.notes == (f'2 attempts made again, since {what} changed: "a", "b"',)


def test_all_that_a_report_tells_survives_the_log(tmp_path: Path) -> None:
    """What earlier tries used, both sides of a failure, the thread that was left behind: the same report as without a pause."""
    path = tmp_path / "runs.db"
    made = suite()
    failure = Failure("error.check", "x", expected={"a": [1, None]}, actual={"transient": True, "retry_after": 2.5})
    told = [
        dataclasses.replace(
            each, earlier=Usage(input=3, output=n, cost=0.25 if n % 2 else None), left_behind=n == 1, status="failed",
            verdict=Verdict((failure, Failure("order", "y", actual=["b"], detail="z"))),
        )
        for n, each in enumerate(attempts_of(made))
    ]  # fmt: skip

    async def go() -> None:
        recording = RunLog(path).begin()
        part = recording.part("", made.plan(), keys_of(made))
        for index, each in enumerate(told):
            await part.wrote(index, each)
        recording.close()

    asyncio.run(go())
    found = done_of(made, path)
    again = Report(attempts=tuple(found.attempts[index] for index in range(16)))
    whole = Report(attempts=tuple(told))
    assert again.attempts == whole.attempts
    assert (again.tokens, again.cost, again.exit_status) == (whole.tokens, whole.cost, whole.exit_status)
    with Reading(path) as reading:
        counted = tally(reading, reading.run("last"))
    assert (counted.tokens, counted.cost) == (whole.tokens, whole.cost)
