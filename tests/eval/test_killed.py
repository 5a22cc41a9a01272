"""Runs that are killed without warning, at any moment, and gone on with."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from brute.eval.logreading import Reading

WIDTH = 8

AGENT = """
import brute
from brute.testing import Script


def agent():
    return brute.agent().run(Script(["Rates were held at 4.25%."]))
"""

EVAL = """
import os
from brute.eval import Case, Suite, World


class Room(World):
    def prepare(self, case):
        begun = os.open("begun.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(begun, case.name.encode() + b"\\n")
        os.close(begun)
        return case.said


CASES = [Case(f"case {n}", said="rates?", mentions=["5.25" if n % 50 == 7 else "4.25"]) for n in range(COUNT)]
SUITE = Suite(agent="agent.py", cases=CASES, world=Room, jobs=8)
"""


class Killed:
    """A folder in which `brute eval` is run, killed, and run again."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.count = count
        (folder / "agent.py").write_text(AGENT)
        (folder / "eval_it.py").write_text(EVAL.replace("COUNT", str(count)))

    def run(self, *words: str, lines: int | None = None) -> tuple[list[str], int | None]:
        """The names of the cases that were reported, and the exit status, None where it was killed after so many lines."""
        command = [sys.executable, "-m", "brute", "eval", "eval_it.py", *words]
        self.ended = False
        with (
            (self.folder / "said.txt").open("w") as said,
            subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=said, text=True) as process,
        ):
            assert process.stdout is not None
            read = []
            for line in process.stdout:
                read.append(line)
                if lines is not None and len(read) >= lines:
                    process.kill()
            status = process.wait()
        self.last = "".join(read)
        return re.findall(r"^(?:passed|failed) +(case \d+)$", self.last, re.M), None if status == -9 else status

    def begun(self) -> list[str]:
        """The attempts that were begun since one last asked."""
        path = self.folder / "begun.log"
        names = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return names

    def logged(self) -> dict[str, str]:
        """What is in the log of the last run, every transcript included: the status by the case."""
        with Reading(self.folder / ".brute" / "runs.db") as reading:
            run = reading.run("last")
            self.ended = run.how == "finished"
            made = [each.attempt for each in reading.stream(run)]
            assert reading.notes == []
            assert all(each.transcript.reply == "Rates were held at 4.25%." for each in made)
        assert len({each.case.name for each in made}) == len(made)
        return {each.case.name: each.status for each in made}


def summary(text: str) -> list[str]:
    """The end of a report, without how long it took."""
    lines = text.rpartition("\n\n")[2].splitlines()
    # A busy machine is remarked, and says nothing of the run.
    lines = [line for line in lines if not line.startswith("note: the event loop stood still ")]
    return [*lines[:-1], lines[-1].rpartition(" in ")[0]]


def killed_and_resumed(folder: Path, count: int, moments: Sequence[int]) -> None:
    """Kill runs of `count` attempts after so many lines each, and go on with them; when one is done, begin another.

    The first is killed after its very last line.
    """
    brute = Killed(folder, count)
    assert brute.run("--log", "whole.db")[1] == 1
    whole = summary(brute.last)
    brute.begun()
    last = len(brute.last.splitlines())
    going, before = False, set[str]()
    for lines in [last, *moments, None]:
        reported, status = brute.run(*(["--resume"] if going else []), lines=lines)
        begun = brute.begun()
        logged = brute.logged() if going or begun or reported else {}
        assert set(reported) <= set(logged)
        assert before <= set(logged)
        assert not set(begun) & before, "what was done was done again"
        assert len(set(begun) - set(logged)) <= WIDTH, "more was lost than was under way"
        assert max(Counter(begun).values(), default=1) == 1
        before, going = set(logged), True
        if status is None and brute.ended:
            # Killed after its end was in the log, and before the process was gone: there is nothing left to go on with.
            assert len(logged) == count
            going, before = False, set()
        if status is not None:
            assert status == 1, (folder / "said.txt").read_text()
            assert len(logged) == count
            assert sum(each == "failed" for each in logged.values()) == len([n for n in range(count) if n % 50 == 7])
            assert summary(brute.last) == whole
            going, before = False, set()


def test_a_run_that_is_killed_loses_nothing_that_it_reported(tmp_path: Path) -> None:
    """The log opens, resuming does at most what was under way again, and the end is that of a run that was never killed."""
    killed_and_resumed(tmp_path, 60, [1, 30, 95, 61])


@pytest.mark.functional
def test_a_run_that_is_killed_at_two_hundred_moments(tmp_path: Path) -> None:
    """Each at random, over runs of 500 attempts."""
    seed = random.randrange(10**9)
    print(f"the moments are those of the seed {seed}")
    choose = random.Random(seed)
    killed_and_resumed(tmp_path, 500, [choose.randrange(1, 600) for _ in range(200)])
