"""What only a process of its own can show: Ctrl-C, closed pipes, streams of few characters, threads left behind, and speed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.eval.cli.conftest import AGENT, command, spawned
from tests.support.screen import cells, shown

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
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_files_are_loaded(folder: Path, number: signal.Signals) -> None:
    """Ctrl-C or SIGTERM before anything ran is 130 too, without a traceback."""
    (folder / "eval_slow.py").write_text(
        "print('loading', flush=True)\nimport signal\nsignal.pause()\n", encoding="utf-8"
    )
    running = subprocess.Popen(
        command("eval", "eval_slow.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "loading\n"
    running.send_signal(number)
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
    for more, sign in (({}, b"\x1b["), ({"NO_COLOR": "1"}, b"passed ")):
        status, output = on_a_terminal(80, "eval", "eval_green.py", **more)
        assert status == 0
        assert sign in output
        assert (b"\x1b[" in output) == (not more)


LONG = (
    "\u30a4\u30f3\u30b0\u30e9\u30f3\u30c9\u9280\u884c \U0001f600 held its main interest rate at 4.25% on Thursday, as the markets had expected it to do. "
    * 2
)


@posix
@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_gets_lines_that_fit(columns: int, folder: Path) -> None:
    """With colours and without, and in what is shown afterwards; a CI log that is a terminal gets whole ones."""
    (folder / "agent.py").write_text(AGENT.replace("Rates were held at 4.25%.", LONG), encoding="utf-8")
    told = {}
    for more in ({}, {"NO_COLOR": "1"}, {"CI": "true"}, {"GITHUB_ACTIONS": "true"}):
        status, output = on_a_terminal(columns, "eval", "eval_red.py", "--jobs", "1", PYTHONIOENCODING="utf-8", **more)
        assert status == 1
        screen = shown(output.decode().replace("\r\n", "\n"))
        assert more or max(map(cells, screen.splitlines())) <= columns
        # A busy machine is remarked.
        screen = re.sub(r"^note: the event loop.*?(?=^(?:failed|\d+ failed)\b)", "", screen, flags=re.M | re.S)
        told[next(iter(more), "")] = re.sub(r"(seconds |in )[\d.]+( s$)?", r"\g<1>0.0\2", screen, flags=re.M)
    fits, whole = told[""], told["CI"]
    for name, wanted in (("NO_COLOR", fits), ("GITHUB_ACTIONS", whole)):
        assert told[name].splitlines() == wanted.splitlines()
    assert max(map(cells, whole.splitlines())) > 200
    assert columns - 15 < max(map(cells, fits.splitlines())) <= columns
    assert [*filter(None, re.split(r"[\s|]+", fits))] == [*filter(None, re.split(r"[\s|]+", whole))]
    status, output = on_a_terminal(columns, "show", "last", "silent", PYTHONIOENCODING="utf-8", NO_COLOR="1")
    assert status == 0
    assert columns - 15 < max(map(cells, output.decode().splitlines())) <= columns


def on_a_terminal(columns: int, *words: str, **more: str) -> tuple[int, bytes]:
    """The exit status of a command, and what it sends to a terminal of so many columns."""
    pty = pytest.importorskip("pty")
    told = ("NO_COLOR", "CI", "GITHUB_ACTIONS", "COLUMNS", "LINES")  # pytest-xdist says how wide its own is
    environ = {name: value for name, value in os.environ.items() if name not in told}
    ours, theirs = pty.openpty()
    pytest.importorskip("termios").tcsetwinsize(theirs, (24, columns))
    running = subprocess.Popen(
        command(*words), stdout=theirs, stderr=subprocess.PIPE, env=environ | {"TERM": "xterm"} | more
    )
    os.close(theirs)
    output = _read(ours)
    _, err = running.communicate(timeout=60)
    assert err == b""
    return running.returncode, output


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
        (("models",), 3, f"Error: the output could not be written: {told}"),
        *(
            (words, 3, f"Error: the report could not be written: OSError: {told}")
            for words in (
                ("runs",),
                ("show", "last"),
                ("export", "last", "--jsonl"),
                ("grade", "last", "eval_green.py"),
            )
        ),
    ]:
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                command(*words), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
            )
        assert (done.returncode, done.stderr) == (status, sentence)


@posix
def test_a_closed_standard_output(folder: Path) -> None:
    """Without standard output (`>&-`) there is no report, no traceback, and no status of 0."""
    for words in ("eval eval_green.py", "runs", "show last", "export last --jsonl", "grade last"):
        shell = f"{sys.executable} -m brute {words} >&-"
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (
            3,
            "Error: the report could not be written: standard output is closed\n",
        )


SHELLS = """
import subprocess
import sys
import brute
from brute.eval import Case, Suite

SLEEPS = "import time; time.sleep(60)"


@brute.tool
def shell() -> str:
    "Runs a command that takes long."
    started = subprocess.Popen([sys.executable, "-c", SLEEPS])
    behind = subprocess.run(["sh", "-c", f"{sys.executable} -c '{SLEEPS}' > /dev/null & echo $!"], stdout=subprocess.PIPE, text=True)
    print("started", started.pid, behind.stdout.strip(), flush=True)
    return str(started.wait())


def agent():
    asks = brute.Message(role="assistant", tool_calls=(brute.ToolCall(name="shell"),))
    def answer(env):
        return asks if env.messages[0].content == "wait" else "done"
    return brute.agent().use(brute.middleware.ToolLoop).use(brute.middleware.Tools, [shell]).run(answer)


SUITE = Suite(agent=agent, cases=[Case("ends", said="x"), Case("waits", said="wait"), Case("comes later", said="x")], jobs=1)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are adopted on Linux only")
@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGINT], [signal.SIGTERM, signal.SIGINT]], ids=str)
def test_no_child_survives(folder: Path, signals: list[signal.Signals]) -> None:
    """SIGTERM ends a run as Ctrl-C does: 130, what was finished reported, and what tools started ended; so does a second one."""
    (folder / "eval_shells.py").write_text(
        SHELLS.replace("import brute\n", "import brute.middleware\n"), encoding="utf-8"
    )
    running = subprocess.Popen(
        command("eval", "eval_shells.py", "eval_green.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    pids: list[int] = []
    for line in running.stdout:
        if line.startswith("started "):
            pids = [int(word) for word in line.split()[1:]]
            break
    for number in signals:
        running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, "")
    assert out.splitlines()[-1].endswith(" s: 1 passed, 2 cancelled")
    assert [_runs(pid) for pid in pids] == [False, False]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def _ended(running: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process says that is told to end; again where the system gave one to a thread, which wakes no main thread that sleeps."""
    for _ in range(5):
        running.send_signal(signal.SIGTERM)
        try:
            return running.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            continue
    running.kill()
    return running.communicate()


RESISTING = """
import anyio
import brute
from brute.eval import Case, Suite


def agent():
    async def answer(env):
        print("resisting", flush=True)
        while True:
            try:
                await anyio.sleep_forever()
            except BaseException:
                print("cancelled", flush=True)
    return brute.agent().run(answer)


SUITE = Suite(agent=agent, cases=[Case("resists", said="x")])
"""

BLOCKING = RESISTING.replace("await anyio.sleep_forever()", "import time; time.sleep(60)")


@posix
@pytest.mark.parametrize("text", [RESISTING, BLOCKING], ids=["swallows its cancellation", "blocks the loop"])
def test_a_second_ctrl_c_ends_it_at_once(folder: Path, text: str) -> None:
    """However the agent resists; it has a report all the same."""
    text = text.replace("except BaseException:", "except Exception:") if "time.sleep" in text else text
    (folder / "eval_resisting.py").write_text(text, encoding="utf-8")
    running = subprocess.Popen(
        command("eval", "eval_resisting.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    for line in running.stdout:
        if line == "resisting\n":
            break
    running.send_signal(signal.SIGINT)
    if "time.sleep" not in text:
        assert running.stdout.readline() == "cancelled\n"
    out, err = _ended(running)
    assert (running.returncode, err) == (130, "")
    assert out.splitlines()[-1].endswith(" s: 1 cancelled")


HOLDING = """
import brute, brute.middleware
from brute.eval import Case, Suite


@brute.tool
async def spins() -> str:
    "Holds the loop up for ever."
    print("spinning", flush=True)
    while True:
        pass


def agent():
    asks = brute.Message(role="assistant", tool_calls=(brute.ToolCall(name="spins"),))
    def answer(env):
        return asks if env.messages[0].content == "spin" else "done"
    return brute.agent().use(brute.middleware.ToolLoop).use(brute.middleware.Tools, [spins]).run(answer)


SUITE = Suite(agent=agent, cases=[Case("ends", said="x"), Case("spins", said="spin"), Case("comes later", said="x")], jobs=1)
"""


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_ctrl_c_breaks_into_code_that_holds_up_the_loop(folder: Path, number: signal.Signals) -> None:
    """After the grace, and not at the deadline; whoever was in the middle of it has not failed, but was cancelled."""
    (folder / "eval_holding.py").write_text(HOLDING, encoding="utf-8")
    running = subprocess.Popen(
        command("eval", "eval_holding.py"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    try:
        while running.stdout.readline() != "spinning\n":
            assert running.poll() is None, running.communicate()
        running.send_signal(number)
        out, _ = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130
    assert "failed" not in out
    assert out.splitlines()[-1].endswith(" s: 1 passed, 2 cancelled")
