"""What only a process of its own can show: Ctrl-C, closed pipes, streams of few characters, threads left behind, and speed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eval.cli.conftest import AGENT, command, spawned

posix = pytest.mark.skipif(os.name == "nt", reason="signals and pipes are POSIX's here")

WAITING = """
import anyio
import brute
from brute.eval import Case, Suite


def agent():
    async def answer(env):
        if env.messages[0].content == "wait":
            await anyio.sleep_forever()
        return brute.Message(role="assistant", content="done")
    return brute.agent().run(answer)


SUITE = Suite(agent=agent, cases=[Case("ends", said="x"), Case("waits", said="wait"), Case("comes later", said="x")], jobs=1)
"""


@posix
def test_ctrl_c_reports_what_was_finished(folder: Path) -> None:
    """Ctrl-C ends the run with 130; what was finished is reported, and what was not is called cancelled."""
    (folder / "eval_waiting.py").write_text(WAITING, encoding="utf-8")
    running = subprocess.Popen(
        command("eval", "eval_waiting.py", "eval_green.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    for line in running.stdout:
        if line == "    | done\n":
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    lines = out.splitlines()
    assert (running.returncode, err) == (130, "")
    assert lines[-1].startswith("interrupted after ")
    assert lines[-1].endswith(" s: 1 passed, 2 cancelled")
    assert "cancelled  eval_waiting.py: waits: not finished: the run was interrupted" in lines
    assert "note: 1 suite not begun: eval_green.py" in lines


@posix
def test_ctrl_c_while_files_are_loaded(folder: Path) -> None:
    """Ctrl-C before anything ran is 130 too, without a traceback."""
    (folder / "eval_slow.py").write_text(
        "print('loading', flush=True)\nimport signal\nsignal.pause()\n", encoding="utf-8"
    )
    running = subprocess.Popen(
        command("eval", "eval_slow.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "loading\n"
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err.strip()) == (130, "interrupted")


@posix
@pytest.mark.parametrize(("file", "status"), [("eval_green.py", 0), ("eval_red.py", 1)])
def test_a_closed_pipe(file: str, status: int) -> None:
    """A reader that goes away after a line changes neither the run nor its exit status, and nothing complains."""
    reader, writer = os.pipe()
    running = subprocess.Popen(command("eval", file), stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    os.close(reader)
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (status, "")


def test_an_ascii_stream(folder: Path) -> None:
    """Where standard output is ASCII, other characters come as escapes."""
    (folder / "agent.py").write_text(AGENT.replace("4.25%", "4.25% \\u2713"), encoding="utf-8")
    ended = spawned("eval", "eval_green.py", environ={"PYTHONIOENCODING": "ascii"})
    assert (ended.status, ended.err) == (0, "")
    assert "| Rates were held at 4.25% \\u2713." in ended.out


STUCK = """
import threading
import brute
from brute.eval import Case, Suite


def agent():
    def answer(env):
        threading.Event().wait()
    return brute.agent().run(answer)


SUITE = Suite(agent=agent, cases=[Case("hangs", said="x")], deadline=0.05)
"""


def test_a_thread_that_was_left_behind(folder: Path) -> None:
    """A thread that can't be stopped does not hold up the end of the process."""
    (folder / "eval_stuck.py").write_text(STUCK, encoding="utf-8")
    ended = spawned("eval", "eval_stuck.py")
    assert (ended.status, ended.err) == (1, "")
    assert "- stopped after 0.05 seconds; still in " in ended.out
    assert ended.last.startswith("1 failed in ")


@posix
def test_a_terminal_gets_a_line_of_progress(folder: Path) -> None:
    """On a terminal the attempts come in colours; with NO_COLOR they are plain lines."""
    pty = pytest.importorskip("pty")
    environ = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")} | {"TERM": "xterm"}
    for more, sign in (({}, b"\x1b["), ({"NO_COLOR": "1"}, b"passed ")):
        ours, theirs = pty.openpty()
        running = subprocess.Popen(
            command("eval", "eval_green.py"), stdout=theirs, stderr=subprocess.PIPE, env=environ | more
        )
        os.close(theirs)
        output = _read(ours)
        _, err = running.communicate(timeout=60)
        assert (running.returncode, err) == (0, b"")
        assert sign in output
        assert (b"\x1b[" in output) == (not more)


def _read(terminal: int) -> bytes:
    """All that a terminal was sent."""
    output = b""
    try:
        while piece := os.read(terminal, 65536):
            output += piece
    except OSError:  # how Linux says that the other end has closed
        pass
    os.close(terminal)
    return output


def test_help_is_light() -> None:
    """`brute --help` imports none of what is heavy, and knows its verbs without importing them."""
    code = (
        "import sys\nfrom brute.eval.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'pydantic', 'anyio', 'asyncio', 'brute.eval.cli.eval', 'brute.eval.cli.models'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "eval    Run eval files" in done.stdout


def test_a_thread_of_a_librarys_own_does_not_hold_up_the_end(folder: Path) -> None:
    """A tool that hangs on a thread that brute did not start is left behind with the process."""
    (folder / "agent.py").write_text(
        "import threading, anyio, brute\n\n\ndef agent():\n    async def hangs(env):\n"
        "        await anyio.to_thread.run_sync(threading.Event().wait, abandon_on_cancel=True)\n"
        "    return brute.agent().run(hangs)\n"
    )
    ended = spawned("eval", "eval_green.py", "--deadline", "0.2")
    assert ended.status == 1
    assert "stopped after 0.2 seconds; still in the model call" in ended.out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk to write to is Linux's")
def test_a_report_that_can_not_be_written(folder: Path) -> None:
    """On a full disk nothing says how it went, so the status is not 0, and standard error says why."""
    told = "[Errno 28] No space left on device\n"
    for words, status, sentence in [
        (("eval", "eval_green.py"), 3, f"Error: the report could not be written: OSError: {told}"),
        (("eval", "eval_red.py"), 1, f"Error: the report could not be written: OSError: {told}"),
        (("models",), 1, f"Error: the output could not be written: {told}"),
    ]:
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                command(*words), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
            )
        assert (done.returncode, done.stderr) == (status, sentence)


@posix
def test_a_closed_standard_output(folder: Path) -> None:
    """Without standard output (`>&-`) there is no report, no traceback, and no status of 0."""
    shell = f"{sys.executable} -m brute eval eval_green.py >&-"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (3, "Error: the report could not be written: standard output is closed\n")
