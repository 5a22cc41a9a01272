"""What a worker of xdist makes together, and how many at a time."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from brute.eval.pytesting import share
from tests.eval.pytesting.conftest import GREEN, GREY, RED, Run, logged

pytest.importorskip("xdist")

LEAVES = """
import os, signal
import brute
from brute.eval import Case


async def model(env):
    if env.messages[-1].content == "leave":
        LEAVE
    return "hi"


def on_a_thread(env):
    if env.messages[-1].content == "leave":
        LEAVE
    return "hi"


def agent():
    return brute.agent().run(MODEL)


AGENT = agent
CASES = [Case("one", said="x"), Case("leaves", said="leave"), Case("three", said="x"), Case("four", said="x")]
"""


@pytest.mark.parametrize(("workers", "wanted", "width"), [(None, 16, 16), (4, 16, 4), (3, 16, 5), (8, 4, 1)])
def test_the_number_is_for_all_workers_together(workers: int | None, wanted: int, width: int) -> None:
    """Each has its part of it, and one at the least."""
    config: Any = SimpleNamespace() if workers is None else SimpleNamespace(workerinput={"workercount": workers})
    assert share.width(config, wanted) == width


@pytest.mark.parametrize("how", ["load", "loadfile", "worksteal"])
def test_n(run: Run, folder: Path, how: str) -> None:
    """The outcomes, what is shown and the JUnit file are those of one process; every attempt is made once."""
    result = run(
        "-p", "xdist", "-n", "2", "--dist", how, "--junit-xml=report.xml", "--brute-runs", "2", apart=True,
        eval_green=GREEN, eval_red=RED, eval_grey=GREY, test_a="def test_a(): pass",
    )  # fmt: skip
    result.assert_outcomes(passed=4, failed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "error      *is checked, attempt 1 of 2",
            "    - the check*",
            "failed     *says 4.5, attempt 1 of 2",
            "*<- mentions",
        ]
    )
    suite = ElementTree.parse(folder / "report.xml").find("testsuite")
    assert suite is not None
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")
    counts = [counts for _, counts in logged(folder / ".brute" / "runs.db")]
    total = {status: sum(each.get(status, 0) for each in counts) for status in ("passed", "failed", "error")}
    assert total == {"passed": 6, "failed": 2, "error": 2}


def test_a_worker_makes_what_it_was_sent_together(run: Run, folder: Path) -> None:
    """A file goes to one worker under `--dist loadfile`, and is one run of the log there."""
    run("-p", "xdist", "-n", "1", "--dist", "loadfile", apart=True, eval_green=GREEN)
    assert logged(folder / ".brute" / "runs.db") == [("finished", {"passed": 2})]


def test_notes_of_a_worker_are_told_by_the_controller(run: Run) -> None:
    """Once."""
    result = run("-p", "xdist", "-n", "2", "--brute-log", "agent.py/runs.db", apart=True, eval_green=GREEN)
    result.assert_outcomes(passed=2)
    assert result.stdout.str().count("note: the run log agent.py/runs.db can't be written") == 1


@pytest.mark.parametrize("model", ["model", "on_a_thread"])
def test_an_agent_that_ends_a_worker_costs_what_was_underway_there(run: Run, folder: Path, model: str) -> None:
    """It could not be graded; the worker goes on with the rest, and so does the session."""
    text = LEAVES.replace("LEAVE", "os._exit(0)").replace("MODEL", model)
    result = run("-p", "xdist", "-n", "1", "--brute-jobs", "1", apart=True, eval_a=text, test_a="def test_a(): pass")
    result.assert_outcomes(passed=4, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "ERROR eval_a.py::leaves - could not be graded: not finished: eval_a.py:" in result.stdout.str()
    result.stdout.fnmatch_lines(
        ["note: eval_a.py:* called os._exit (exit status 0), which ends the run: *--brute-isolate*"]
    )
    assert [how for how, _ in logged(folder / ".brute" / "runs.db")] == ["interrupted", "finished"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_worker_that_dies_is_a_failure_of_the_item_that_it_was_at(run: Run) -> None:
    """That is xdist's doing: the first of those whose attempts it made together, until the one that kills it is the first. The rest run."""
    text = LEAVES.replace("LEAVE", "os.kill(os.getpid(), signal.SIGKILL)").replace("MODEL", "model")
    result = run("-p", "xdist", "-n", "1", "--brute-jobs", "1", apart=True, eval_a=text, test_a="def test_a(): pass")
    result.assert_outcomes(passed=3, failed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "crashed while running 'eval_a.py::leaves'" in result.stdout.str()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_isolated_it_is_a_failure_of_its_own_item_alone(run: Run) -> None:
    """A process for each attempt: the worker lives."""
    text = LEAVES.replace("LEAVE", "os.kill(os.getpid(), signal.SIGKILL)").replace("MODEL", "model")
    result = run("-p", "xdist", "-n", "1", "--brute-isolate", apart=True, eval_a=text, test_a="def test_a(): pass")
    result.assert_outcomes(passed=4, failed=1)
    assert "FAILED eval_a.py::leaves - the turn crashed its process" in result.stdout.str()
