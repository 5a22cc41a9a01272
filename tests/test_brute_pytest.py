"""The part of the pytest plugin that every pytest imports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import brute

SRC = Path(brute.__file__).parents[1]


def imported(folder: Path, *arguments: str) -> set[str]:
    """The modules that a pytest run of one test imports."""
    (folder / "test_a.py").write_text("def test_a(): pass\n")
    command = [sys.executable, "-X", "importtime", "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environ = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(SRC), "PATH": ""}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environ)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    return {name.strip() for name in re.findall(r"^import time:.*\|([^|]*)$", done.stderr, re.M)}


def test_installed_but_unused_it_imports_nothing(tmp_path: Path) -> None:
    """A test run pays for one module, which imports none that pytest has not."""
    # pytest itself may import it in a way that -X importtime does not see; what it imports in turn is seen.
    assert imported(tmp_path, "-p", "_brute_pytest") - imported(tmp_path) <= {"_brute_pytest"}


def test_asked_for_it_imports_the_rest(tmp_path: Path) -> None:
    """So the test above can fail."""
    assert "brute.eval.pytesting.evals" in imported(tmp_path, "-p", "_brute_pytest", "--brute")


def test_it_is_named_as_an_entry_point() -> None:
    """By which pytest finds it in an installed project."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nbrute = "_brute_pytest"\n' in text


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin is named here; where it is installed, pytest would take it twice."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.mark.usefixtures("_alone")
@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1.5", "²"])
@pytest.mark.parametrize("option", ["--brute-jobs", "--brute-runs"])
def test_a_number_that_is_none_is_refused(pytester: pytest.Pytester, option: str, wrong: str) -> None:
    """At once."""
    result = pytester.runpytest_inprocess("-p", "_brute_pytest", f"{option}={wrong}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"argument {option}: must be a whole number >= 1, got '{wrong}'" in result.stderr.str()


@pytest.mark.usefixtures("_alone")
def test_the_marker_and_the_options_are_documented_by_pytest(pytester: pytest.Pytester) -> None:
    """In --markers and --help."""
    shown = pytester.runpytest_inprocess("-p", "_brute_pytest", "--help").stdout.str()
    for option in (
        "--brute ",
        "--brute-jobs=N",
        "--brute-runs=N",
        "--brute-isolate",
        "--brute-log=PATH",
        "brute_evals",
    ):
        assert option in shown
    assert "@pytest.mark.brute:" in pytester.runpytest_inprocess("-p", "_brute_pytest", "--markers").stdout.str()
