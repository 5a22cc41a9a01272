"""Recorded runs of real models, with what an independent judge said of them; skipped where they are not at hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from brute.eval import Case, Transcript, Verdict, only
from brute.eval.grading import grade

HOME = Path(__file__).resolve().parents[3] / "shared" / "cases"


def rows(name: str) -> list[Any]:
    """The rows of a file of ../shared/cases; the test is skipped where it is absent."""
    path = HOME / name
    if not path.exists():
        pytest.skip(f"no {path}: this is a clone without the recorded cases")
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")
    data: list[Any] = [json.loads(line) for line in text.splitlines()] if ".jsonl" in name else json.loads(text)
    return data


def judged(of: Case, made: Transcript) -> Verdict:
    """The verdict, with what the case's check (a sync one that appends) has to say."""
    if of.check is not None:
        of.check(made)
    return grade(of, made)


def exactly(value: Any) -> Any:
    """The wish for an equal value: of a plain dict, ours would take more than was asked for."""
    if isinstance(value, dict):
        return only({key: exactly(each) for key, each in value.items()})
    return [exactly(each) for each in value] if isinstance(value, list) else value
