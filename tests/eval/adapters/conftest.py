"""What the rows of the contract came to is kept where `BRUTE_ROWS` names a file: the table in docs/frameworks.md is made of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite(
    "tests.eval.adapters.rows", "tests.eval.adapters.replays", "tests.eval.adapters.contract"
)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[None]:
    """Note how a row's test ended: passed, failed, or why it was skipped."""
    outcome: Any = yield
    report = outcome.get_result()
    number = getattr(getattr(item, "function", None), "row", None)
    kit = getattr(getattr(item, "cls", None), "kit", None)
    into = os.environ.get("BRUTE_ROWS")
    if into is None or number is None or kit is None or (report.when != "call" and report.passed):
        return
    told = report.outcome
    if report.skipped:
        told = f"skipped: {report.longrepr[2].removeprefix('Skipped: ')}"
    path = Path(into)
    rows = json.loads(path.read_text()) if path.exists() else {}
    rows.setdefault(kit.name, {}).setdefault(str(number), {})[item.name] = told
    path.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
