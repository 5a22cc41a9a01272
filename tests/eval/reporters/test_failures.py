"""A failure of each kind, told by the report alone: what was expected, what happened, where in the turn, what the model saw.

What the embedded model wrote in `examples/failures` is played again; `tests/functional/test_failures.py` has the model itself.
"""

from __future__ import annotations

import re

import pytest

from brute.completion import embedded
from brute.eval import Attempt, Case
from brute.eval.verdict import KINDS
from tests.support import failures
from tests.support.golden import same_as_golden

KINDS_OF = {
    "notes what it is told": "call.arguments",
    "looks a price up before it notes it": "call.missing",
    "does sums by itself": "call.forbidden",
    "notes the question before it looks for the answer": "order",
    "knows how long a day is": "mentions",
    "keeps quiet when nothing is asked": "reply.unwanted",
    "says so when there is no news": "absent",
    "answers within a thousand tokens": "budget.tokens",
    "looks up and notes in two model calls": "budget.iterations",
    "says so when the news can't be reached": "absent",
    "does not turn the news round": "check",
    "is served a stub that is wrong": "error.stub",
    "is given more than the model can read": "error.model",
}


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is fetched, and paths are told from the project's folder."""
    monkeypatch.setattr(embedded, "ask_for", lambda name: None)
    monkeypatch.chdir(failures.ROOT)


def cases() -> list[Case]:
    """The example's cases."""
    return [*failures.suite().cases]


def played(name: str) -> Attempt:
    """The attempt at the case of that name."""
    return failures.played(next(case for case in cases() if case.name == name))


@pytest.mark.parametrize("name", KINDS_OF)
def test_a_failure_is_understood_from_its_report(name: str) -> None:
    """The whole report on it: reviewed by asking of it the four questions."""
    attempt = played(name)
    assert [each.kind for each in attempt.verdict.failures] == [KINDS_OF[name]]
    same_as_golden(failures.report(attempt), failures.path(attempt.case))


@pytest.mark.parametrize("name", KINDS_OF)
def test_each_report_answers_the_four_questions(name: str) -> None:
    """What was expected and what happened, in a sentence; one step or more marked with it; what the model was told and could call."""
    attempt = played(name)
    text = failures.report(attempt)
    assert f"    - {attempt.verdict.sentences[0]}\n" in text
    assert re.search(rf"^    > [\s\S]*^ +\^ {re.escape(KINDS_OF[name])}$", text, re.M)
    for label in ("system", "tools", "user"):
        assert re.search(rf"^      {label} +\| \S", text, re.M)
    assert all(f"call {n} " in text for n in range(1, len(attempt.transcript.calls) + 1))
    assert attempt.transcript.reply in text
    assert len(text.splitlines()) <= 20


def test_every_case_of_the_example_is_here() -> None:
    """With at least ten kinds between them, and no report of a case that is gone."""
    assert [case.name for case in cases()] == [*KINDS_OF]
    assert len(set(KINDS_OF.values()) & KINDS.keys()) >= 10
    assert {path.name for path in failures.GOLDEN.glob("*.txt")} == {failures.path(case).name for case in cases()}
