"""2,376 questions with their accepted answers: each can be said as a case, and one slip in the answer is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from brute.eval import Case, any_of, only, optional, schema
from tests.realdata import judged, rows
from tests.support.make import call, transcript

Made = list[tuple[str, dict[str, Any]]]


def wish(accepted: list[Any]) -> Any:
    """The wish for one argument: any of the accepted values, and left out where "" is one of them."""
    given = [deep(each) for each in accepted if each != ""]
    one = object if not given else given[0] if len(given) == 1 else any_of(*given)
    return optional(one) if "" in accepted or not accepted else one


def deep(value: Any) -> Any:
    """An accepted value: of a dict, each key has accepted values of its own."""
    if isinstance(value, dict):
        return only({key: wish(each) if isinstance(each, list) else each for key, each in value.items()})
    return [deep(each) for each in value] if isinstance(value, list) else value


def first(value: Any) -> Any:
    """The value that is made of the first accepted ones; what may be left out is."""
    if isinstance(value, dict):
        return {key: first(each[0]) for key, each in value.items() if not isinstance(each, list) or "" not in each}
    return [first(each) for each in value] if isinstance(value, list) else value


def case_of(row: dict[str, Any]) -> Case:
    """The case that the question and its accepted answers are: these calls, with these arguments, and no others."""
    wanted: dict[str, list[Any]] = {}
    for answer in row.get("possible_answer") or ():
        for name, given in answer.items():
            wanted.setdefault(name, []).append(only({key: wish(accepted) for key, accepted in given.items()}))
    return Case(row["id"], said=str(row["question"]), calls=only(wanted))


def answer_of(row: dict[str, Any], full: bool = False) -> Made:
    """The calls that are made of first accepted values, with or without what may be left out."""
    return [
        (name, {key: first(accepted[0]) for key, accepted in given.items() if accepted and accepted[0] != ""} if full else needed(given))
        for answer in row.get("possible_answer") or ()
        for name, given in answer.items()
    ]  # fmt: skip


def needed(given: dict[str, list[Any]]) -> dict[str, Any]:
    """The arguments that may not be left out."""
    return {key: first(accepted[0]) for key, accepted in given.items() if accepted and "" not in accepted}


def spoilt(calls: Made) -> Iterator[tuple[str, Made]]:
    """The answer with one slip each, and what a sentence on it has to name."""
    name, given = calls[0]
    for key, value in given.items():
        rest = {other: each for other, each in given.items() if other != key}
        yield key, [(name, rest), *calls[1:]]
        yield key, [(name, {**rest, f"{key}_": value}), *calls[1:]]
        yield key, [(name, {**rest, key: [[value]]}), *calls[1:]]
    yield "made_up", [(name, {**given, "made_up": 1}), *calls[1:]]
    yield name, [*calls, calls[0]]
    yield "another_tool", [*calls, ("another_tool", {})]


def test_every_question_is_a_case_and_every_slip_is_named() -> None:
    """Both answers of first accepted values pass; an argument left out, renamed, retyped or made up, or a call more, fails."""
    questions = answered = slips = 0
    for row in rows("bfcl_questions.jsonl.gz"):
        of = case_of(row)
        questions += 1
        if not row.get("possible_answer"):
            if "relevance" in row["category"] and row["functions"]:
                name = row["functions"][0]["name"]
                assert judged(of, transcript()).passed
                assert name in judged(of, transcript(call(name))).sentences[0]
            continue
        answered += 1
        for full in (False, True):
            verdict = judged(of, made_of(answer_of(row, full)))
            assert verdict.passed, (row["id"], verdict.sentences)
        for named, calls in spoilt(answer_of(row)):
            slips += 1
            verdict = judged(of, made_of(calls))
            assert verdict.status == "failed", (row["id"], named, calls)
            assert any(named in sentence for sentence in verdict.sentences), (row["id"], named, verdict.sentences)
    assert (questions, answered) == (2376, 1574)
    assert slips > 9000


def made_of(calls: Made) -> Any:
    """The transcript of these calls."""
    return transcript(*(call(name, **given) for name, given in calls))


def test_the_tools_own_schemas_take_the_accepted_answers() -> None:
    """As `calls={name: schema(...)}`, for the tools whose types JSON schema knows; a made-up argument is refused where it says so."""
    pytest.importorskip("jsonschema")
    taken = refused = 0
    for row in rows("bfcl_questions.jsonl.gz"):
        if not row.get("possible_answer"):
            continue
        shapes = {function["name"]: as_json_schema(function["parameters"]) for function in row["functions"]}
        for name, given in answer_of(row):
            of = Case("a", said="x", calls={name: schema(shapes[name])})
            if judged(of, made_of([(name, given)])).passed:
                taken += 1
            assert not judged(of, made_of([(name, {**given, "made_up": 1})])).passed
            refused += 1
    assert (refused, taken) == (2127, 2098)  # of 29, an accepted value is of no type that the schema allows


def as_json_schema(parameters: Any) -> Any:
    """The questions' own types, which are Python's, as JSON schema has them."""
    if isinstance(parameters, list):
        return [as_json_schema(each) for each in parameters]
    if not isinstance(parameters, dict):
        return parameters
    types = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "any": None, "String": "string"}
    made = {}
    for key, value in parameters.items():
        if key == "type" and isinstance(value, str):
            kind = types.get(value, value)
            made |= {"type": kind} if kind is not None else {}
        elif key == "properties":
            made[key] = {name: as_json_schema(each) for name, each in value.items()}
        elif key in ("items", "enum", "required"):
            made[key] = as_json_schema(value) if key == "items" else value
    return {**made, "additionalProperties": False} if "properties" in made else made
