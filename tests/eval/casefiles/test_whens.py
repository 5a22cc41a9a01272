"""The rules of a stub in a file."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from brute.eval import any_of, only, when
from brute.eval.casefiles import values
from brute.eval.keying import case_key
from tests.eval.casefiles.files import case, node, refused_in
from tests.support import agents, make

RULES = [
    ("{returns: held}", when().returns("held")),
    ("{arguments: {q: /bank/, n: {$range: [1, 5]}}, returns: {a: [1]}}", when(q=re.compile("bank"), n=range(1, 5)).returns({"a": [1]})),
    ("{arguments: {$only: {q: a}}, returns: null}", when(only({"q": "a"})).returns(None)),
    ("{arguments: {$any_of: [{q: a}, {q: b}]}, passes_through: true}", when(any_of({"q": "a"}, {"q": "b"})).passes_through()),
    ("{fails: TimeoutError}", when().fails(TimeoutError)),
    ("{fails: {TimeoutError: slow}, after: 0.5}", when().fails(TimeoutError("slow")).after(0.5)),
    ("{returns: a, then: [{fails: {OSError: [2, gone]}, after: 2}, {returns: b}], times: 3}", when().returns("a").then(OSError(2, "gone")).after(2).then("b").times(3)),
    ("{passes_through: true, then: [{returns: /not a pattern/}]}", when().passes_through().then("/not a pattern/")),
    ("[{arguments: {q: a}, returns: 1, times: 1}, {fails: KeyError}]", [when(q="a").returns(1).times(1), when().fails(KeyError)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), RULES)
def test_a_rule(text: str, value: Any) -> None:
    """As the same rule in Python, which is known by its key; and back."""
    made = case(f"stubs: {{f: {{$when: {text}}}}}").stubs["f"]
    again = values.stub(node(json.dumps(values.put_stub(value))))
    for each in (made, again):
        assert repr(each) == repr(value)
        assert case_key(make.case(stubs={"f": each})) == case_key(make.case(stubs={"f": value}))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", "3:22: a rule of $when says what is served, by one of returns, fails, passes_through; got none of them"),
        ("[]", "3:22: $when takes a rule or a list of rules, and this list has none"),
        ("7", "3:22: a rule of $when takes a mapping of arguments, returns, fails, passes_through, after, then, times, got 7"),
        ("{returns: 1, fails: KeyError}", "3:22: a rule of $when says what is served, by one of returns, fails, passes_through; got returns and fails"),
        ("{retruns: 1}", '3:23: a rule of $when has no "retruns" (did you mean "returns"?); it takes'),
        ("{returns: {$raise: KeyError}}", "3:32: returns serves a value; to raise an exception, write fails: in its place"),
        ("{returns: {$in_turn: [1]}}", '3:33: "$in_turn" is no form here'),
        ("{fails: KeyEror}", "3:30: fails takes one of Python's own exceptions, got \"KeyEror\" (did you mean \"KeyError\"?)"),
        ("{fails: 7}", "3:30: fails takes an exception, such as TimeoutError, or {TimeoutError: what it says}, got 7"),
        ("{passes_through: false}", "3:39: passes_through must be true, got false"),
        ("{returns: 1, after: -1}", "3:42: after takes a number of seconds >= 0, got -1"),
        ("{returns: 1, times: 0}", "3:42: times takes a whole number >= 1, got 0"),
        ("{returns: 1, then: [{passes_through: true}]}", '3:43: what is served then has no "passes_through"'),
        ("{returns: 1, then: {returns: 2}}", "3:41: then takes a list of {returns: ...} and {fails: ...}, got a mapping"),
        ("{arguments: [1], returns: 2}", "3:34: a call takes a mapping of arguments, or null for any, got a list"),
        ("{arguments: {$with_defaults: {}}, returns: 2}", "3:34: when takes no with_defaults: no case knows the tool's schema beforehand"),
        ("{arguments: {$call: {}}, returns: 2}", "3:34: when "),
    ],
)  # fmt: skip
def test_a_rule_that_cant_be_meant(text: str, sentence: str) -> None:
    """Under the line and the column of what is wrong."""
    assert refused_in(f"stubs: {{f: {{$when: {text}}}}}").startswith(sentence)


def test_a_rule_is_served() -> None:
    """To a real turn: the first answer, then the others."""
    made = case(
        'stubs: {search: {$when: {returns: "4.25", then: [{fails: {TimeoutError: slow}}]}}}\ncalls: {search: {$call: {times: 2}}}'
    )
    live = agents.Live()
    done = agents.attempt(agents.makes(agents.asks("search"), agents.asks("search"), "hello", tools=[live.tool]), made)
    assert done.verdict.sentences == []
    assert [(each.outcome, each.result) for each in done.transcript.calls] == [("stubbed", "4.25"), ("stubbed", None)]
    assert ["slow" in (each.error or "") for each in done.transcript.calls] == [False, True]
    assert live.ran == []
