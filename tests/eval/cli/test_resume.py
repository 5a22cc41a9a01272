"""`brute eval --log`, `--resume` and `--shard`."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from brute.eval.logreading import Reading
from tests.eval.cli.conftest import Brute, command

PLACE = Path(".brute/runs.db")

SLOW = """
import os
from brute.eval import Case, Suite, World


class Room(World):
    def prepare(self, case):
        with open("made.txt", "a") as made:
            made.write(case.name + "\\n")
        if case.name == os.environ.get("STOP_AT"):
            os.kill(os.getpid(), {signal})
        return case.said


CASES = [Case(f"case {{n}}", said="rates?", mentions=["5.25" if n == 2 else "4.25"]) for n in range(6)]
SUITE = Suite(agent="agent.py", cases=CASES, world=Room, jobs=1)
"""


def made() -> list[str]:
    """The attempts that were made since one last asked."""
    path = Path("made.txt")
    names = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return names


def runs() -> int:
    """How many runs are in the log."""
    with Reading(PLACE) as reading:
        return len(reading.runs())


def test_a_run_is_in_the_log_unless_none_is_wanted(brute: Brute) -> None:
    """Several files are one run; another log may be named."""
    assert brute("eval", "eval_green.py", "eval_red.py").status == 1
    assert brute("eval", "eval_green.py", "--log", "none").status == 0
    assert brute("eval", "eval_green.py", "--log", "deep/x.db").status == 0
    with Reading(PLACE) as reading:
        [run] = reading.runs()
        assert (run.how, run.exit_status, run.planned, run.counts) == ("finished", 1, 4, {"passed": 3, "failed": 1})
        assert [each.attempt.suite for each in reading.written(run)] == ["eval_green.py"] * 2 + ["eval_red.py"] * 2
    assert Path("deep/x.db").exists()


def test_a_suite_may_name_its_log(brute: Brute, folder: Path) -> None:
    """Or that it wants none."""
    text = (folder / "eval_red.py").read_text()
    (folder / "eval_red.py").write_text(text.replace("jobs=1)", "jobs=1, log='own.db')"))
    brute("eval", "eval_red.py")
    (folder / "eval_red.py").write_text(text.replace("jobs=1)", "jobs=1, log=None)"))
    brute("eval", "eval_red.py")
    assert Path("own.db").exists()
    assert not PLACE.exists()


def test_a_log_that_can_not_be_written_costs_no_verdict(brute: Brute) -> None:
    """The sentence stands on standard error and in the report, and the exit status is the run's."""
    Path("x.db").write_text("nothing of the kind" * 100)
    ended = brute("eval", "eval_red.py", "--log", "x.db")
    assert ended.status == 1
    sentence = "the run log x.db can't be written: it is damaged, or no database at all (file is not a database)"
    assert ended.err == f"Warning: {sentence}\n"
    assert f"note: {sentence}\n" in ended.out
    assert ended.last.startswith("1 failed, 1 passed in ")


def test_what_is_refused_is_no_run(brute: Brute, folder: Path) -> None:
    """A slip that is found at the first build leaves nothing in the log."""
    (folder / "agent.py").write_text("def agent(needs):\n    pass\n")
    assert brute("eval", "eval_red.py").status == 2
    assert runs() == 0


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_cut_off_is_gone_on_with(way: int, brute: Brute, folder: Path) -> None:
    """Only what is missing is made, and the end is that of a run that was never interrupted."""
    (folder / "eval_slow.py").write_text(SLOW.format(signal=int(way)))
    done = subprocess.run(
        command("eval", "eval_slow.py"), env={**os.environ, "STOP_AT": "case 4"}, capture_output=True, timeout=60
    )
    assert done.returncode == (-9 if way == signal.SIGKILL else 130)
    assert made() == [f"case {n}" for n in range(5)]
    if way == signal.SIGINT:
        assert b"note: to go on with what is missing: brute eval --resume 20" in done.stdout
    ended = brute("eval", "--resume")
    left = made()
    # An attempt that was about to end may still have ended when Ctrl-C came.
    assert left in (["case 4", "case 5"], ["case 5"][: way == signal.SIGINT])
    with Reading(PLACE) as reading:
        [run] = reading.runs()
        assert (run.how, run.exit_status, run.counts) == ("finished", 1, {"passed": 5, "failed": 1})
    assert ended.err == f"going on with run {run.id}: {6 - len(left)} attempts done before\n"
    whole = brute("eval", "eval_slow.py", "--log", "other.db")
    assert ended.status == whole.status == 1
    assert ended.out.splitlines()[-3:-1] == whole.out.splitlines()[-3:-1]
    assert made() == [f"case {n}" for n in range(6)]


def test_what_has_changed_runs_again_and_is_named(brute: Brute, folder: Path) -> None:
    """A changed case alone, a changed agent everything."""
    file = folder / "eval_slow.py"
    file.write_text(SLOW.format(signal=9))
    brute("eval", "eval_slow.py")
    made()
    file.write_text(file.read_text().replace('"5.25" if n == 2', '"4.25" if n == 2'))
    ended = brute("eval", "eval_slow.py", "--resume", "last")
    assert '1 attempt made again, since the case changed: "case 2"' in ended.err
    assert ended.status == 0
    assert made() == ["case 2"]
    (folder / "agent.py").write_text((folder / "agent.py").read_text() + "\n# changed\n")
    ended = brute("eval", "eval_slow.py", "--resume=last")
    assert "6 attempts made again, since the agent changed" in ended.err
    assert len(made()) == 6
    assert brute("eval", "--resume", "last").err.endswith(": 6 attempts done before\n")
    assert made() == []
    file.write_text(file.read_text().replace("made.write(case.name", "made.write(case.name + ''"))
    assert "6 attempts made again, since the world changed" in brute("eval", "--resume", "last").err


def test_there_must_be_a_run_to_go_on_with(brute: Brute) -> None:
    """Each with a sentence of its own; a file after --resume is the file."""
    assert brute("eval", "--resume").err == f"Error: there is no run log at {PLACE}\n"
    brute("eval", "eval_green.py")
    for words in (("--resume",), ("--resume", "eval_green.py"), ("eval_green.py", "--resume")):
        ended = brute("eval", *words)
        assert (ended.status, ended.err) == (2, f"Error: no run in {PLACE} is unfinished; `brute runs` lists them\n")
    ended = brute("eval", "eval_green.py", "--resume", "nope")
    assert (ended.status, ended.err) == (2, f"Error: no run 'nope' in {PLACE}; `brute runs` lists them\n")
    ended = brute("eval", "eval_green.py", "--log", "none", "--resume", "last")
    assert (ended.status, ended.err) == (2, "Error: there is no log to resume a run from\n")
    assert runs() == 1


def test_shards_are_run_apart_and_merged_into_the_run_of_all(brute: Brute, folder: Path) -> None:
    """Every case once, and the merged run ends as the whole would."""
    (folder / "eval_slow.py").write_text(SLOW.format(signal=9))
    for number in (1, 2, 3):
        brute("eval", "eval_slow.py", "eval_green.py", "--shard", f"{number}/3", "--log", f"{number}.db")
    assert sorted(made()) == [f"case {n}" for n in range(6)]
    ended = brute("merge", "1.db", "2.db", "3.db", "-o", "all.db")
    assert "finished  8 attempts: 7 passed, 1 failed" in ended.out
    assert brute("grade", "last", "--log", "all.db", "eval_slow.py", "eval_green.py").status == 1


@pytest.mark.parametrize(
    ("shard", "status", "told"),
    [
        ("0/3", 2, "a shard is written as NUMBER/OF, such as 2/5 for the second of five; got '0/3'"),
        ("9/9", 5, "shard 9/9 has no case: there are fewer cases than shards"),
    ],
)
def test_a_shard_that_can_not_be_meant_is_refused(shard: str, status: int, told: str, brute: Brute) -> None:
    """One without a case is no pass."""
    ended = brute("eval", "eval_green.py", "--shard", shard)
    assert (ended.status, ended.err) == (status, f"Error: {told}\n")


def test_no_secret_gets_into_a_report_or_an_error(brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by the environment nor by the shape of a key."""
    monkeypatch.setenv("SOME_API_KEY", "b4nk-0f-england")
    text = (folder / "agent.py").read_text()
    (folder / "agent.py").write_text(text.replace("Rates were", "b4nk-0f-england sk-abcdefghijklmnopqrstuvwx"))
    told = brute("eval", "eval_green.py", "eval_red.py")
    assert "***SOME_API_KEY*** sk-*** held" in told.out
    assert 'answered when it should have stayed silent: "***SOME_API_KEY*** sk-*** held at 4.25%."' in told.out
    assert "b4nk-0f-england" not in brute("show", "last", "stays silent").out
    assert brute("eval", "b4nk-0f-england.py").err == "Error: no such file: ***SOME_API_KEY***.py\n"
