"""The table of docs/frameworks.md is what the rows came to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brute.eval.frameworks import FRAMEWORKS
from tests.eval.adapters import table

ROWS = {str(number): {"test_a": "passed"} for number in range(1, 8)}


def test_a_framework_has_a_line_with_a_mark_for_all_that_it_has_not() -> None:
    """What failed is a no, what was left out has its reason, and what was never run says so."""
    line, note = table.lines_of("crewai", {**ROWS, "3": {"test_b": "skipped: it has no handoffs", "test_a": "passed"}})
    assert line == "| crewai | yes | yes | yes <sup>a</sup> | yes | yes | yes | yes |"
    assert note == "(a) it has no handoffs"
    line, note = table.lines_of("dspy", {**ROWS, "1": {"test_b": "failed", "test_c": "skipped: no ids"}, "7": {}})
    assert line == "| dspy | no <sup>a</sup> <sup>b</sup> | yes | yes | yes | yes | yes | not tested |"
    assert note == "(a) test_b failed; (b) no ids"


def test_the_page_has_every_adapter_in_their_order() -> None:
    """None of them untested, and none failing."""
    found = table.known(table.PAGE.read_text())
    assert list(found) == [framework.name for framework in FRAMEWORKS]
    assert [name for name, (line, _) in found.items() if "not tested" in line or "| no" in line] == []


def test_a_check_of_some_frameworks_leaves_the_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says which line differs."""
    page = tmp_path / "frameworks.md"
    page.write_text(f"before\n{table.BEGIN}\n{table.END}\nafter\n")
    monkeypatch.setattr(table, "PAGE", page)
    rows = tmp_path / "rows.json"
    for name in ("pydantic-ai", "langgraph"):
        rows.write_text(json.dumps({name: ROWS}))
        assert table.main(str(rows)) == 0
    assert table.main(str(rows), "--check") == 0
    found = table.known(page.read_text())
    assert [name for name, (line, _) in found.items() if "not tested" not in line] == ["pydantic-ai", "langgraph"]
    rows.write_text(json.dumps({"langgraph": {**ROWS, "4": {"test_a": "failed"}}}))
    assert table.main(str(rows), "--check") == 1
    out = capsys.readouterr().out
    assert (
        "| langgraph | yes | yes | yes | no <sup>a</sup> | yes | yes | yes |\n* langgraph: (a) test_a failed\n" in out
    )
