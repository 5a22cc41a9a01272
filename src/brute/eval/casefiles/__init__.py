"""Cases in files: YAML, JSON and JSON lines, read and written, with the place of whatever can't be meant."""

from __future__ import annotations

ENDINGS = (".yaml", ".yml", ".json", ".jsonl")
"""How a file of cases ends."""
