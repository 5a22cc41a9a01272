"""A folder with an agent, and pytest run in it with the plugin."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml  # noqa: F401 - as the others below

# All of it: pytester forgets what is imported in its runs, and nothing of ours may be there twice.
import brute
import brute.eval.casefiles.reading
import brute.eval.pytesting.evals
import brute.eval.pytesting.evaluating
from brute.eval import Case, places
from brute.eval.logreading import Reading
from tests.support import agents

AGENT = """
import brute
from brute.middleware import ToolLoop, Tools
from brute.testing import Script
from brute import Message, ToolCall


def search(query: str) -> str:
    "Search."
    return "live"


def model(env):
    said = env.messages[-1].content
    if env.messages[-1].role == "user" and said == "search":
        return Message(role="assistant", tool_calls=(ToolCall(id="1", name="search", arguments={"query": "bank"}),))
    return "Rates were held at 4.25%."


def agent():
    return brute.agent().use(ToolLoop).use(Tools, [search]).run(model)
"""

GREEN = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [Case("answers", said="rates?"), Case("says the rate", said="rates?", mentions=["4.25"])]
"""

RED = """
from brute.eval import Case

AGENT = "agent.py"
CASES = [Case("answers", said="rates?"), Case("says 4.5", said="search", stubs={"search": "held"}, mentions=["4.5"], runs=2)]
"""

GREY = """
from brute.eval import Case

AGENT = "agent.py"


@Case("is checked", said="rates?")
def is_checked(transcript):
    raise KeyError("id")
"""

SRC = Path(brute.__file__).parents[1]

Run = Callable[..., pytest.RunResult]


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    """Everything that a run imports is there before pytester looks."""
    names: dict[str, Any] = {}
    exec(AGENT, names)  # its typed tool brings in what no other test would find whole again
    agents.report(names["agent"], [Case("answers", said="search", stubs={"search": "held"})], log=None)


@pytest.fixture(autouse=True)
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with an agent in it."""
    monkeypatch.setattr(places, "LOG", os.path.join(".brute", "runs.db"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    # No plugin but ours: pytester would import the others anew in each run.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(SRC))
    (pytester.path / "agent.py").write_text(AGENT, encoding="utf-8")
    return pytester.path


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Run pytest on files (name=text) that ask for evals; in a process of its own with `apart=True`."""

    def run(*arguments: str, brute: bool = True, apart: bool = False, **files: str) -> pytest.RunResult:
        for name, text in files.items():
            (pytester.path / f"{name}.py").write_text(text, encoding="utf-8")
        asked = ["--brute"] if brute else []
        words = ["-p", "_brute_pytest", *asked, "-W", "error", *arguments]
        return pytester.runpytest_subprocess(*words) if apart else pytester.runpytest_inprocess(*words)

    return run


def logged(path: Path) -> list[tuple[str, dict[str, int]]]:
    """How each run of the log ended, and its counts, in the order in which they began."""
    with Reading(path) as reading:
        return [(run.how or "", run.counts) for run in reading.runs()]
