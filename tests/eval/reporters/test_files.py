"""What every report in a file keeps to: it takes any run, changes none of it, and is the same for the same run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Call, Failure, Report
from brute.eval.reporters.actions import Actions
from brute.eval.reporters.filed import Filed
from brute.eval.reporters.html import html
from brute.eval.reporters.json import json
from brute.eval.reporters.junit import junit
from brute.eval.reporters.markdown import markdown
from brute.eval.reporters.outlet import Outlet
from brute.eval.reporters.protocol import Reporter
from tests.eval.reporters.sample import KNOWS, PLACES, attempt, told_to, transcript
from tests.eval.reporters.test_contract import RUNS
from tests.eval.reporters.test_plain import Unprintable

WRITERS = {writer.__name__: writer for writer in (junit, json, markdown, html)}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("run", RUNS)
def test_a_run_from_its_start_to_its_end(kind: str, run: str, tmp_path: Path) -> None:
    """The file is there, and what the reporter was told is left as it was."""
    report, texts = RUNS[run], []
    for number in range(2):
        path = tmp_path / f"{number}"
        reporter: Reporter = Filed(str(path), WRITERS[kind], PLACES)
        before = repr(report)
        told_to(reporter, report)
        assert reporter.unwritten is None  # type: ignore[attr-defined]
        assert repr(report) == before
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert texts[0].endswith("\n")


@pytest.mark.parametrize("run", RUNS)
def test_the_commands_of_any_run(run: str, tmp_path: Path) -> None:
    """And its summary."""
    stream = io.StringIO()
    reporter: Reporter = Actions(Outlet(stream), {}, {}, {"GITHUB_STEP_SUMMARY": str(tmp_path / "s")})
    told_to(reporter, RUNS[run])
    assert reporter.unwritten is None  # type: ignore[attr-defined]
    stop, blank, go, *lines = stream.getvalue().splitlines()
    assert (stop, blank) == (f"::stop-commands::{go.strip(':')}", "")
    assert all(line.startswith("::error ") for line in lines)


class Loop(dict[str, Any]):
    """A value that goes round in a circle."""

    def __init__(self) -> None:
        super().__init__()
        self["self"] = self


VALUES = {
    "unprintable": Unprintable(),
    "a circle": Loop(),
    "nan": float("nan"),
    "bytes": b"\xff",
    "a set": {1, 2},
    "a type": object,
    "a huge number": 10**5000,
    "a key that is no text": {None: 1},
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("what", VALUES)
def test_whatever_a_check_or_a_tool_handed_out(kind: str, what: str) -> None:
    """It costs no report."""
    value = VALUES[what]
    seen = transcript("ok", published=[value], seconds=float("nan"))
    seen.calls.append(Call(name="f", arguments={"x": value}, result=value))
    failures = [
        Failure("check", value, value, value, value),
        Failure("order", "x", [value], [value]),
        Failure("mentions", "x", value, value),
    ]
    made = attempt(KNOWS, "failed", *failures, seen=seen)
    assert "".join(WRITERS[kind](Report(attempts=(made,)), PLACES))
