"""The pytest plugin of the installed project, as pytest finds it."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.functional,
    pytest.mark.skipif(
        not any(point.name == "brute" for point in importlib.metadata.entry_points(group="pytest11")),
        reason="the project is not installed",
    ),
]

EVAL = """
import brute
from brute.eval import Case


def AGENT():
    return brute.agent().run(lambda env: "hello")


CASES = [Case("greets", said="hi", mentions=["hello"]), Case("is silent", said="hi", silent=True)]
"""

TEST = """
from brute.eval import Case
from eval_a import AGENT


def test_greets(evaluate):
    evaluate(Case("greets", said="hi", mentions=["hello"]), agent=AGENT)
"""


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in a project of its own."""
    (folder / "eval_a.py").write_text(EVAL)
    (folder / "test_a.py").write_text(TEST)
    command = [sys.executable, "-W", "error", "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_it_is_there_and_waits_to_be_asked(tmp_path: Path) -> None:
    """The fixture is for every test, the eval files are for whoever wants them."""
    assert "1 passed in" in ran(tmp_path).stdout
    asked = ran(tmp_path, "--brute")
    assert asked.returncode == 1
    assert "FAILED eval_a.py::is silent - answered when it should have stayed silent" in asked.stdout
    assert "1 failed, 2 passed" in asked.stdout


def test_it_can_be_left_out(tmp_path: Path) -> None:
    """By its name."""
    assert "fixture 'evaluate' not found" in ran(tmp_path, "-p", "no:brute").stdout
