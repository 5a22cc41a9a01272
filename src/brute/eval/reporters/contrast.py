"""Both sides of a failure as a reader compares them: what was wanted and what was got, with what differs marked."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..jsonable import plain
from ..verdict import Failure
from .inert import inert

Part = tuple[str, bool]
"""A text, and whether it is what differs."""

_ROOM = 600
_MOST = 8


def contrast(failure: Failure) -> tuple[list[Part], list[Part]] | None:
    """What was wanted and what was got, or None where the failure has no two sides."""
    wanted, got = failure.expected, failure.actual
    if wanted is None or (got is None and not failure.kind.startswith("budget.")):
        return None
    if failure.kind in ("call.missing", "call.arguments") and isinstance(wanted, Mapping) and isinstance(got, list):
        return _calls(wanted, got)
    if failure.kind == "mentions" and _names(wanted):
        return [(" or ".join(map(_shown, wanted)), True)], [(_shown(got), True)]
    if _names(wanted) and _names(got):
        return _aligned(wanted, got, " → ")
    if failure.kind == "check" and isinstance(wanted, str) and isinstance(got, str):
        return _aligned(re.findall(r"\w+|\W", wanted[:_ROOM]), re.findall(r"\w+|\W", got[:_ROOM]), "")
    limit = "at most " if failure.kind.startswith("budget.") else ""
    return [(f"{limit}{_shown(wanted)}", True)], [(_shown(got), True)]


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _calls(wanted: Mapping[str, Any], got: Sequence[Any]) -> tuple[list[Part], list[Part]]:
    """The call that was wanted, and those that were made, each argument that the case asks about marked."""
    tool, wishes = next(iter(wanted.items()), ("", ""))
    each = wishes if isinstance(wishes, list) else [wishes]
    left: list[Part] = []
    for n, wish in enumerate(each[:_MOST]):
        left += [("\n" if n else "", False), (f"{inert(tool, 60)} with {inert(wish, _ROOM)}", True)]
    right: list[Part] = []
    for n, made in enumerate(got[:_MOST]):
        right.append(("\n" if n else "", False))
        right += _made(made, " and ".join(map(str, each)))
    if len(got) > _MOST:
        right.append((f"\nand {len(got) - _MOST:,} more", False))
    return left, right or [("no calls", True)]


def _made(made: Any, wishes: str) -> list[Part]:
    if not isinstance(made, Mapping):
        return [(_shown(made), isinstance(made, str))]
    parts: list[Part] = [("{", False)]
    for n, (name, value) in enumerate(made.items()):
        asked = re.search(rf"(?:^|and ){re.escape(str(name))} ", wishes) is not None
        parts += [(", " if n else "", False), (f"{_shown(name)}: {_shown(value)}", asked)]
    return [*parts, ("}", False)]


def _aligned(wanted: Sequence[str], got: Sequence[str], between: str) -> tuple[list[Part], list[Part]]:
    """Two rows of texts, of which those that the other lacks are marked."""
    wanted, got = wanted[:200], got[:200]
    left: list[Part] = []
    right: list[Part] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, wanted, got, autojunk=False).get_opcodes():
        for parts, texts in ((left, wanted[a:b]), (right, got[c:d])):
            for text in texts:
                parts += [(between, False)] if parts and between else []
                parts.append((_shown(text), tag != "equal"))
    return left, right or [("nothing", True)]


def _shown(value: Any) -> str:
    if value == "":
        return "nothing"
    text = value if isinstance(value, str) else _begun(value)
    return "\n".join(inert(line, _ROOM) for line in text[:_ROOM].split("\n")) + ("..." if len(text) > _ROOM else "")


def _begun(value: Any) -> str:
    """The value as JSON, no more of it than is shown."""
    text = ""
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(plain(value)):
        text += piece
        if len(text) > _ROOM:
            break
    return text
