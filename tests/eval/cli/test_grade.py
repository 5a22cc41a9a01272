"""`brute grade` and `brute merge`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from brute.eval import Attempt, Case, Report, Verdict
from brute.eval.runlog import RunLog
from tests.eval.cli.conftest import Brute
from tests.eval.logged import attempts, recorded, run_of
from tests.support.make import transcript

PLACE = Path(".brute/runs.db")


def run(*words: str) -> None:
    """A run of the two cases of eval_green.py, on this command line."""
    made = [
        Attempt(Case(name, said="rates?"), 1, "passed", Verdict(), transcript(reply="Held at 4.25%."))
        for name in ("answers", "says the rate")
    ]
    recording = RunLog(PLACE).begin(["brute", *words])
    asyncio.run(recorded(recording, made))
    recording.end(Report(attempts=tuple(made)))


def test_a_run_is_graded_again_by_the_files_of_its_command_line(brute: Brute, folder: Path) -> None:
    """Or by those that are named; the agent is not run."""
    run("eval", "eval_green.py")
    (folder / "agent.py").write_text("def agent():\n    raise RuntimeError('it ran')\n")
    assert brute("grade", "last").status == 0
    file = folder / "eval_green.py"
    file.write_text(file.read_text().replace('never=["search"]', 'mentions=["5.25"]'))
    ended = brute("grade", "last", "eval_green.py")
    assert ended.status == 1
    assert 'failed     says the rate (eval_green.py:7): never said "5.25"; the reply was "Held at 4.25%."' in ended.out


def test_the_choice_of_the_command_line_is_kept(brute: Brute) -> None:
    """Cases that were not selected are not missing."""
    run("eval", "eval_green.py", "-k", "answers")
    ended = brute("grade", "last")
    assert ended.status == 0
    assert '1 case of the run not graded, since no file offers them: "says the rate"' in ended.out
    run("eval", "eval_green.py", "--runs", "2")
    assert brute("grade", "last").status == 3


def test_a_run_of_a_script_needs_the_files(brute: Brute) -> None:
    """Nobody can tell what it was made of."""
    run_of(attempts(1), PLACE)
    recording = RunLog(PLACE).begin(["script.py"])
    recording.close()
    ended = brute("grade", "last")
    assert ended.status == 2
    assert ended.err == (
        "Error: the run was not made by a `brute eval` that can be read again; "
        f"name the eval files: brute grade {recording.id} PATH...\n"
    )


def test_logs_are_merged(brute: Brute) -> None:
    """The runs of the new log are listed; a log that is there is left alone."""
    first, second = run_of(attempts(1), Path("a.db")).id, run_of(attempts(2), Path("b.db")).id
    ended = brute("merge", "a.db", "b.db", "-o", "c.db")
    assert ended.status == 0
    assert [line.split()[0] for line in ended.out.splitlines()[::2]] == [first, second]
    ended = brute("merge", "a.db", "b.db", "--out", "c.db")
    assert (ended.status, ended.err) == (2, "Error: c.db is there already; a merge makes a new log\n")
    assert brute("merge", "a.db", "nope.db", "-o", "d.db").err == "Error: there is no run log at nope.db\n"
