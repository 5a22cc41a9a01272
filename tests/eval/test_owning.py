"""Who is writing to a run."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from brute.errors import UsageError
from brute.eval import owning, provenance
from brute.eval.logreading import Reading
from brute.eval.logschema import writable
from brute.eval.logwriter import Writer
from brute.eval.runlog import RunLog


def test_a_process_of_this_machine_owns_its_run_while_it_lives() -> None:
    """By its number and when it began: a number is given again."""
    here, mine = provenance.host(), owning.born(os.getpid())
    assert mine is not None
    assert owning.owned(None, here, os.getpid(), mine, 0.0)
    assert owning.owned(None, here, os.getpid(), None, None)  # an older log does not tell when
    assert not owning.owned(None, here, os.getpid(), "another time", time.time())
    assert not owning.owned("finished", here, os.getpid(), mine, time.time())
    assert not owning.owned(None, here, 0, None, time.time())
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert not owning.owned(None, here, gone.pid, None, time.time())
    assert owning.born(gone.pid) is None


def test_a_process_that_ended_owns_nothing_though_nobody_asked_how() -> None:
    """The first process of many containers never does, and a killed run could not be gone on with."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    try:
        assert not provenance.alive(ended.pid)
        assert not owning.owned(None, provenance.host(), ended.pid, owning.born(ended.pid), time.time())
    finally:
        ended.wait()


def test_a_process_elsewhere_owns_its_run_while_it_is_heard_of() -> None:
    """Nobody can see from here whether it lives."""
    assert owning.owned(None, "elsewhere", 1, None, time.time())
    assert not owning.owned(None, "elsewhere", 1, None, time.time() - 2 * owning.LOST)
    assert not owning.owned(None, "elsewhere", 1, None, None)


def test_a_run_is_taken_over_once(tmp_path: Path) -> None:
    """The second is refused, and the run stays the first one's; when that has let it go, it is free."""
    path = tmp_path / "runs.db"
    began = RunLog(path).begin(["brute"])
    sentence = rf"run {began.id} is still going on \(process {os.getpid()}\); wait for its end, or stop it"
    with pytest.raises(UsageError, match=sentence):
        RunLog(path).resume(began.number, began.id)
    began.close()
    first = RunLog(path).resume(began.number, began.id)
    with pytest.raises(UsageError, match=sentence):
        RunLog(path).resume(began.number, began.id)
    first.close()
    connection = writable(path)
    connection.execute("UPDATE run SET process = 7, host = 'elsewhere', beat = ?", (time.time(),))
    connection.close()
    with pytest.raises(UsageError, match=r"\(process 7 on elsewhere\)"):
        RunLog(path).resume(began.number, began.id)


def test_who_writes_nothing_still_says_that_it_is_there(tmp_path: Path) -> None:
    """The writer beats while it waits."""
    path = tmp_path / "runs.db"
    recording = RunLog(path).begin(["brute"])
    recording.close()
    beaten = threading.Event()

    def beat(connection: object) -> None:
        owning.beaten(connection, recording.number)  # type: ignore[arg-type]
        beaten.set()

    began = time.time()
    writer = Writer(writable(path), str(path), beat, 0.001)
    assert beaten.wait(10)
    writer.close()
    assert writer.error is None
    with Reading(path) as reading:
        run = reading.run("last")
    assert run.beat is not None
    assert run.beat >= began
