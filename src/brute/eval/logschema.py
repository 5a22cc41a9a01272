"""The run log's database: its tables, how it is opened, and the sentences for when it can't be."""

from __future__ import annotations

import functools
import os
import sqlite3
import time
from pathlib import Path

from ..errors import BruteError
from .places import LOG

SCHEMA = 2
"""The number of the tables' form, kept in the database; a newer one than this is refused, an older one migrated."""

APPLICATION = 0x62727574
"""What marks the file as a run log (`brut`), in SQLite's application id."""

BUSY = 10.0
"""Seconds that one waits for another process that is writing."""

SERIALS = 2**32
"""An attempt's id is the number of its run times this, plus its place in the run: the rows of a run lie side by side."""

# The transcripts lie in a table of their own, so that nobody who reads verdicts has to step over them.
TABLES = (
    """CREATE TABLE run (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, command TEXT NOT NULL, shard TEXT, whole BLOB, versions TEXT NOT NULL,
        commit_id TEXT, dirty INTEGER, host TEXT NOT NULL, process INTEGER NOT NULL, started REAL NOT NULL, ended REAL, how TEXT,
        exit_status INTEGER, seconds REAL, counts TEXT, notes TEXT NOT NULL DEFAULT '[]', born TEXT, beat REAL)""",
    """CREATE TABLE part (
        run INTEGER NOT NULL, suite TEXT NOT NULL, position INTEGER NOT NULL, planned INTEGER NOT NULL, agent BLOB, world BLOB,
        source TEXT NOT NULL, settings TEXT, spent TEXT, PRIMARY KEY (run, suite)) WITHOUT ROWID""",
    """CREATE TABLE cased (
        number INTEGER PRIMARY KEY, suite TEXT NOT NULL, name TEXT NOT NULL, content BLOB, about TEXT NOT NULL, digest BLOB NOT NULL UNIQUE)""",
    """CREATE TABLE attempt (
        id INTEGER PRIMARY KEY, cased INTEGER NOT NULL, number INTEGER NOT NULL, status TEXT NOT NULL, key BLOB, tokens INTEGER,
        cost REAL, left_behind INTEGER NOT NULL, verdict TEXT, place INTEGER NOT NULL, sum INTEGER NOT NULL,
        stale INTEGER NOT NULL DEFAULT 0, earlier TEXT)""",
    "CREATE TABLE transcript (id INTEGER PRIMARY KEY, body BLOB NOT NULL, masked INTEGER NOT NULL DEFAULT 0, sum INTEGER)",
)

MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE run ADD COLUMN born TEXT",
        "ALTER TABLE run ADD COLUMN beat REAL",
        "ALTER TABLE part ADD COLUMN settings TEXT",
        "ALTER TABLE part ADD COLUMN spent TEXT",
        "ALTER TABLE attempt ADD COLUMN earlier TEXT",
        "ALTER TABLE transcript ADD COLUMN masked INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE transcript ADD COLUMN sum INTEGER",
    )
}
"""By schema number, the statements that make the next one of it."""


class LogError(BruteError):
    """A run log that can't be opened, written or read: one sentence that names the file."""


class NoLog(LogError):
    """A path at which there is no run log: whoever named it meant another."""


def writable(path: str | os.PathLike[str], busy: float = BUSY) -> sqlite3.Connection:
    """The database at `path`, made where there is none, ready to be written; raises `LogError`."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LogError(f"the run log {path} can't be written: {error.strerror or error}") from error
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=busy, isolation_level=None, check_same_thread=False)
        _prepare(connection, path, busy)
    except (sqlite3.Error, LogError) as error:
        if connection is not None:
            connection.close()
        raise error if isinstance(error, LogError) else unwritten(path, error) from error
    return connection


def _prepare(connection: sqlite3.Connection, path: str | os.PathLike[str], busy: float) -> None:
    _check(connection, path)
    _write_ahead(connection, busy)
    connection.execute("PRAGMA synchronous=NORMAL")
    if _number(connection, "user_version") == SCHEMA:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Again, for another process may have been first.
    version = _number(connection, "user_version")
    steps = TABLES if version == 0 else [step for at in range(version, SCHEMA) for step in MIGRATIONS[at]]
    for statement in steps if version != SCHEMA else ():
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION}")
    connection.execute(f"PRAGMA user_version={SCHEMA}")
    connection.execute("COMMIT")


def _write_ahead(connection: sqlite3.Connection, busy: float) -> None:
    """Write ahead of the database; SQLite itself does not always wait for the others that do so to a new one at the same moment."""
    until = time.monotonic() + busy
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
        time.sleep(0.005)


def _folder(path: str | os.PathLike[str]) -> str:
    """Where in the folder the log is, if a folder it is."""
    logs = [place for place in (os.path.join(path, name) for name in ("runs.db", LOG)) if os.path.isfile(place)]
    return (f": it is a folder{f'; did you mean {logs[0]}?' if logs else ''}") if os.path.isdir(path) else ""


def readable(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """The database at `path`, to be read and never written; raises `LogError` for no file, and for what is no run log."""
    if not os.path.isfile(path):
        raise NoLog(f"there is no run log at {path}{_folder(path)}")
    reason: sqlite3.Error | None = None
    # A log in a folder that can't be written is read as it lies there: nobody else can be writing to it.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(
            f"{Path(path).resolve().as_uri()}?{mode}", uri=True, timeout=BUSY, check_same_thread=False
        )
        try:
            # A file that was cut off is read as far as it goes, and not refused as a whole.
            connection.execute("PRAGMA writable_schema=ON")
            _check(connection, path)
            version = _number(connection, "user_version")
            if version == 0:
                raise LogError(f"the run log {path} is empty")
            if version < SCHEMA:
                writable(path).close()
            connection.execute("SELECT count(*) FROM run").fetchone()
            _check_tables(connection, path)
            return connection
        except sqlite3.Error as error:
            connection.close()
            reason = reason or error
        except LogError:
            connection.close()
            raise
    assert reason is not None
    raise unread(path, reason)


def _check(connection: sqlite3.Connection, path: str | os.PathLike[str]) -> None:
    """Refuse what is no run log, or one of a later version."""
    version = _number(connection, "user_version")
    if _number(connection, "application_id") != APPLICATION:
        filled = version or connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        # Asked again, for another process may have made the log between the two questions.
        if filled and _number(connection, "application_id") != APPLICATION:
            raise NoLog(f"{path} is a database, but no run log")
    elif version > SCHEMA:
        raise LogError(
            f"the run log {path} has schema {version}, and this version of brute knows {SCHEMA}: a newer brute wrote it"
        )


def _check_tables(connection: sqlite3.Connection, path: str | os.PathLike[str]) -> None:
    """Refuse a log whose description of its tables is damaged: every question to it would be answered with nothing."""
    if _tables(connection) != _intended():
        raise LogError(f"the run log {path} can't be read: it is damaged (its tables are not those of a run log)")


def _tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = ("run", "part", "cased", "attempt", "transcript")
    return {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names}


@functools.cache
def _intended() -> dict[str, list[str]]:
    connection = sqlite3.connect(":memory:")
    for statement in TABLES:
        connection.execute(statement)
    found = _tables(connection)
    connection.close()
    return found


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def unwritten(path: str | os.PathLike[str], error: sqlite3.Error) -> LogError:
    """The sentence for a database that can't be written."""
    return LogError(f"the run log {path} can't be written: {_told(error)}")


def unread(path: str | os.PathLike[str], error: sqlite3.Error) -> LogError:
    """The sentence for a database that can't be read."""
    return LogError(f"the run log {path} can't be read: {_told(error)}")


_REASONS = {
    "SQLITE_BUSY": "another process keeps it locked",
    "SQLITE_LOCKED": "another process keeps it locked",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "it is read-only",
    "SQLITE_CORRUPT": "it is damaged",
    "SQLITE_NOTADB": "it is damaged, or no database at all",
    "SQLITE_CANTOPEN": "the file can't be opened",
    "SQLITE_IOERR": "the disk failed",
}


def _told(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    reason = next((told for known, told in _REASONS.items() if name.startswith(known)), None)
    return f"{reason} ({error})" if reason else str(error)
