"""What a run leaves in its log while it goes on, and what becomes of it where the disk refuses."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import sqlite3
import stat
import threading
import zlib
from pathlib import Path

import pytest

from brute.eval import Attempt, Report, Transcript, logpart, logschema
from brute.eval.keying import Keys
from brute.eval.logreading import Reading
from brute.eval.runlog import RunLog
from brute.eval.stored import Stored
from tests.eval.logged import attempt, attempts, plan, recorded, run_of


def read(path: Path) -> list[Attempt]:
    """The attempts of the last run."""
    with Reading(path) as reading:
        made = [each.attempt for each in reading.written(reading.run("last"))]
        assert reading.notes == []
    return made


def same(one: Attempt, other: Attempt) -> bool:
    """Whether two attempts are the same but for the expectations of their cases, which a log does not keep."""
    return all(getattr(one, f.name) == getattr(other, f.name) for f in dataclasses.fields(Attempt))


def test_a_run_is_in_the_log_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    """Command, versions, times, how it ended, and every attempt with its verdict and transcript, in the order of the plan."""
    path = tmp_path / "deep" / "runs.db"
    made = attempts(9)
    recording = run_of(made, path)
    assert recording.error is None
    with Reading(path) as reading:
        [run] = reading.runs()
        assert (run.id, run.command, run.how, run.exit_status, run.planned) == (
            recording.id,
            "brute eval x.py",
            "finished",
            1,
            9,
        )
        assert run.counts == {"passed": 5, "failed": 2, "error": 2}
        assert run.ended is not None
        assert run.ended >= run.started
        assert run.versions["brute"]
        assert run.notes == ("a note",)
        report = reading.report(run)
        assert report.exit_status == 1
        assert report.seconds == 1.5
        assert report.notes == ("a note",)
        assert report.tokens == (sum(range(9)) + 9, 0)
        assert all(map(same, report.attempts, made))
        assert [each.attempt.transcript for each in reading.stream(run)] == [each.transcript for each in made]


def test_what_is_told_is_on_the_disk_already(tmp_path: Path) -> None:
    """When `wrote` comes back, another process can read the attempt."""
    path = tmp_path / "runs.db"
    recording = RunLog(path).begin()

    async def go() -> None:
        made = attempts(3)
        part = recording.part("", plan(made), Keys(plan(made)))
        for index, each in enumerate(made):
            await part.wrote(index, each)
            assert len(read(path)) == index + 1

    asyncio.run(go())
    with Reading(path) as reading:
        [run] = reading.runs()
        assert (run.how, run.ended, run.planned, sum(run.counts.values())) == (None, None, 3, 3)
    recording.close()


def test_attempts_that_wait_together_are_written_together(tmp_path: Path) -> None:
    """Many at once, of several suites, each once and under its own suite."""
    path = tmp_path / "runs.db"
    recording = RunLog(path).begin()
    asyncio.run(recorded(recording, attempts(300), "one", width=100))
    asyncio.run(recorded(recording, attempts(200), "two", width=100))
    recording.end(Report())
    made = read(path)
    assert [each.suite for each in made] == ["one"] * 300 + ["two"] * 200
    assert [each.case.name for each in made] == [f"case {n}" for n in (*range(300), *range(200))]


def test_secrets_never_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in a transcript, nor in a verdict, a name, a note or the command line."""
    path = tmp_path / "runs.db"
    monkeypatch.setenv("MASKED_API_KEY", "hunter2-hunter2")
    key = "sk-abcdefghijklmnopqrstuvwx"
    bad = attempt(2)
    failure = dataclasses.replace(bad.verdict.failures[0], message=f"said {key}", actual="hunter2-hunter2")
    seen = dataclasses.replace(bad.transcript, said=key, published=[{"hunter2-hunter2": key}], notes=[f"a\n{key}"])
    bad = dataclasses.replace(bad, transcript=seen, verdict=dataclasses.replace(bad.verdict, failures=(failure,)))
    bad = dataclasses.replace(bad, case=dataclasses.replace(bad.case, name=f"with {key}", said=key))
    recording = RunLog(path).begin(["brute", "eval", f"--agent={key}"])
    asyncio.run(recorded(recording, [bad], suite=key))
    recording.end(Report(attempts=(bad,), notes=(key,)))
    [back] = read(path)
    assert back.transcript.published == [{"***MASKED_API_KEY***": "sk-***"}]
    assert (back.case.name, back.case.said, back.suite) == ("with sk-***", "sk-***", "sk-***")
    assert back.verdict.sentences == ["said sk-***"]
    written = path.read_bytes() + b"".join(each.read_bytes() for each in tmp_path.glob("runs.db-*"))
    assert b"hunter2" not in written
    assert b"abcdefghijkl" not in written


def test_a_big_run_keeps_no_transcript_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a plan beyond the limit, a transcript is read from the log when somebody looks; tokens and cost are known without."""
    monkeypatch.setattr(logpart, "MANY", 2)
    made = attempts(3)
    path = tmp_path / "runs.db"
    recording = RunLog(path).begin()
    back = asyncio.run(recorded(recording, made))
    recording.end(Report(attempts=tuple(back)))
    assert [type(each.transcript) for each in back] == [Stored] * 3
    assert [each.transcript.tokens for each in back] == [1, 2, 3]
    assert [each.transcript for each in back] == [each.transcript for each in made]
    assert back[1].transcript.reply == "reply 1"
    assert back[1].transcript.called("search", q=1)
    assert back[1].transcript.to_json() == made[1].transcript.to_json()
    path.unlink()
    for more in tmp_path.glob("runs.db-*"):
        more.unlink()
    assert back[2].transcript.tokens == 3
    with pytest.raises(logschema.LogError, match="there is no run log"):
        _ = Stored(recording.source, 1, None, None).calls


def test_a_small_run_keeps_its_transcripts_as_they_are(tmp_path: Path) -> None:
    """What comes back is the attempt itself."""
    made = attempts(3)
    recording = RunLog(tmp_path / "runs.db").begin()
    back = asyncio.run(recorded(recording, made))
    recording.close()
    assert all(one is other for one, other in zip(back, made, strict=True))


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"x", float("nan"), "\ud800", 10**5000, {(1, 2): 3}, object, 2.5, False, "", {}],
    ids=lambda value: type(value).__name__,
)
def test_whatever_a_tool_hands_out_can_be_written(value: object, tmp_path: Path) -> None:
    """What JSON has no word for is kept as the transcript's own JSON has it."""
    one = attempt(0)
    one.transcript.calls[0].result = value
    path = tmp_path / "runs.db"
    assert run_of([one], path).error is None
    expected = Transcript.from_json(one.transcript.to_json())
    if value == HALF:
        expected.calls[0].result = HALF
    assert read(path)[0].transcript == expected


HALF = "\ud800"
"""Half a character: no text of its own, and no other than it was."""


def test_a_circle_is_written_too(tmp_path: Path) -> None:
    """A value that holds itself costs neither the attempt nor the log."""
    one, other = attempts(2)
    circle: list[object] = []
    circle.append(circle)
    one.transcript.published.append(circle)
    assert run_of([one, other], tmp_path / "runs.db").error is None
    assert [each.transcript.published for each in read(tmp_path / "runs.db")] == [[["..."]], []]


def test_several_runs_write_at_once(tmp_path: Path) -> None:
    """Each waits for the others' transactions, and none loses an attempt."""
    path = tmp_path / "runs.db"
    errors: list[object] = []
    threads = [threading.Thread(target=lambda: errors.append(run_of(attempts(60), path).error)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [None] * 4
    with Reading(path) as reading:
        assert [len(reading.written(run)) for run in reading.runs()] == [60] * 4


# --- where the disk refuses


class Told(list[str]):
    """What was said on standard error."""

    def __call__(self, sentence: str) -> None:
        """Say it."""
        self.append(sentence)


def refused(path: Path, made: list[Attempt], **more: object) -> str:
    """The sentence of a run whose log can't be written: every attempt comes back all the same, and it is said once."""
    told = Told()
    recording = RunLog(path, warn=told, **more).begin()  # type: ignore[arg-type]
    back = asyncio.run(recorded(recording, made))
    recording.end(Report(attempts=tuple(back)))
    assert back == made
    assert recording.notes == tuple(told)
    assert len(told) == 1
    return told[0].replace(str(path.parent), "DIR")


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    """A file stands where the folder should."""
    (tmp_path / "file").write_text("")
    assert refused(tmp_path / "file" / "runs.db", attempts(2)).endswith("runs.db can't be written: File exists")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """It is left alone, and the sentence says why."""
    path = tmp_path / "runs.db"
    path.write_text("my notes, which are longer than the header of a database would be" * 20)
    assert (
        refused(path, attempts(2))
        == "the run log DIR/runs.db can't be written: it is damaged, or no database at all (file is not a database)"
    )
    assert path.read_text().startswith("my notes")


def test_a_database_that_is_no_run_log(tmp_path: Path) -> None:
    """Somebody else's database is not written to."""
    path = tmp_path / "runs.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE run (number INTEGER)")
    other.close()
    assert refused(path, attempts(2)) == "DIR/runs.db is a database, but no run log"


def test_a_log_of_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    """Neither written nor read."""
    path = tmp_path / "runs.db"
    run_of(attempts(2), path)
    with sqlite3.connect(path) as newer:
        newer.execute(f"PRAGMA user_version={logschema.SCHEMA + 1}")
    newer.close()
    sentence = f"the run log DIR/runs.db has schema {logschema.SCHEMA + 1}, and this version of brute knows {logschema.SCHEMA}: a newer brute wrote it"
    assert refused(path, attempts(2)) == sentence
    with pytest.raises(logschema.LogError, match="a newer brute wrote it"):
        Reading(path)


def test_a_log_of_an_older_schema_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whoever opens it first, to write or to read."""
    for name, door in (("a.db", lambda path: run_of(attempts(1), path)), ("b.db", lambda path: Reading(path).close())):
        path = tmp_path / name
        monkeypatch.setattr(logschema, "SCHEMA", 1)
        run_of(attempts(2), path)
        monkeypatch.setattr(logschema, "SCHEMA", 2)
        monkeypatch.setattr(logschema, "MIGRATIONS", {1: ("CREATE TABLE newer (number INTEGER)",)})
        door(path)
        with Reading(path) as reading:
            assert len(reading.written(reading.runs()[0])) == 2
            assert reading.connection.execute("SELECT count(*) FROM newer").fetchone() == (0,)


FIRST = (
    """CREATE TABLE run (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, command TEXT NOT NULL, shard TEXT, whole BLOB, versions TEXT NOT NULL,
        commit_id TEXT, dirty INTEGER, host TEXT NOT NULL, process INTEGER NOT NULL, started REAL NOT NULL, ended REAL, how TEXT,
        exit_status INTEGER, seconds REAL, counts TEXT, notes TEXT NOT NULL DEFAULT '[]')""",
    """CREATE TABLE part (
        run INTEGER NOT NULL, suite TEXT NOT NULL, position INTEGER NOT NULL, planned INTEGER NOT NULL, agent BLOB, world BLOB,
        source TEXT NOT NULL, PRIMARY KEY (run, suite)) WITHOUT ROWID""",
    """CREATE TABLE cased (
        number INTEGER PRIMARY KEY, suite TEXT NOT NULL, name TEXT NOT NULL, content BLOB, about TEXT NOT NULL, digest BLOB NOT NULL UNIQUE)""",
    """CREATE TABLE attempt (
        id INTEGER PRIMARY KEY, cased INTEGER NOT NULL, number INTEGER NOT NULL, status TEXT NOT NULL, key BLOB, tokens INTEGER,
        cost REAL, left_behind INTEGER NOT NULL, verdict TEXT, place INTEGER NOT NULL, sum INTEGER NOT NULL,
        stale INTEGER NOT NULL DEFAULT 0)""",
    "CREATE TABLE transcript (id INTEGER PRIMARY KEY, body BLOB NOT NULL)",
)
"""The tables of the first schema."""


def test_a_log_of_the_first_schema_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Its rows have checksums of their own, and no word for what came later; what is damaged is still seen."""
    new, path = tmp_path / "new.db", tmp_path / "runs.db"
    run_of(attempts(9), new)
    source, old = sqlite3.connect(new), sqlite3.connect(path)
    for statement in FIRST:
        old.execute(statement)
    for table in ("run", "part", "cased", "attempt", "transcript"):
        names = [row[1] for row in old.execute(f"PRAGMA table_info({table})")]
        for row in source.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall():
            if table == "attempt":
                told = repr((*row[1:10],)).encode("utf-8", "backslashreplace")
                row = (*row[:10], zlib.crc32(told), row[11])
            old.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    old.execute(f"PRAGMA application_id={logschema.APPLICATION}")
    old.execute("PRAGMA user_version=1")
    old.commit()
    source.close()
    with Reading(path) as reading:
        made = [each.attempt for each in reading.stream(reading.run("last"))]
        assert [(each.status, each.verdict, each.transcript) for each in made] == [
            (each.status, each.verdict, each.transcript) for each in attempts(9)
        ]
        assert reading.notes == []
    old.execute("UPDATE attempt SET status = 'error' WHERE status = 'failed'")
    old.commit()
    old.close()
    with Reading(path) as reading:
        assert len(reading.written(reading.run("last"))) == 7
        assert reading.notes


class Contended(sqlite3.Connection):
    """A connection at which the change to writing ahead finds another that changes, `left` times: SQLite waits for no such lock."""

    left = 2

    def execute(self, *given: object) -> sqlite3.Cursor:  # type: ignore[override]
        """Refuse the change, as SQLite does."""
        if given[0] == "PRAGMA journal_mode=WAL" and self.left:
            self.left -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(*given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("left", "busy", "made"), [(0, 0.0, True), (2, 5.0, True), (2, 0.0, False)])
def test_two_processes_that_make_the_log_at_once(left: int, busy: float, made: bool, tmp_path: Path) -> None:
    """Seen with the workers of pytest-xdist: one of them wrote no log."""
    connection = sqlite3.connect(tmp_path / "runs.db", factory=Contended, isolation_level=None)
    connection.left = left
    try:
        logschema._write_ahead(connection, busy)
    except sqlite3.OperationalError:
        assert not made
    else:
        assert (made, connection.left) == (True, 0)
    finally:
        connection.close()


def test_a_locked_database_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    """Another process holds it for longer than one waits."""
    path = tmp_path / "runs.db"
    run_of(attempts(1), path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert (
        refused(path, attempts(2), busy=0.05)
        == "the run log DIR/runs.db can't be written: another process keeps it locked (database is locked)"
    )
    other.execute("ROLLBACK")
    other.close()
    assert len(read(path)) == 1


def test_a_full_disk_ends_the_log_and_not_the_run(tmp_path: Path) -> None:
    """What was written before stays, what comes after goes without, and the sentence says so."""
    path = tmp_path / "runs.db"
    told = Told()
    recording = RunLog(path, warn=told).begin()
    made = attempts(40)
    for each in made:
        each.transcript.notes.append(os.urandom(3000).hex())

    async def go() -> None:
        part = recording.part("", plan(made), Keys(plan(made)))
        for index, each in enumerate(made):
            if index == 10:
                recording.write(
                    lambda: lambda connection: connection.execute("PRAGMA max_page_count=40"), lambda error: None
                )
            assert await part.wrote(index, each) is each

    asyncio.run(go())
    recording.end(Report(attempts=tuple(made)))
    assert told == [f"the run log {path} can't be written: the disk is full (database or disk is full)"]
    kept = read(path)
    assert 10 <= len(kept) < 40
    assert all(map(same, kept, made))


def test_a_log_that_somebody_takes_away(tmp_path: Path) -> None:
    """SQLite goes on writing to what nobody finds any more; it is said, and nobody takes the run for kept."""
    path = tmp_path / "runs.db"
    told = Told()
    recording = RunLog(path, warn=told).begin()
    path.unlink()
    recording.end(Report(attempts=tuple(attempts(1))))
    sentence = f"the run log {path} was removed or replaced while the run went on: what was written to it is lost"
    assert (recording.notes, list(told)) == ((sentence,), [sentence])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs folders that the user may not write to")
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    """No log is written there, and one that lies there is read."""
    path = tmp_path / "runs.db"
    run_of(attempts(2), path)
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert len(read(path)) == 2
        assert "can't be written" in refused(tmp_path / "new.db", attempts(1))
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_transcript_that_can_not_be_written_costs_only_itself(tmp_path: Path) -> None:
    """The verdict is kept, and the transcript says what happened to it."""
    bad, good = attempts(2)
    bad.transcript.calls = 3  # type: ignore[assignment]
    bad.transcript.messages = [bad.transcript, object()]  # type: ignore[list-item]
    assert run_of([bad, good], tmp_path / "runs.db").error is None
    back = read(tmp_path / "runs.db")
    assert [each.status for each in back] == ["passed", "passed"]
    assert back[1].transcript == good.transcript


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    """How a run ended comes from its report, unless the conductor knows better."""
    for how, report in (
        ("interrupted", Report(interrupted=True)),
        ("stopped", Report(stopped="at the first")),
        ("finished", Report()),
    ):
        recording = RunLog(tmp_path / "runs.db").begin()
        recording.end(report)
        with Reading(tmp_path / "runs.db") as reading:
            assert reading.run("last").how == how
            assert reading.run(recording.id[-6:]).id == recording.id
