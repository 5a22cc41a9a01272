"""Logs merged into one."""

from __future__ import annotations

import asyncio
import dataclasses
import random
import sqlite3
from pathlib import Path

import pytest

from brute import Usage
from brute.errors import UsageError
from brute.eval import Report
from brute.eval.logreading import Reading
from brute.eval.logschema import LogError
from brute.eval.merging import merged
from brute.eval.runlog import RunLog
from brute.eval.sharding import sharded, whole
from tests.eval.logged import attempts, recorded, run_of

MADE = attempts(20)


def shard(number: int, of: int, path: Path, ended: bool = True) -> str:
    """The run of one shard in a log of its own."""
    kept = sharded([("s", each.case.name) for each in MADE], number, of)
    mine = [each for each in MADE if ("s", each.case.name) in kept]
    recording = RunLog(path).begin(
        ["brute", "eval", "x.py"], shard=f"{number}/{of}", whole=whole([("s", e.case.name, 1) for e in MADE], of)
    )
    asyncio.run(recorded(recording, mine, "s"))
    recording.end(Report(attempts=tuple(mine), seconds=float(number))) if ended else recording.close()
    return recording.id


def test_shards_become_one_run(tmp_path: Path) -> None:
    """With every attempt, its verdict and its transcript, and the exit status of the whole."""
    paths = [tmp_path / f"{number}.db" for number in (1, 2, 3)]
    ids = [shard(number, 3, path) for number, path in enumerate(paths, 1)]
    came = merged([str(path) for path in reversed(paths)], str(tmp_path / "all.db"))
    assert came.runs == (ids[2],) or came.runs == (ids[0],)
    assert came.notes == ()
    with Reading(tmp_path / "all.db") as reading:
        [run] = reading.runs()
        assert (run.shard, run.how, run.exit_status, run.planned, run.seconds) == (None, "finished", 1, 20, 3.0)
        made = {each.attempt.case.name: each.attempt for each in reading.stream(run)}
        assert len(made) == 20
        for each in MADE:
            again = made[each.case.name]
            assert dataclasses.replace(again, case=each.case) == dataclasses.replace(each, suite="s")
        assert reading.notes == []


def test_a_missing_shard_is_told_and_leaves_the_run_unfinished(tmp_path: Path) -> None:
    """Nobody takes a part for the whole."""
    shard(1, 3, tmp_path / "1.db")
    shard(3, 3, tmp_path / "3.db")
    came = merged([str(tmp_path / "1.db"), str(tmp_path / "3.db")], str(tmp_path / "all.db"))
    assert came.notes == (f"run {came.runs[0]}: shard 2/3 is missing",)
    with Reading(tmp_path / "all.db") as reading:
        [run] = reading.runs()
        assert (run.how, run.exit_status, run.shard) == (None, None, "1/3, 3/3")


def test_other_runs_stay_apart_and_none_is_written_twice(tmp_path: Path) -> None:
    """Logs may overlap, and a shard that was run twice is two runs."""
    a, b, c = (str(tmp_path / f"{name}.db") for name in "abc")
    one, two = run_of(MADE[:3], Path(a)).id, run_of(MADE[:3], Path(b)).id
    merged([a, b], c)
    came = merged([a, b, c], str(tmp_path / "d.db"))
    assert sorted(came.runs) == sorted([one, two])
    first, again, second = (str(tmp_path / f"{name}.db") for name in "xyz")
    shard(1, 2, Path(first)), shard(1, 2, Path(again)), shard(2, 2, Path(second))
    came = merged([first, again, second], str(tmp_path / "e.db"))
    assert len(came.runs) == 2
    assert len(came.notes) == 1


def test_a_log_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    """And one that can't be read leaves no half of a merge."""
    run_of(MADE[:2], tmp_path / "a.db")
    (tmp_path / "b.db").write_text("none" * 1000)
    with pytest.raises(UsageError, match="is there already"):
        merged([str(tmp_path / "a.db")], str(tmp_path / "a.db"))
    with pytest.raises(LogError, match=r"b\.db can't be read"):
        merged([str(tmp_path / "a.db"), str(tmp_path / "b.db")], str(tmp_path / "c.db"))
    assert not (tmp_path / "c.db").exists()


def altered(path: Path, statement: str) -> None:
    """Change a log behind its back, as a disk does."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute(statement)
    connection.commit()
    connection.close()


DAMAGE = {
    "a verdict": "UPDATE attempt SET verdict = replace(verdict, 'mentions', 'mentionz') WHERE status = 'failed'",
    "a status": "UPDATE attempt SET status = 'passed', verdict = NULL WHERE status = 'failed'",
    "a row that is gone": "DELETE FROM attempt WHERE id = (SELECT max(id) FROM attempt)",
    "a case that is gone": "DELETE FROM cased WHERE number = 3",
    "a row under another id": "UPDATE attempt SET id = id + 500 WHERE status = 'failed'",
    "the end of the run": "UPDATE run SET exit_status = 0",
    "its counts": "UPDATE run SET counts = '{\"passed\": 20'",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_carried_into_the_merged_log(what: str, tmp_path: Path) -> None:
    """It is told, and no run that was damaged has ended well."""
    bad, out = tmp_path / "bad.db", tmp_path / "m.db"
    run_of(attempts(20), bad)
    altered(bad, DAMAGE[what])
    came = merged([str(bad)], str(out))
    assert came.damaged
    assert all("bad.db" in note for note in came.damaged)
    with Reading(out) as reading:
        [run] = reading.runs()
        assert (run.how, run.exit_status) == (None, None)
        assert any("bad.db" in note for note in run.notes)
        written = reading.written(run)
        assert len(written) == sum(run.counts.values())
        assert reading.notes == []
    kept = {each.attempt.case.name: each.attempt.status for each in written}
    known = {each.case.name: each.status for each in attempts(20)}
    assert kept.items() <= known.items()


@pytest.mark.parametrize("page", range(8))
def test_a_damaged_page_is_blamed_on_the_log_that_it_is_in(page: int, tmp_path: Path) -> None:
    """And never makes a run that has ended as if it were whole, unless only transcripts are lost."""
    bad, out = tmp_path / "bad.db", tmp_path / "m.db"
    run_of(attempts(60), bad)
    altered(bad, "VACUUM")
    content = bytearray(bad.read_bytes())
    content[page * 4096 : (page + 1) * 4096] = random.Random(page).randbytes(4096)
    bad.write_bytes(content)
    told: list[LogError] = []
    try:
        came = merged([str(bad)], str(out))
    except LogError as error:
        told.append(error)
    if told:
        assert "bad.db" in str(told[0])
        assert "m.db" not in str(told[0])
        assert not out.exists()
        return
    assert all("bad.db" in note for note in came.damaged)
    with Reading(out) as reading:
        [run] = reading.runs()
        whole = [each.attempt.status for each in reading.written(run)] == [each.status for each in attempts(60)]
    assert whole or (came.damaged and run.how is None)


def test_a_damaged_schema_is_an_error(tmp_path: Path) -> None:
    """Not a log without runs."""
    for name in (b"exit_status", b"transcript", b"commit_id"):
        bad = tmp_path / f"{name.decode()}.db"
        run_of(attempts(2), bad)
        altered(bad, "VACUUM")
        content = bad.read_bytes()
        assert name in content[:4096]
        bad.write_bytes(content[:4096].replace(name, name[:-1] + b"x") + content[4096:])
        with pytest.raises(LogError, match=r"can't be read: it is damaged"):
            merged([str(bad)], str(tmp_path / "m.db"))
        with pytest.raises(LogError, match=r"can't be read: it is damaged"):
            Reading(bad)


def test_what_earlier_tries_used_is_merged_too(tmp_path: Path) -> None:
    """With all that belongs to an attempt."""
    made = [dataclasses.replace(attempts(1)[0], earlier=Usage(input=3, output=4, cost=0.5))]
    run_of(made, tmp_path / "a.db")
    merged([str(tmp_path / "a.db")], str(tmp_path / "m.db"))
    with Reading(tmp_path / "m.db") as reading:
        [each] = reading.written(reading.run("last"))
        assert each.attempt.earlier == made[0].earlier
