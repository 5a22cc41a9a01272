"""Cases in files: YAML, JSON and JSON lines, read and written, with the place of whatever can't be meant."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

ENDINGS = (".yaml", ".yml", ".json", ".jsonl")
"""How a file of cases ends."""

loaded: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("brute_cases_loaded", default=None)
"""The files of cases that were loaded while an eval file was, by their real paths."""


@contextlib.contextmanager
def noting() -> Iterator[list[str]]:
    """Take note of the files that are loaded within."""
    noted: list[str] = []
    token = loaded.set(noted)
    try:
        yield noted
    finally:
        loaded.reset(token)
