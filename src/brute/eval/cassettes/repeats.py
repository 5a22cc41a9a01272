"""How a conversation that each request repeats stands in a cassette only once.

The first messages of a request that are also the first of an earlier one are written as `{"$first": 12, "$of": 3}`: the first 12 of the same
list in request 3 (counted from 1). So each entry shows what is new in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FIRST, OF = "$first", "$of"

LISTS = ("messages", "input", "contents", "tools")
"""The lists of a request that grow from one to the next, or stay."""

BACK = 16
"""How many earlier requests are looked at."""


def folded(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The entries with what they repeat left out."""
    made = []
    for number, entry in enumerate(entries):
        earlier = [(n, entries[n]) for n in range(max(0, number - BACK), number)]
        made.append(_with(entry, {name: _fold(name, each, earlier) for name, each in _lists(entry)}))
    return made


def unfolded(entries: Sequence[Any]) -> list[dict[str, Any]]:
    """The entries as they were."""
    made: list[dict[str, Any]] = []
    if not isinstance(entries, list):
        raise TypeError("no list of entries")
    for entry in entries:
        if not isinstance(entry, dict):
            raise TypeError("an entry is no object")
        made.append(_with(entry, {name: _unfold(name, each, made) for name, each in _lists(entry)}))
    return made


def _body(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    asked = entry.get("asked")
    if not isinstance(asked, Mapping):
        return {}
    body = asked.get("body") if entry.get("of") == "http" else asked
    return body if isinstance(body, Mapping) else {}


def _lists(entry: Mapping[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    for name in LISTS:
        each = _body(entry).get(name)
        if isinstance(each, list) and each:
            yield name, each


def _with(entry: Mapping[str, Any], lists: Mapping[str, list[Any]]) -> dict[str, Any]:
    made = dict(entry)
    if lists:
        changed = {name: lists.get(name, each) for name, each in _body(entry).items()}
        made["asked"] = {**entry["asked"], "body": changed} if entry.get("of") == "http" else changed
    return made


def _fold(name: str, each: list[Any], earlier: Sequence[tuple[int, Mapping[str, Any]]]) -> list[Any]:
    if any(isinstance(item, Mapping) and FIRST in item for item in each):
        # Somebody's own, which would be taken for ours. What is written whole is read as it stands.
        return [{FIRST: 0, OF: 0}, *each]
    best, of = 0, 0
    for number, entry in earlier:
        common = _common(each, dict(_lists(entry)).get(name, []))
        if common and common >= best:
            best, of = common, number + 1
    return [{FIRST: best, OF: of}, *each[best:]] if best else each


def _common(one: list[Any], other: list[Any]) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _unfold(name: str, each: list[Any], earlier: Sequence[Mapping[str, Any]]) -> list[Any]:
    mark = each[0]
    if not (isinstance(mark, dict) and mark.keys() == {FIRST, OF}):
        return each
    if mark[OF] == 0:
        return each[1:]
    if mark[OF] < 0:
        raise IndexError(mark[OF])
    repeated = dict(_lists(earlier[mark[OF] - 1]))[name][: mark[FIRST]]
    if len(repeated) != mark[FIRST]:
        raise IndexError(f"{FIRST} {mark[FIRST]}")
    return [*repeated, *each[1:]]
