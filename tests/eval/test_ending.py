"""Nobody leaves the process of a run without a word."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brute.eval import ending
from brute.eval.ending import Gone, guarded

posix = pytest.mark.skipif(os.name != "posix", reason="forks, and Unix's programs")

SUITE = """
import os
import threading
import brute
from brute.eval import Case, Suite

WAY = {way}


async def on_the_loop(env):
    if env.messages[0].content == "leave":
        WAY()
    return "done"


def on_a_thread(env):
    if env.messages[0].content == "leave":
        WAY()
    return "done"


async def again_and_again(env):
    while env.messages[0].content == "leave":
        try:
            WAY()
        except BaseException:
            pass
    return "done"


def on_its_own_thread(env):
    if env.messages[0].content == "leave":
        thread = threading.Thread(target=WAY)
        thread.start()
        thread.join()
    return "done"


def leaves():
    WAY()


def where():
    return brute.agent().run({where}) if {where} is not leaves else leaves()


CASES = [Case("stays", said="x"), Case("leaves", said="leave"), Case("later", said="x")]
if __name__ == "__main__":
    raise SystemExit(Suite(where, CASES, jobs=1, log=None).run())
"""


def ended(folder: Path, where: str, way: str) -> subprocess.CompletedProcess[str]:
    """How a script ends whose agent leaves that way."""
    file = folder / "eval_leaves.py"
    file.write_text(SUITE.format(where=where, way=way))
    command = [sys.executable, "-W", "error", str(file)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=folder)


@pytest.mark.parametrize("where", ["on_the_loop", "on_a_thread", "again_and_again", "on_its_own_thread", "leaves"])
def test_an_agent_that_leaves_with_0_does_not_end_the_run_with_0(where: str, tmp_path: Path) -> None:
    """Wherever it does; what was finished is reported, and the line is named."""
    done = ended(tmp_path, where, "lambda: os._exit(0)")
    assert done.returncode == ending.SILENT
    assert done.stderr.startswith(
        "Error: eval_leaves.py:7 in <lambda> called os._exit (exit status 0), which ends the run: "
    )
    stayed = ("1 passed", "2 cancelled") if where != "leaves" else ("", "3 cancelled")
    if where != "again_and_again":  # it does not let the loop go on, which has to be left as it is
        assert all(each in done.stdout.splitlines()[-1] for each in stayed)


def test_a_status_that_is_not_0_is_kept(tmp_path: Path) -> None:
    """It says that something went wrong already."""
    assert ended(tmp_path, "on_a_thread", "lambda: os._exit(5)").returncode == 5


@posix
@pytest.mark.parametrize("way", ["os.execv('/bin/true', ['true'])", "os.execlp('true', 'true')"])
def test_to_become_another_program_is_to_leave(way: str, tmp_path: Path) -> None:
    """Its status would be taken for the run's."""
    done = ended(tmp_path, "on_a_thread", f"lambda: {way}")
    assert (done.returncode, "called os.exec" in done.stderr) == (ending.SILENT, True)


@posix
def test_a_forked_child_may_leave(tmp_path: Path) -> None:
    """As `multiprocessing` does; nothing is said, and the suite passes."""
    way = "lambda: os.waitpid(pid, 0) if (pid := os.fork()) else os._exit(0)"
    done = ended(tmp_path, "on_the_loop", way)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_that_is_being_loaded_is_not_let_leave() -> None:
    """On the main thread it is told, as by `sys.exit`, with a status that is not 0."""
    with guarded(), pytest.raises(Gone) as taken:
        os._exit(0)
    assert (taken.value.asked, taken.value.code) == (0, ending.SILENT)


def test_nothing_is_left_of_it() -> None:
    """Nested or not, the ways out are as they were."""
    before = os._exit
    with guarded(), guarded():
        assert os._exit is not before
    assert os._exit is before
    assert ending.gone() is None


def test_whiles_may_overlap() -> None:
    """As those of two tasks do: the last to end leaves."""
    before = os._exit
    one, other = guarded(), guarded()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert os._exit is not before
    other.__exit__(None, None, None)
    assert os._exit is before


def test_a_thread_is_let_go_of_where_the_process_goes_on() -> None:
    """What wanted its end gets an exception, as by `sys.exit`."""
    caught: list[Gone] = []

    def leave() -> None:
        try:
            os._exit(0)
        except Gone as gone:
            caught.append(gone)

    with guarded('executor="process"'), ending.under_way(ending.spare):
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    assert [each.code for each in caught] == [ending.SILENT]
    assert 'with executor="process" it costs' in caught[0].sentence


def test_a_thread_that_waits_for_an_end_that_does_not_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends all the same, by the way that there was."""
    monkeypatch.setattr(ending, "LEAVE", 0.01)
    taken: list[object] = []
    monkeypatch.setattr(os, "_exit", taken.append)
    asked: list[int] = []

    def leave() -> None:
        with pytest.raises(SystemExit):
            os._exit(0)

    with guarded(), ending.under_way(lambda: asked.append(1)):
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
        assert ending.gone() is not None
    assert (asked, taken) == ([1], [ending.SILENT])
