"""The tables of three peers: each row said as a case, and the same verdict, but for what docs/expectations.md lists as meant otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from brute.eval import Budget, Call, Case, Request, Transcript, any_of, call, only, optional, parallel
from tests.realdata import exactly, judged, rows
from tests.support.make import transcript

Pairs = list[tuple[str, dict[str, Any]]]


def wishes(expected: Pairs, wish: Callable[[str, dict[str, Any]], Any] = lambda name, given: exactly(given)) -> Any:
    """The calls that are expected, by tool."""
    wanted: dict[str, list[Any]] = {}
    for name, arguments in expected:
        wanted.setdefault(name, []).append(wish(name, arguments))
    return wanted


def made(actual: Pairs) -> Transcript:
    """The transcript of these calls."""
    return transcript(*(Call(name=name, arguments=arguments) for name, arguments in actual))


def passes(actual: Transcript, **expectations: Any) -> bool:
    """Whether the turn passes a case that expects this."""
    return judged(Case("a", said="x", **expectations), actual).passed


def in_order(names: list[str]) -> Any:
    """The order of the names, if there are any."""
    return names or None


def test_adk() -> None:
    """All 19: exact, in order and in any order, with and without arguments; a partial score is no pass."""
    for row in rows("peers/adk_cases.json"):
        actual, expected = ([(each["name"], each["args"]) for each in row[side]] for side in ("actual", "expected"))
        kind = row["match_type"]
        wanted = wishes(expected, lambda name, given, ignored=row["ignore_args"]: None if ignored else exactly(given))  # type: ignore[misc]
        if kind == "TOOL_PARAMETER_MATCH":
            wanted = wishes(expected, lambda name, given: given)
        ordered = in_order([name for name, _ in expected]) if kind in ("EXACT", "IN_ORDER") else None
        verdict = passes(made(actual), calls=only(wanted) if kind == "EXACT" else wanted, order=ordered)
        assert verdict == (row["score"] in (1.0, None)), row  # None: nothing was expected, and so nothing graded


# --- agentevals


def calls_of(messages: list[dict[str, Any]]) -> list[Pairs]:
    """The calls of each message that has some."""
    batches = [[each["function"] for each in message.get("tool_calls") or ()] for message in messages]
    return [[(each["name"], json.loads(each["arguments"])) for each in batch] for batch in batches if batch]


def argument_wish(row: dict[str, Any]) -> Callable[[str, dict[str, Any]], Any]:
    """What the row's mode, and its override for a tool, want of a call's arguments."""
    modes: dict[str, Callable[[dict[str, Any]], Any]] = {
        "exact": exactly,
        "ignore": lambda given: {},
        "superset": lambda given: given,
        "subset": lambda given: only({name: optional(exactly(each)) for name, each in given.items()}),
    }

    def wish(name: str, given: dict[str, Any]) -> Any:
        override = (row["overrides"] or {}).get(name, row["tool_args_match_mode"])
        if isinstance(override, list):
            return {"time": {"start": given["time"]["start"]}}
        if not override.startswith("CALLABLE"):
            return modes[override](given)
        if name == "get_weather":
            return {"city": any_of("SF", "San Francisco")}
        return {"query": re.compile("upgrade")} if "upgrade" in given.get("query", "") else {}

    return wish


def agentevals(row: dict[str, Any]) -> bool:
    """The verdict on the row's pair."""
    actual, expected = calls_of(row["outputs"]), calls_of(row["reference_outputs"])
    turn = transcript(
        *(Call(name=name, arguments=given, iteration=n) for n, batch in enumerate(actual, 1) for name, given in batch)
    )
    wish = argument_wish(row)
    flat = [each for batch in expected for each in batch]
    if row["mode"] == "superset":
        return passes(turn, calls=wishes(flat, wish))
    if row["mode"] == "subset":
        return passes(turn, calls=only(wishes(flat, lambda name, given: call(wish(name, given), at_most=1))))
    if row["mode"] == "unordered":
        return passes(turn, calls=only(wishes(flat, wish)))
    steps = [batch[0][0] if len(batch) == 1 else parallel(*(name for name, _ in batch)) for batch in expected]
    return passes(turn, calls=only(wishes(flat, wish)), order=steps)


def test_agentevals() -> None:
    """All 43: strict, unordered, subset and superset, with each mode for the arguments and each override."""
    differ = [
        number for number, row in enumerate(rows("peers/agentevals_cases.json")) if agentevals(row) != row["expected"]
    ]
    assert differ == []


# --- pydantic-evals

OURS_DIFFER = {
    "test_argument_correctness_occurrence_out_of_range[5]": "a wish is met by whichever call meets it; there is no occurrence to choose",
    "test_argument_correctness_occurrence_out_of_range[middle]": "the same",
    "test_argument_correctness_occurrence_out_of_range[None]": "the same",
    "test_argument_correctness_occurrence_out_of_range[1.5]": "the same",
}
"""What is meant otherwise; the table in docs/expectations.md says so."""

NOT_TOOLS = ("running output function: ",)


def turn_of(row: dict[str, Any]) -> Transcript:
    """The transcript that the spans are of; without a tree of them, nothing was seen."""
    if row["reason"] and "No span tree" in str(row["reason"]):
        return transcript(blind=["calls", "iterations"])
    calls = []
    for span in sorted(row["spans"], key=lambda span: span["start"]):
        attributes = span["attributes"]
        name = attributes.get("gen_ai.tool.name")
        if name is None or span["name"].startswith("running output function") or name == "final_answer":
            continue
        if str(attributes.get("logfire.msg", "")).startswith(NOT_TOOLS):
            continue
        outcome = (
            "denied"
            if "pydantic_ai.tool.deferral.name" in attributes
            else "failed"
            if span["status"] == "error"
            else "ran"
        )
        calls.append(call_of(name, attributes, outcome))
    requests = row["metrics"].get("requests", sum(span["name"].startswith("chat") for span in row["spans"]))
    return transcript(*calls, iterations=requests or 1, requests=[Request() for _ in range(requests)])


def call_of(name: str, attributes: dict[str, Any], outcome: Any) -> Call:
    """A call by what its span says of it; arguments that are no JSON object are malformed."""
    text = attributes.get("gen_ai.tool.call.arguments", attributes.get("tool_arguments"))
    try:
        arguments = json.loads(text or "null")
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return Call(name=name, arguments=arguments, outcome=outcome)
    return Call(name=name, arguments=None, malformed=text or "", outcome=outcome)


def expectations(row: dict[str, Any]) -> dict[str, Any]:
    """What the evaluator asks, as a case asks it."""
    given, kind = row["params"], row["evaluator"]
    if kind == "MaxModelRequests":
        return {"budget": Budget(iterations=given["max_requests"])}
    outcome = None if given["include_failed"] else "ran"
    if kind == "MaxToolCalls":
        return {"calls": {"*": call(at_most=given["max_calls"], outcome=outcome or "asked")}}
    if kind == "ArgumentCorrectness":
        wish = only(given["expected_arguments"]) if given["match_mode"] == "exact" else given["expected_arguments"]
        return {"calls": {given["tool_name"]: call(wish, outcome=outcome)}}
    names = given.get("expected_tools") or given.get("expected_trajectory") or []
    wanted: dict[str, Any] = {name: call(times=names.count(name), outcome=outcome) for name in names}
    if outcome is not None:
        # A call that failed or was put off is none of their business.
        wanted["*"] = [call(outcome="failed", at_least=0), call(outcome="denied", at_least=0)]
    wanted = wanted if given.get("allow_extra") else only(wanted)
    return {"calls": wanted, "order": in_order(names) if given.get("order") in ("exact", "in_order") else None}


def test_pydantic_evals() -> None:
    """All 43, but for the four about an occurrence; a score passes where it is 1.0, and what was not seen never does."""
    differ = []
    for row in rows("peers/pydantic_evals_cases.json"):
        if passes(turn_of(row), **expectations(row)) != (row["value"] in (True, 1.0)):
            differ.append(row["test"])
    assert differ == [*OURS_DIFFER]
