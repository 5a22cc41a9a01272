"""Whole outputs as files, reviewed as diffs: `UPDATE_GOLDEN=1` in the environment writes them anew."""

from __future__ import annotations

import os
from pathlib import Path


def same_as_golden(text: str, path: Path) -> None:
    """Compare the text with what the file holds; the file is written where that is asked for."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; UPDATE_GOLDEN=1 writes it anew, for review"
