"""The line that tells how far the attempts have come."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from brute.eval import Case, Report, Suite
from brute.eval.pytesting.progress import Progress
from tests.eval.pytesting.test_showing import BLIND, WRONG, attempt
from tests.support import agents


class Terminal:
    """pytest's terminal, as far as it is used."""

    isatty = True
    verbosity = 0
    currentfspath: Any = "eval_a.py"

    def __init__(self, **more: Any) -> None:
        self.lines: list[str] = []
        vars(self).update(more)

    def ensure_newline(self) -> None:
        """Begin a line."""
        self.lines.append("")

    def rewrite(self, line: str, erase: bool) -> None:
        """Write the line anew."""
        self.lines.append(line)

    def flush(self) -> None:
        """Nothing."""


class Capture:
    """pytest's capture: how often it was let go."""

    count = 0

    @contextlib.contextmanager
    def global_and_fixture_disabled(self) -> Iterator[None]:
        """Let it go."""
        self.count += 1
        yield


class Config:
    """A config that knows these two plugins."""

    def __init__(self, terminal: Terminal | None, capture: Capture | None) -> None:
        self.plugins = {"terminalreporter": terminal, "capturemanager": capture}
        self.pluginmanager = self

    def getplugin(self, name: str) -> Any:
        """The plugin of this name."""
        return self.plugins[name]


def shown(terminal: Terminal | None, capture: Capture | None = None) -> Terminal | None:
    """The terminal after four attempts, a tenth of a second apart."""
    clock = agents.Clock()
    suite = Suite(agents.makes("hello"), [Case("a", said="x", runs=4)])
    progress = Progress(Config(terminal, capture), [suite], clock)  # type: ignore[arg-type]
    for each in (attempt(), attempt(WRONG), attempt(BLIND), attempt()):
        progress.attempted(each)
        clock.now += 0.11
    progress.end(Report(seconds=3.04))
    return terminal


def test_it_tells_how_many_have_ended() -> None:
    """Five times a second at the most, and in the end all."""
    terminal = shown(Terminal())
    assert terminal is not None
    assert terminal.lines == [
        "",
        "evals: 1 of 4 attempts",
        "evals: 3 of 4 attempts (1 failed, 1 error)",
        "evals: 4 attempts (1 failed, 1 error) in 3.0 s",
    ]
    assert terminal.currentfspath is None


@pytest.mark.parametrize("more", [{"isatty": False}, {"verbosity": -1}])
def test_elsewhere_it_says_nothing(more: dict[str, Any]) -> None:
    """In a file or a CI log, and where pytest is to be quiet."""
    terminal = shown(Terminal(**more))
    assert terminal is not None
    assert terminal.lines == []
    assert terminal.currentfspath == "eval_a.py"


def test_a_worker_of_xdist_has_no_terminal() -> None:
    """And needs none."""
    assert shown(None) is None


def test_the_capture_is_let_go_for_each_line() -> None:
    """While an item is set up, pytest captures everything."""
    capture = Capture()
    terminal = shown(Terminal(), capture)
    assert terminal is not None
    assert capture.count == len(terminal.lines) - 1
