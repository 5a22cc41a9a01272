"""Who is whose child."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def here(code: str) -> str:
    """What the code prints in a process of its own that has no child."""
    command = [sys.executable, "-W", "error", "-c", f"from brute.eval.executors import kinship\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout.strip()


def test_a_process_without_children_has_left_nothing() -> None:
    """Nothing is looked for then."""
    assert here("print(kinship.childless(), kinship.left_running())") == "True []"


def test_a_child_that_has_ended_was_not_left_running() -> None:
    """Though nobody has waited for it yet."""
    code = "import subprocess as s\nchild = s.Popen(['true'])\nimport os\nos.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)\n"
    assert here(code + "print(kinship.childless(), kinship.left_running())\nchild.wait()") == "False []"


def test_a_child_that_runs_is_named() -> None:
    """By its command line."""
    code = (
        "import subprocess as s\nchild = s.Popen(['cat', '-'], stdin=s.PIPE, stdout=s.PIPE)\n"
        "child.stdin.write(b'x')\nchild.stdin.flush()\nchild.stdout.read(1)\n"
        "print(kinship.left_running())\nkinship.kill(child.pid)\nprint(child.wait())\nchild.stdin.close(), child.stdout.close()"
    )
    assert here(code).splitlines() == ["['cat -']", "-9"]


def test_what_python_keeps_for_itself_is_left_out() -> None:
    """The tracker of `multiprocessing` runs for as long as its process does."""
    code = "from multiprocessing import resource_tracker as r\nr.ensure_running()\nprint(kinship.childless(), kinship.left_running())"
    assert here(code) == "False []"


def test_a_foster_parent_gets_the_orphans() -> None:
    """Also those that left its session."""
    code = (
        "import subprocess as s, time\nkinship.foster()\n"
        "s.run(['sh', '-c', 'setsid sleep 99 > /dev/null 2>&1 & sleep 0.1'])\n"
        "found = kinship.left_running()\nprint(found)\nfor pid in kinship.children(): kinship.kill(pid)"
    )
    assert here(code) == "['sleep 99']"


def test_a_second_thread_is_seen() -> None:
    """So that nothing is forked beside it."""
    code = "import threading\nprint(kinship.alone())\nevent = threading.Event()\nthread = threading.Thread(target=event.wait)\nthread.start()\nprint(kinship.alone())\nevent.set()\nthread.join()\nprint(kinship.alone())"
    assert here(code).split() == ["True", "False", "True"]


def test_an_own_child_is_among_the_children() -> None:
    """And this process is none of its own."""
    code = (
        "import os, subprocess as s\nchild = s.Popen(['cat'], stdin=s.PIPE)\n"
        "print(kinship.children() == [child.pid], os.getpid() in (kinship.children(os.getppid()) or []))\nchild.communicate()\nprint(kinship.children())"
    )
    assert here(code).splitlines() == ["True True", "[]"]
