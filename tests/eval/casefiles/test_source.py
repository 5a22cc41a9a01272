"""Cases as Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute import Message, ToolCall, UsageError
from brute.eval import (
    Budget,
    Case,
    any_of,
    any_order,
    call,
    in_turn,
    near,
    only,
    optional,
    parallel,
    when,
    with_defaults,
)
from brute.eval.casefiles.source import source_of
from brute.eval.keying import case_key
from tests.eval.casefiles.test_writing import big, cases


def run(source: str) -> list[Case]:
    """The cases of an eval file with this source."""
    names: dict[str, Any] = {}
    exec(compile(source, "eval_x.py", "exec"), names)
    made: list[Case] = names["CASES"]
    return made


@settings(max_examples=100, deadline=None)
@given(st.lists(cases, min_size=1, max_size=2))
def test_it_makes_the_same_cases(made: list[Case]) -> None:
    """Known by their keys; and no character in it can fool a reader."""
    source = source_of(made)
    assert [case_key(case) for case in run(source)] == [case_key(case) for case in made]
    assert all(each.isprintable() or each == "\n" for each in source)


def test_how_it_looks() -> None:
    """On one line what fits there, long texts line by line."""
    made = Case(
        "a",
        said="x\n" * 40,
        stubs={"f": in_turn("b", KeyError("id"))},
        conversation=[Message(role="assistant", tool_calls=(ToolCall(name="f"),))],
        mentions=[("it's",)],
        budget=Budget(iterations=3),
    )
    told = source_of([made], ["made up"], agent="agent.py")
    lines = told.splitlines()
    assert lines[:9] == [
        "# made up",
        "from brute import Message, ToolCall",
        "from brute.eval import Budget, Case, in_turn",
        "",
        'AGENT = "agent.py"',
        "CASES = [",
        "    Case(",
        '        "a",',
        "        said=(",
    ]
    assert lines[9:49] == ['            "x\\n"'] * 40
    assert lines[49:] == [
        "        ),",
        '        stubs={"f": in_turn("b", KeyError("id"))},',
        '        conversation=(Message(role="assistant", tool_calls=(ToolCall(name="f"),)),),',
        '        mentions=[("it\'s",)],',
        "        budget=Budget(iterations=3),",
        "    ),",
        "]",
    ]


def test_what_no_file_can_hold() -> None:
    """Is no source either: the function stands elsewhere."""
    with pytest.raises(UsageError, match="its check is the function big"):
        source_of([Case("a", said="b", check=big)])


def test_the_words_of_the_language() -> None:
    """By the functions that make them, which are imported."""
    made = Case(
        "a",
        said="b",
        stubs={"f": [when({"q": int}).returns(1).then(KeyError).after(2).times(3), when().passes_through()]},
        calls=only(
            {"f": [call({"q": any_of("a", near(1, percent=5))}, at_most=2, outcome="ran"), with_defaults({})]},
            among=["f"],
        ),
        order=[parallel("f", optional("g")), any_order(["h", "i"])],
    )
    told = source_of([made])
    assert run(told) == [made]
    for line in (
        "from brute.eval import Case, any_of, any_order, call, near, only, optional, parallel, when, with_defaults",
        '        stubs={"f": [when({"q": int}).returns(1).then(KeyError).after(2.0).times(3), when().passes_through()]},',
        '        order=(parallel("f", optional("g")), any_order(["h", "i"])),',
    ):
        assert line in told.splitlines()
    assert 'call({"q": any_of("a", near(1, percent=5))}, at_most=2, outcome="ran")' in told
