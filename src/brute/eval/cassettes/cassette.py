"""A cassette: what the model and the tools answered in one attempt, as a file that people can read and compare."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..faulty import ReplayError
from ..masking import masked_value
from . import filing, repeats, wording
from .sides import BOTH, Sides

SCHEMA = 1
"""The number of the file's form; it grows when a field changes its meaning."""

_UNSAFE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
"""What JSON may hold as it is, and a terminal or an editor would obey, or not be able to write."""

Entry = dict[str, Any]


@dataclasses.dataclass(slots=True)
class Cassette:
    """What was recorded of one attempt.

    `model` has an entry for each request, `{"of": kind, "asked": ..., "answered" or "raised": ...}`; `tools` one for each call,
    `{"tool": name, "arguments": ..., "result" or "raised": ...}`. `sides` are those that were recorded, `day` is when, and `seconds` what the
    turn took, `held` of them while the event loop stood still, and not by its own code. `judge` has what a judge was asked about the attempt, in the form of `model`; None where none was recorded.
    """

    case: str
    attempt: int
    sides: Sides
    day: datetime.date
    seconds: float | None = None
    held: float = 0.0
    model: list[Entry] = dataclasses.field(default_factory=list)
    tools: list[Entry] = dataclasses.field(default_factory=list)
    judge: list[Entry] | None = None

    def text(self) -> str:
        """The cassette as its file has it, secrets masked."""
        # In the order in which the fields came: a tool's result is read by the model in that order.
        told = {
            "schema": SCHEMA,
            "case": self.case,
            "attempt": self.attempt,
            "sides": sorted(self.sides),
            "day": self.day.isoformat(),
            "seconds": None if self.seconds is None else round(self.seconds, 2),
            **({"held": round(self.held, 2)} if self.held >= 0.01 else {}),
            "model": repeats.folded(self.model),
            "tools": self.tools,
            **({} if self.judge is None else {"judge": repeats.folded(self.judge)}),
        }
        text = json.dumps(masked_value(told), ensure_ascii=False, indent=1, allow_nan=False)
        return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"

    def write(self, path: Path) -> None:
        """Put the cassette in the place of the one that is there."""
        filing.write(path, self.text())


def read(path: Path, shown: str) -> Cassette:
    """The cassette in a file, which sentences call `shown`; raises `ReplayError` for one that isn't there, is damaged, or of another version."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReplayError(wording.no_cassette(shown)) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ReplayError(wording.damaged(shown, _why(error))) from error
    if not isinstance(data, dict):
        raise ReplayError(wording.damaged(shown, "it is no JSON object"))
    if data.get("schema") != SCHEMA:
        raise ReplayError(wording.another_schema(shown, data.get("schema"), SCHEMA))
    try:
        return _made(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ReplayError(wording.damaged(shown, f"a field of it is missing or odd ({_why(error)})")) from error


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is no JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"{type(error).__name__}: {error}"


def _made(data: Mapping[str, Any]) -> Cassette:
    sides, seconds, held = frozenset(data["sides"]), data.get("seconds"), data.get("held", 0.0)
    if not sides <= BOTH:
        raise ValueError("sides")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, (int, float))):
        raise TypeError("seconds")
    if isinstance(held, bool) or not isinstance(held, (int, float)) or not 0 <= held <= (seconds or 0.0):
        raise TypeError("held")
    model, tools = repeats.unfolded(data["model"]), data["tools"]
    judge = repeats.unfolded(data["judge"]) if "judge" in data else None
    for entries in (model, judge or []):
        _check(entries, ("of", "asked"), "answered")
    _check(tools, ("tool", "arguments"), "result")
    return Cassette(
        case=data["case"],
        attempt=data["attempt"],
        sides=sides,
        day=datetime.date.fromisoformat(data["day"]),
        seconds=seconds,
        held=held,
        model=model,
        tools=list(tools),
        judge=judge,
    )


def _check(entries: Sequence[Any], fields: Sequence[str], end: str) -> None:
    if not isinstance(entries, list):
        raise TypeError("no list of entries")
    for number, entry in enumerate(entries, 1):
        lacks = next((field for field in fields if field not in entry), None)
        if lacks is None and not entry.keys() & {end, "raised", "opened"}:
            lacks = end
        if lacks is not None:
            raise KeyError(f"entry {number} has no {lacks}")
