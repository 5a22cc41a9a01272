"""`brute runs`."""

from __future__ import annotations

import os
import re
from pathlib import Path

from brute.eval.runlog import RunLog
from tests.eval.cli.conftest import Brute
from tests.eval.logged import attempts, run_of

PLACE = Path(".brute/runs.db")


def test_runs_are_listed_the_last_one_first(brute: Brute) -> None:
    """Id, time, how it ended, the attempts by status, and the command line."""
    first, second = run_of(attempts(10), PLACE), run_of(attempts(1), PLACE)
    ended = brute("runs")
    assert ended.status == 0
    assert ended.err == ""
    lines = ended.out.splitlines()
    assert lines[0].startswith(second.id)
    assert lines[2].startswith(first.id)
    assert re.fullmatch(
        r"\S+  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  finished  10 attempts: 6 passed, 2 failed, 2 errors, 1.5 s", lines[2]
    )
    assert lines[3] == "    brute eval x.py"


def test_only_so_many_are_listed(brute: Brute) -> None:
    """The rest is counted."""
    for _ in range(3):
        run_of([], PLACE)
    assert brute("runs", "-n", "1").last == "and 2 earlier runs"
    assert len(brute("runs").out.splitlines()) == 6


def test_a_run_that_was_never_ended_is_unfinished_unless_it_goes_on(brute: Brute) -> None:
    """A run whose process is there is running."""
    recording = RunLog(PLACE).begin(["brute"])
    assert "  running  0 attempts" in brute("runs").out
    recording.write(lambda: lambda c: c.execute("UPDATE run SET host = 'elsewhere'"), lambda error: None)
    recording.close()
    assert "  unfinished  0 attempts" in brute("runs").out


def test_the_commit_is_listed_with_a_mark_where_files_were_changed(brute: Brute) -> None:
    """Nobody can tell from a commit alone what ran where files had been changed."""
    recording = RunLog(PLACE).begin(["brute"])
    recording._know("0123456789abcdef", True)
    recording.close()
    assert "01234567+" in brute("runs").out


def test_no_log_and_a_broken_one_are_told_in_a_sentence(brute: Brute) -> None:
    """To standard error, with an exit status that is not 0."""
    ended = brute("runs")
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: there is no run log at {PLACE}\n")
    Path("x.db").write_text("nothing of the kind" * 100)
    ended = brute("runs", "--log", "x.db")
    assert ended.status == 3
    assert (
        ended.err
        == "Error: the run log x.db can't be read: it is damaged, or no database at all (file is not a database)\n"
    )


def test_a_command_line_can_not_fool_the_terminal(brute: Brute) -> None:
    """What stands in it is shown and does not act."""
    RunLog(PLACE).begin(["brute", "eval", "\x1b[2J##vso[x]\n::error::forged"]).close()
    told = brute("runs").out
    assert all(line.isprintable() and not line.startswith("::") for line in told.splitlines())
    assert "##vso[" not in told
    assert os.path.exists(PLACE)
