"""The watch for a process that stands still as a whole."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brute.eval import frozen, leaving, signals
from brute.eval.logreading import Reading

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the timer counts while a computer sleeps")

CASES = """
import os, re
import brute.middleware
from brute.eval import Case, Suite


@brute.tool
def searches() -> str:
    "Backtracks for ever in one step of the interpreter."
    if os.path.exists("hang"):
        re.match(r"(a+)+$", "a" * 60 + "b")
    return "nothing"


def agent():
    asks = brute.Message(role="assistant", tool_calls=(brute.ToolCall(name="searches"),))
    def answer(env):
        return asks if env.messages[-1].content == "hang" else "done"
    return brute.agent().use(brute.middleware.ToolLoop).use(brute.middleware.Tools, [searches]).run(answer)


SUITE = Suite(agent=agent, cases=[Case("ends", said="x"), Case("hangs", said="hang"), Case("comes later", said="x")], jobs=1)
"""

IMPATIENT = """
from brute.eval import frozen, leaving, signals
frozen.LATE = frozen.BEAT = signals.SLACK = leaving.GRACE = 0.5
from brute.__main__ import main
main()
"""


def brute(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """How a command ended that waits less long than it would."""
    command = [sys.executable, "-c", IMPATIENT, "eval", "eval_it.py", "--deadline", "2", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_a_tool_that_holds_the_lock_ends_the_run_with_the_stacks(tmp_path: Path) -> None:
    """No thread, no alarm and no Ctrl-C would; what was finished is in the log, and is gone on with."""
    (tmp_path / "eval_it.py").write_text(CASES)
    (tmp_path / "hang").touch()
    ended = brute(tmp_path)
    assert ended.returncode == 1
    assert "passed     ends" in ended.stdout
    assert "in searches" in ended.stderr
    assert "no Python code could run for 4 seconds: a tool, in one of these stacks" in ended.stderr
    with Reading(tmp_path / ".brute" / "runs.db") as reading:
        assert [each.attempt.case.name for each in reading.stream(reading.run("last"))] == ["ends"]
    (tmp_path / "hang").unlink()
    ended = brute(tmp_path, "--resume")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("3 passed in ")


class Timer:
    """What is done with the timer of `faulthandler`, and an event that is set when it was armed three times."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.thrice = asyncio.Event()

    def arm(self, seconds: float, **options: Any) -> None:
        """Remember it."""
        self.calls.append((seconds, options))
        if len(self.calls) == 3:
            self.thrice.set()

    def disarm(self) -> None:
        """Remember it."""
        self.calls.append("off")


OURS = (30.0, {"exit": True, "file": 2})


@pytest.fixture
def timer(monkeypatch: pytest.MonkeyPatch) -> Timer:
    """One that never goes off, and that nobody but us has used."""
    made = Timer()
    monkeypatch.setattr(faulthandler, "dump_traceback_later", made.arm)
    monkeypatch.setattr(faulthandler, "cancel_dump_traceback_later", made.disarm)
    monkeypatch.setattr(frozen, "_ours", True)
    monkeypatch.setattr(frozen, "_counts_only_waking", lambda: True)
    monkeypatch.setattr(frozen, "BEAT", 0.005)
    monkeypatch.setattr(frozen, "LATE", 30 - 1 - signals.SLACK - leaving.GRACE - 0.005)
    return made


async def beats(timer: Timer) -> None:
    """Wait for three beats."""
    with frozen.watched(1.0):
        await timer.thrice.wait()


def test_a_loop_that_beats_puts_it_off_until_the_end(timer: Timer) -> None:
    """And then it is off, and everything as it was."""
    leaving.run(beats(timer))
    assert timer.calls == [OURS, OURS, OURS, "off"]
    assert faulthandler.dump_traceback_later == timer.arm
    assert signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL
    leaving.run(beats(timer))
    assert len(timer.calls) > 4


def test_a_timer_that_is_in_use_is_left_alone(timer: Timer, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pytest's is, and as that on the loop of somebody else may be."""
    timer.thrice.set()
    asyncio.run(beats(timer))
    monkeypatch.setattr(frozen, "_ours", False)
    leaving.run(beats(timer))
    assert timer.calls == []


def test_whoever_uses_the_timer_meanwhile_has_it(timer: Timer) -> None:
    """Neither armed again nor taken off."""

    async def go() -> None:
        with frozen.watched(1.0):
            faulthandler.dump_traceback_later(7)
            # Two beats of ours at the least.
            async with asyncio.timeout(0.05):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(timer.thrice.wait(), 0.03)

    leaving.run(go())
    assert timer.calls == [OURS, (7, {})]


def test_the_time_for_which_the_process_is_stopped_does_not_count(
    timer: Timer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-Z, and later `fg`."""
    sent: list[Any] = []

    def kill(pid: int, number: int) -> None:
        sent.append((pid, number, signal.getsignal(number), list(timer.calls)))

    async def go() -> None:
        with frozen.watched(1.0):
            signal.raise_signal(signal.SIGTSTP)

    monkeypatch.setattr(os, "kill", kill)
    leaving.run(go())
    assert sent == [(os.getpid(), signal.SIGTSTP, signal.SIG_DFL, [OURS, "off"])]
    assert timer.calls == [OURS, "off", OURS, "off"]
