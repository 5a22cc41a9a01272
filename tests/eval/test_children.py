"""No child that a tool started outlives an interrupted run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brute.eval import children

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc here")

SLEEPS = [sys.executable, "-c", "print('up', flush=True); import time; time.sleep(60)"]
RESISTS = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]


@contextmanager
def child(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A child that has begun."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as made:
        assert made.stdout is not None
        assert made.stdout.readline() == "up\n"
        try:
            yield made
        finally:
            made.kill()


def gone(pid: int) -> bool:
    """Whether the process has ended, or will have in a moment."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z":
                return True
        except OSError:
            return True
    return False


def test_children_are_asked_to_end_and_others_are_spared() -> None:
    """What was there before the run is none of its business."""
    with child(SLEEPS) as before:
        spared = children.running()
        with child(SLEEPS) as meanwhile:
            assert {before.pid, meanwhile.pid} <= children.running()
            children.end(spared)
            assert (meanwhile.wait(5), before.poll()) == (-signal.SIGTERM, None)


def test_a_child_that_resists_is_killed() -> None:
    """When its grace is over."""
    spared = children.running()
    with child(RESISTS) as stubborn:
        children.end(spared, grace=0.05)
        assert stubborn.wait(5) == -signal.SIGKILL


def test_the_children_of_a_child_are_ended_too() -> None:
    """However deep."""
    inner = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    spared = children.running()
    with child([sys.executable, "-c", inner, SLEEPS[-1]]) as outer:
        (deep,) = children.running() - spared - {outer.pid}
        children.end(spared)
        outer.wait(5)  # of the signal, or of its child's end before that came
        assert gone(deep)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl is Linux's")
def test_an_orphan_is_ended_where_this_process_adopts() -> None:
    """`server &` in a shell command: its parent has ended, and it goes on."""
    code = """
        import subprocess, sys
        from brute.eval import children
        with children.adopting():
            subprocess.run(["sh", "-c", f"{sys.executable} -c 'import time; time.sleep(60)' & echo $!"])
            found = children.running()
            children.end(())
        print(len(found))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=30)
    orphan, found = done.stdout.split()
    assert (found, gone(int(orphan)), done.stderr) == ("1", True, "")


def test_what_can_not_be_told_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is neither /proc nor ps, nobody is ended."""
    monkeypatch.setattr(children, "childless", lambda: False)
    monkeypatch.setattr(children, "_parents", dict)
    assert children.running() == frozenset()
    children.end(())


def test_nobody_is_looked_at_where_there_is_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at every process of the machine takes longer than the start of a run."""
    monkeypatch.setattr(children, "childless", lambda: True)
    monkeypatch.setattr(children, "_parents", lambda: pytest.fail("looked"))
    assert children.running() == frozenset()


def test_where_nobody_may_ask_so_all_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox may refuse the quick question, and a run begins all the same."""

    def refused(*_: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "waitid", refused)
    with child(SLEEPS) as made:
        assert made.pid in children.running()


def test_ps_is_asked_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is none of the children itself."""
    if not any(Path(folder, "ps").exists() for folder in os.get_exec_path()):
        pytest.skip("no ps here")
    monkeypatch.setattr(children, "PROC", "/nowhere")
    spared = children.running()
    with child(SLEEPS) as meanwhile:
        assert children.running() - spared == {meanwhile.pid}
