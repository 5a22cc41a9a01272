"""The defaults of a tool's own schema, in a real turn."""

from __future__ import annotations

import brute
from brute.eval import Case, call, with_defaults
from brute.eval.defaults import asked, of_schema
from tests.support.agents import asks, attempt, makes


@brute.tool
def search(query: str, limit: int = 10, kind: str | None = None) -> str:
    """Search."""
    return "found"


def test_left_out_is_the_same_as_said() -> None:
    """The turn that leaves the argument out, and the one that gives the default, both pass; another value fails."""
    wanting = Case("a", said="x", calls={"search": with_defaults({"query": "bank", "limit": 10})})
    for given, status in (({}, "passed"), ({"limit": 10}, "passed"), ({"limit": 3}, "failed")):
        made = attempt(makes(asks(("search", {"query": "bank", **given})), "done", tools=[search]), wanting)
        assert (made.status, made.transcript.defaults) == (status, {"search": {"limit": 10, "kind": None}})


def test_the_defaults_of_a_tool_with_a_stub_are_its_own() -> None:
    """A sealed tool keeps its schema."""
    wanting = Case(
        "a", said="x", stubs={"search": "held"}, calls={"search": call(with_defaults({"limit": 10}), times=1)}
    )
    made = attempt(makes(asks(("search", {"query": "bank"})), "done", tools=[search]), wanting)
    assert made.verdict.sentences == []
    assert made.transcript.calls[0].outcome == "stubbed"


def test_what_no_case_asks_for_is_not_noted() -> None:
    """And costs nothing."""
    made = attempt(makes(asks(("search", {"query": "bank"})), "done", tools=[search]), Case("a", said="x"))
    assert made.transcript.defaults == {}
    assert not asked(Case("a", said="x", calls={"f": {"a": 1}}))
    assert asked(Case("a", said="x", calls={"f": [None, call(with_defaults({"a": 1}))]}))


def test_a_schema_that_says_nothing_has_no_defaults() -> None:
    """Whatever it is."""
    assert of_schema(None) == of_schema({"properties": ["a"]}) == of_schema({"properties": {"a": True, "b": {}}}) == {}
