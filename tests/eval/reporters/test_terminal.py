"""The choice between plain lines and the live report."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from brute.eval.reporters.live import Live
from brute.eval.reporters.plain import Plain
from brute.eval.reporters.terminal import terminal
from tests.eval.reporters.test_live import Terminal


def test_a_terminal_gets_the_live_report() -> None:
    """A terminal that can move its cursor, with no wish against it, gets colours and a line of progress."""
    assert isinstance(terminal(Terminal(), {"TERM": "xterm-256color"}), Live)


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}])
def test_an_environment_that_asks_for_plain_lines(environ: dict[str, str]) -> None:
    """NO_COLOR, CI and a dumb terminal get plain lines, even on a terminal."""
    assert isinstance(terminal(Terminal(), environ), Plain)


def test_an_empty_wish_is_none() -> None:
    """NO_COLOR counts when it is not empty, as its standard says."""
    assert isinstance(terminal(Terminal(), {"NO_COLOR": ""}), Live)


def test_what_is_no_terminal_gets_plain_lines() -> None:
    """A file or a pipe gets plain lines."""
    assert isinstance(terminal(io.StringIO(), {}), Plain)


def test_plain_lines_import_no_rich() -> None:
    """Plain lines do not pay for rich."""
    code = (
        "import io, sys; from brute.eval.reporters.terminal import terminal; from brute.eval import Report\n"
        "terminal(io.StringIO(), {}).finished(Report()); assert 'rich' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
