"""What differs between what two runs were made of: their commands and versions, their agents and worlds, their cases."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
from typing import Any

from .logreading import Reading, Run
from .logschema import unread


@dataclasses.dataclass(frozen=True, slots=True)
class Changes:
    """What two runs were made of that is not the same: sentences about the whole, and of cases (by their numbers in the log) what changed."""

    sentences: list[str]
    cases: list[tuple[int, int, list[str]]]


def changes(reading: Reading, one: Run, other: Run) -> Changes:
    """What differs between what two runs were made of."""
    try:
        return Changes([*_of_runs(one, other), *_of_parts(reading, one, other)], _of_cases(reading, one, other))
    except (sqlite3.Error, ValueError, TypeError, AttributeError) as error:
        reading.note(
            str(unread(reading.path, error)) if isinstance(error, sqlite3.Error) else f"{reading.path} is damaged"
        )
        return Changes([], [])


def _of_runs(one: Run, other: Run) -> list[str]:
    told = []
    if one.command != other.command:
        told.append(f"the command line: {one.command} -> {other.command}")
    if (one.commit_id, one.dirty) != (other.commit_id, other.dirty):
        told.append(f"the commit: {_commit(one)} -> {_commit(other)}")
    for name in sorted({*one.versions, *other.versions}):
        before, now = one.versions.get(name, "none"), other.versions.get(name, "none")
        if before != now:
            told.append(f"{name}: {before} -> {now}")
    return told


def _commit(run: Run) -> str:
    return "unknown" if run.commit_id is None else f"{run.commit_id[:8]}{' with changes' if run.dirty else ''}"


def _of_parts(reading: Reading, one: Run, other: Run) -> list[str]:
    """What the agent and the world of each suite were that both have; what has no key can't be compared."""
    query = "SELECT suite, agent, world, settings FROM part WHERE run = ?"
    before, now = (
        {row[0]: row[1:] for row in reading.connection.execute(query, (run.number,))} for run in (one, other)
    )
    told = []
    for suite in [suite for suite in before if suite in now]:
        of = f" of {suite}" if suite else ""
        for word, was, is_ in zip(("the agent", "the world"), before[suite], now[suite], strict=False):
            if was is None or is_ is None:
                told.append(f"{word}{of} can't be compared")
            elif was != is_:
                told.append(f"{word}{of} is another")
        was, is_ = (json.loads(each[suite][2] or "{}") for each in (before, now))
        told += [f"{word}{of} is another" for name, word in _RESTS.items() if was.get(name) != is_.get(name)]
    return told


_RESTS = {"settings": "a setting", "grading": "brute's grading"}


def _of_cases(reading: Reading, one: Run, other: Run) -> list[tuple[int, int, list[str]]]:
    before, now = _cases(reading, one), _cases(reading, other)
    found = []
    for name, (number, content, about) in before.items():
        if name in now and now[name][0] != number:
            found.append((number, now[name][0], _of_case((content, about), now[name][1:])))
    return [each for each in found if each[2]]


def _cases(reading: Reading, run: Run) -> dict[tuple[str, str], tuple[int, bytes | None, dict[str, Any]]]:
    query = (
        "SELECT number, suite, name, content, about FROM cased WHERE number IN "
        "(SELECT DISTINCT cased FROM attempt WHERE id BETWEEN ? AND ? AND stale = 0)"
    )
    found = {}
    for number, suite, name, content, about in reading.connection.execute(query, run.span):
        kept = {}
        with contextlib.suppress(ValueError):
            kept = dict(json.loads(about))
        found[suite, name] = number, content, kept
    return found


def _of_case(before: tuple[bytes | None, dict[str, Any]], now: tuple[bytes | None, dict[str, Any]]) -> list[str]:
    """What of a case is another: its inputs and its runs by name, and what it expects where nothing else explains it."""
    (content, was), (content_now, is_) = before, now
    inputs = [dict(each.get("inputs") or {}) for each in (was, is_)]
    told = [name for name in ("said", "runs", "budget") if was.get(name) != is_.get(name)]
    told += [name for name in sorted({*inputs[0], *inputs[1]} - {*told}) if inputs[0].get(name) != inputs[1].get(name)]
    if content is None or content_now is None:
        return [*told, "what can't be compared"]
    return told if content == content_now or {*told} - {"runs"} else [*told, "what it expects"]
