"""2,376 questions with their accepted answers: each can be said as a case, and one slip in the answer is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from brute.eval import Case
from brute.eval.matching import matches
from tests.realdata import judged, no_more_than, rows
from tests.support.make import call, transcript


def wish(accepted: list[Any]) -> Any:
    """A matcher for one argument: any of the accepted values, which may be nested in the same way."""
    options = [deep(each) for each in accepted if each != ""]
    return options[0] if len(options) == 1 else lambda got: any(matches(option, got) for option in options)


def deep(value: Any) -> Any:
    """An accepted value: of a dict, each key has accepted values of its own."""
    if isinstance(value, dict):
        return {key: wish(each) for key, each in value.items() if isinstance(each, list) and "" not in each}
    return [deep(each) for each in value] if isinstance(value, list) else value


def first(value: Any) -> Any:
    """The value that is made of the first accepted ones."""
    if isinstance(value, dict):
        return {key: first(each[0]) for key, each in value.items() if isinstance(each, list) and "" not in each}
    return [first(each) for each in value] if isinstance(value, list) else value


def required(answer: dict[str, Any]) -> dict[str, list[Any]]:
    """The arguments that may not be left out, and of which something is asked."""
    return {name: accepted for name, accepted in answer.items() if accepted and "" not in accepted}


def case_of(row: dict[str, Any]) -> Case:
    """The case that the question and its accepted answers are."""
    wanted: dict[str, list[Any]] = {}
    for answer in row.get("possible_answer") or ():
        for name, given in answer.items():
            wanted.setdefault(name, []).append({key: wish(accepted) for key, accepted in required(given).items()})
    others = {function["name"] for function in row["functions"]} - wanted.keys()
    return Case(row["id"], said=str(row["question"]), calls=wanted, never=others, check=no_more_than(wanted))


def answer_of(row: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that are made of first accepted values."""
    return [
        (name, {key: first(accepted[0]) for key, accepted in required(given).items()})
        for answer in row.get("possible_answer") or ()
        for name, given in answer.items()
    ]


def spoilt(calls: list[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    """The answer with one slip each, and what a sentence on it has to name."""
    name, given = calls[0]
    for key, value in given.items():
        rest = {other: each for other, each in given.items() if other != key}
        yield key, [(name, rest), *calls[1:]]
        yield key, [(name, {**rest, f"{key}_": value}), *calls[1:]]
        yield key, [(name, {**rest, key: [value]}), *calls[1:]]
    yield name, [*calls, calls[0]]


def test_every_question_is_a_case_and_every_slip_is_named() -> None:
    """The answer of first accepted values passes; an argument left out, renamed or retyped, or a call more, fails."""
    questions = answered = slips = 0
    for row in rows("bfcl_questions.jsonl.gz"):
        of, calls = case_of(row), answer_of(row)
        questions += 1
        if not calls:
            if row["functions"] and "irrelevance" in row["category"]:
                name = row["functions"][0]["name"]
                assert judged(of, transcript()).passed
                assert name in judged(of, transcript(call(name))).sentences[0]
            continue
        answered += 1
        verdict = judged(of, transcript(*(call(name, **given) for name, given in calls)))
        assert verdict.passed, (row["id"], verdict.sentences)
        for named, made in spoilt(calls):
            slips += 1
            verdict = judged(of, transcript(*(call(name, **given) for name, given in made)))
            assert verdict.status == "failed", (row["id"], named, made)
            assert any(named in sentence for sentence in verdict.sentences), (row["id"], named, verdict.sentences)
    assert (questions, answered) == (2376, 1574)
    assert slips > 5000
