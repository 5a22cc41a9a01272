"""A run read slice by slice."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import pytest

from brute.eval.logreading import Reading, Written
from brute.eval.logschema import SERIALS
from brute.eval.logslices import attempts as some
from brute.eval.logslices import before, counts, gists, replaced
from tests.eval.logged import attempt, attempts, database, run_of


def whole(reading: Reading, most: int) -> list[Written]:
    """All attempts of the last run, so many at a time."""
    found: list[Written] = []
    run, after, more = reading.run("last"), 0, True
    while more:
        part = some(reading, run, after, most)
        assert len(part.found) <= most
        found, after, more = [*found, *part.found], part.last, part.more
    return found


@pytest.mark.parametrize("most", [1, 3, 10, 11, 100])
def test_the_slices_are_the_whole(most: int, tmp_path: Path) -> None:
    """However big they are; those of other runs are none of it."""
    path = tmp_path / "runs.db"
    for _ in range(3):
        run_of(attempts(10), path)
    with Reading(path) as reading:
        assert [each.id for each in whole(reading, most)] == [each.id for each in reading.written(reading.run("last"))]
        first = reading.runs()[0]
        assert [each.id // SERIALS for each in some(reading, first, 0, 100).found] == [first.number] * 10


def test_what_comes_later_is_behind_what_was_read(tmp_path: Path) -> None:
    """Only that is read: no transcript, and no attempt twice."""
    path = tmp_path / "runs.db"
    run_of(attempts(5), path)
    with Reading(path) as reading:
        part = some(reading, reading.run("last"), 0, 4)
        assert (len(part.found), part.more) == (4, True)
        steps: list[str] = []
        reading.connection.set_trace_callback(steps.append)
        rest = some(reading, reading.run("last"), part.last, 4)
        reading.connection.set_trace_callback(None)
        assert ([each.attempt.case.name for each in rest.found], rest.more) == (["case 4"], False)
        assert not [step for step in steps if "transcript" in step]
        assert some(reading, reading.run("last"), rest.last, 4).last == rest.last


def test_a_damaged_row_is_left_out_and_said(tmp_path: Path) -> None:
    """And no slice ends before it."""
    path = tmp_path / "runs.db"
    run_of(attempts(6), path)
    with database(path) as connection:
        connection.execute("UPDATE attempt SET status = 'passed' WHERE status = 'failed'")
    with Reading(path) as reading:
        names = [each.attempt.case.name for each in whole(reading, 2)]
        assert names == ["case 0", "case 1", "case 3", "case 4", "case 5"]
        assert reading.notes == ["a row is damaged, and its attempt is left out"]


def test_pages_that_are_gone_hide_no_more_than_what_was_on_them(tmp_path: Path) -> None:
    """What lies before and behind a damaged page is read, and the damage is said."""
    path = tmp_path / "runs.db"
    run_of([attempt(n) for n in range(3000)], path)
    with database(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            query = "SELECT pageno FROM dbstat WHERE name = 'attempt' AND pagetype = 'leaf' ORDER BY path"
            leaves = [row[0] for row in connection.execute(query)]
        except sqlite3.Error:
            pytest.skip("this SQLite can't tell its pages apart")
    with path.open("r+b") as file:
        file.seek((leaves[len(leaves) // 2] - 1) * 4096)
        file.write(b"\xff" * 4096)
    with Reading(path) as reading:
        found: list[str] = []
        run, after, more = reading.run("last"), 0, True
        while more:
            part = some(reading, run, after, 100)
            found, after, more = [*found, *(each.attempt.case.name for each in part.found)], part.last, part.more
        assert found[0] == "case 0"
        assert found[-1] == "case 2999"
        assert 2800 < len(found) < 3000
        assert len(set(found)) == len(found)
        assert any("it is damaged" in note for note in reading.notes)


def test_what_is_said_of_a_transcript(tmp_path: Path) -> None:
    """How long it took, its tools, and the reply; in as many goes as one has patience for."""
    path = tmp_path / "runs.db"
    strange = dataclasses.replace(attempt(3).transcript, seconds=float("inf"))
    run_of([*attempts(3), attempt(3, transcript=strange)], path)
    with Reading(path) as reading:
        run = reading.run("last")
        part = gists(reading, run, 0, 100, 60)
        assert [(each.seconds, each.tools, each.reply) for each in part.found] == [
            (0.25, ["search"], "reply 0"), (0.25, ["search"], "reply 1"), (0.25, ["search"], "reply 2"), (None, ["search"], "reply 3"),
        ]  # fmt: skip
        assert not part.more
        hasty = gists(reading, run, 0, 100, -1)
        assert ([each.id for each in hasty.found], hasty.more) == ([part.found[0].id], True)
        assert [each.id for each in gists(reading, run, hasty.last, 100, 60).found] == [
            each.id for each in part.found[1:]
        ]
        assert gists(reading, run, part.last, 100, 60) == gists(reading, run, part.last, 1, 60)


def test_a_transcript_that_can_not_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    """The others are read all the same."""
    path = tmp_path / "runs.db"
    run_of(attempts(3), path)
    with database(path) as connection:
        connection.execute("UPDATE transcript SET body = x'00' WHERE id % 3 = 1")
    with Reading(path) as reading:
        found = gists(reading, reading.run("last"), 0, 100, 60).found
        assert sum(each.seconds is None for each in found) == len(reading.notes) == 1
        assert len(found) == 3


def test_attempts_that_were_made_again_count_no_more(tmp_path: Path) -> None:
    """In no slice; and how many there are tells that what was read before is not what is there now."""
    path = tmp_path / "runs.db"
    run_of(attempts(4), path)
    with Reading(path) as reading:
        run = reading.run("last")
        gone = some(reading, run, 0, 1).last
        assert (replaced(reading, run), counts(reading, gone)) == (0, True)
        with database(path) as connection:
            connection.execute("UPDATE attempt SET stale = 1 WHERE id = ?", (gone,))
        assert (replaced(reading, run), counts(reading, gone)) == (1, False)
        assert [each.attempt.case.name for each in some(reading, run, 0, 9).found] == ["case 1", "case 2", "case 3"]
        assert len(gists(reading, run, 0, 9, 60).found) == 3


def test_the_run_before(tmp_path: Path) -> None:
    """Of the same command line rather than any; the first has none."""
    path = tmp_path / "runs.db"
    for _ in range(4):
        run_of([], path)
    with database(path) as connection:
        connection.execute("UPDATE run SET command = 'another' WHERE number IN (2, 3)")
    with Reading(path) as reading:
        assert [before(reading, run) for run in reading.runs()] == [None, 1, 2, 1]
