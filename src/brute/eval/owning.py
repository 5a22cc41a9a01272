"""Who writes to a run: a process of this machine, or one elsewhere that was heard of lately. Two may not go on with one run."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from pathlib import Path

from ..errors import UsageError
from . import provenance

BEAT = 10.0
"""Seconds after which the process that writes to a run says again that it is there."""

LOST = 60.0
"""Seconds after which a process of another machine that says nothing is taken to be gone."""


def born(process: int) -> str | None:
    """When the process began, as the system counts it: another that gets its number later began at another time."""
    try:
        # The name in parentheses may hold spaces.
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        command = ["ps", "-o", "lstart=", "-p", str(process)]
        told = subprocess.run(command, capture_output=True, timeout=5, check=True, text=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return " ".join(told.split()) or None


def owned(how: str | None, host: str, process: int, since: str | None, beat: float | None) -> bool:
    """Whether somebody is still writing to the run whose row says this."""
    if how is not None or process <= 0:
        return False
    if host != provenance.host():
        return beat is not None and abs(time.time() - beat) < LOST
    return provenance.alive(process) and since in (None, born(process))


def claim(connection: sqlite3.Connection, number: int, id: str) -> None:
    """Take the run over, within a transaction; raises `UsageError` where somebody is still writing to it."""
    row = connection.execute("SELECT how, host, process, born, beat FROM run WHERE number = ?", (number,)).fetchone()
    if row is not None and owned(*row):
        whose = f"process {row[2]}" + ("" if row[1] == provenance.host() else f" on {row[1]}")
        raise UsageError(f"run {id} is still going on ({whose}); wait for its end, or stop it")
    mine = (os.getpid(), provenance.host(), born(os.getpid()), time.time(), number)
    connection.execute(
        "UPDATE run SET ended = NULL, how = NULL, exit_status = NULL, counts = NULL, process = ?, host = ?, born = ?, beat = ? "
        "WHERE number = ?",
        mine,
    )


def beaten(connection: sqlite3.Connection, number: int) -> None:
    """Say that the process that writes to the run is still there."""
    connection.execute("UPDATE run SET beat = ? WHERE number = ?", (time.time(), number))


def let_go(connection: sqlite3.Connection, number: int) -> None:
    """Leave a run that has no end to whoever goes on with it."""
    connection.execute("UPDATE run SET process = 0 WHERE number = ? AND how IS NULL", (number,))
