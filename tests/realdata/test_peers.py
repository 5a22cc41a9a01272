"""Trajectory pairs from the tests of agentevals and ADK: the same verdict, where ours has words for what is asked."""

from __future__ import annotations

import functools
import json
import operator
from collections import Counter
from typing import Any

from brute.eval import Case, Transcript
from tests.realdata import judged, no_more_than, rows
from tests.support.make import call, transcript

Pairs = list[tuple[str, dict[str, Any]]]


def exactly(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments, each equal."""
    return {name: functools.partial(operator.eq, value) for name, value in arguments.items()}


def wanting(expected: Pairs, *, exact: bool, more: bool, order: bool, ignore: bool = False) -> Case:
    """The case that wants these calls: with equal arguments, others besides allowed or not, in this order or any."""
    wanted: dict[str, list[Any]] = {}
    for name, arguments in expected:
        wanted.setdefault(name, []).append({} if ignore else exactly(arguments) if exact else arguments)
    names = [name for name, _ in expected]
    sizes = Counter((name, len(arguments)) for name, arguments in expected)

    def check(made: Transcript) -> None:
        no_more_than(wanted)(made)
        extra = [each for each in made.names if each not in wanted]
        made.failures += [f"called {name} besides" for name in extra]
        if exact and not ignore and Counter((each.name, len(each.arguments or {})) for each in made.calls) != sizes:
            made.failures.append("called with arguments besides")

    return Case("a", said="x", calls=wanted, order=names if order and names else None, check=None if more else check)


def passes(expected: Pairs, actual: Pairs, **how: bool) -> bool:
    """Whether the calls pass the case."""
    return judged(wanting(expected, **how), transcript(*(call(name, **arguments) for name, arguments in actual))).passed  # type: ignore[arg-type]


def test_adk() -> None:
    """Exact, in order and in any order, with and without arguments; partial scores have no word here."""
    agreed = 0
    for row in rows("peers/adk_cases.json"):
        kind = row["match_type"]
        if kind == "TOOL_PARAMETER_MATCH":
            continue
        actual, expected = ([(each["name"], each["args"]) for each in row[side]] for side in ("actual", "expected"))
        how = {"more": kind != "EXACT", "order": kind != "ANY_ORDER", "ignore": row["ignore_args"]}
        assert passes(expected, actual, exact=kind == "EXACT", **how) == (row["score"] == 1.0), row
        agreed += 1
    assert agreed == 14


def test_agentevals() -> None:
    """Unordered, subset and superset of calls with equal arguments, and the strict ones on one call with each mode for its arguments."""
    agreed = 0
    for row in rows("peers/agentevals_cases.json"):
        sides: list[Pairs] = []
        for side in ("outputs", "reference_outputs"):
            calls = [each["function"] for message in row[side] for each in message.get("tool_calls") or ()]
            sides.append([(each["name"], json.loads(each["arguments"])) for each in calls])
        actual, expected = sides
        mode, arguments = row["mode"], row["tool_args_match_mode"]
        if row["overrides"] or (mode == "strict" and len(actual) + len(expected) > 2):
            continue  # overrides are predicates, as anywhere; the strict mode also compares the messages between calls
        if mode == "subset" or (mode == "strict" and arguments == "subset"):
            actual, expected = expected, actual
        more = mode in ("subset", "superset") or arguments in ("subset", "superset", "ignore")
        how = {"more": more, "order": mode == "strict", "exact": arguments == "exact", "ignore": arguments == "ignore"}
        assert passes(expected, actual, **how) == row["expected"], row
        agreed += 1
    assert agreed >= 20
