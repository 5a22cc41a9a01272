"""A script that runs a suite and catches nothing ends as the command line does."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from brute.eval import scripts

BEGIN = """
import sys
import brute
from brute.eval import Case, Suite

def agent():
    return brute.agent().run(lambda env: "done")
"""


def ended(folder: Path, text: str) -> tuple[int, str]:
    """The status of such a script, and what it says on standard error."""
    file = folder / "script.py"
    file.write_text(BEGIN + textwrap.dedent(text), encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=60, cwd=folder)
    return done.returncode, done.stderr


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    """And no traceback through our code; the status is not that of a failed case."""
    text = 'sys.exit(Suite(lambda: None, [Case("a", said="x")], log=None).run())'
    status, err = ended(tmp_path, text)
    assert status == 2
    assert err == "Error: <lambda> built nothing: the function returned None, and must return the agent\n"


def test_what_is_caught_is_the_scripts_own_business(tmp_path: Path) -> None:
    """And so is what comes later: a mistake of the script's own has its traceback."""
    text = """
    from brute.errors import UsageError
    try:
        Suite(lambda: None, [Case("a", said="x")], log=None).run()
    except UsageError:
        raise LookupError("of the script's own") from None
    """
    status, err = ended(tmp_path, text)
    assert status == 1
    assert err.startswith("Traceback")
    assert err.endswith("LookupError: of the script's own\n")


def test_a_hook_of_the_users_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told of everything, as before."""

    def theirs(*_: object) -> None:
        return None

    monkeypatch.setattr(sys, "excepthook", theirs)
    scripts.expected(KeyboardInterrupt())
    assert sys.excepthook is theirs
