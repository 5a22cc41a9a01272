"""A folder to run `brute` in, and `brute` itself, in this process or in one of its own."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brute.eval import places
from brute.eval.cli import main

AGENT = """
import brute
from brute.testing import Script


def agent():
    return brute.agent().run(Script(["Rates were held at 4.25%."]))
"""

EVAL = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [
    Case("answers", said="rates?"),
    Case("says the rate", said="rates?", never=["search"]),
]
"""

RED = """
from brute.eval import Case, Suite

SUITE = Suite(agent="agent.py", cases=[Case("stays silent", said="rates?", silent=True), Case("answers", said="?")], jobs=1)
"""

GREY = """
from brute.eval import Case

AGENT = "agent.py"


@Case("is checked", said="rates?")
def is_checked(transcript):
    raise KeyError("id")
"""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a command ended: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def last(self) -> str:
        """The last line of its standard output."""
        return self.out.splitlines()[-1]


Brute = Callable[..., Ended]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with an agent, and an eval file for each way to end."""
    for name, text in (("agent.py", AGENT), ("eval_green.py", EVAL), ("eval_red.py", RED), ("eval_grey.py", GREY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(places, "LOG", os.path.join(".brute", "runs.db"))
    return tmp_path


@pytest.fixture
def brute(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Brute:
    """The command line, in this process, which an abrupt end would take with it: there it ends as usual."""
    monkeypatch.setattr(os, "_exit", sys.exit)

    def run(*words: str) -> Ended:
        with pytest.raises(SystemExit) as ended:
            main(words)
        out, err = capsys.readouterr()
        status = ended.value.code
        assert isinstance(status, int)
        return Ended(status, out, err)

    return run


def command(*words: str) -> list[str]:
    """The command line, as a process of its own would have it."""
    return [sys.executable, "-m", "brute", *words]


def spawned(*words: str, **more: Any) -> Ended:
    """The command line, in a process of its own."""
    environ = {**os.environ, **more.pop("environ", {})}
    done = subprocess.run(command(*words), capture_output=True, text=True, env=environ, timeout=60, check=False, **more)
    return Ended(done.returncode, done.stdout, done.stderr)
