"""What a JSON schema refuses of a call's arguments."""

from __future__ import annotations

from typing import Any

import pytest

from brute.schemas import misfits

SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": ["integer", "null"]},
        "order": {"enum": ["new", "old"]},
        "exact": {"type": "boolean"},
        "weight": {"type": "number"},
        "odd": {"type": "made up"},
    },
    "required": ["query"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"query": "x"}, []),
        ({"query": "x", "limit": None, "order": "new", "exact": True, "weight": 3, "odd": object()}, []),
        ({"query": "x", "limit": 3.0}, []),
        ({}, ["missing query"]),
        ({"q": "x"}, ["missing query", "there is no argument q"]),
        ({"query": 3}, ["query must be of type string, got 3"]),
        ({"query": "x", "limit": "3"}, ['limit must be of type integer or null, got "3"']),
        ({"query": "x", "limit": True}, ["limit must be of type integer or null, got true"]),
        ({"query": "x", "exact": 1}, ["exact must be of type boolean, got 1"]),
        ({"query": "x", "order": "best"}, ['order must be one of "new", "old", got "best"']),
        ({"query": "x", "weight": {1}}, ["weight must be of type number, got set"]),
        ({"query": ["x" * 100]}, ['query must be of type string, got ["' + "x" * 78 + "..."]),
    ],
)
def test_each_misfit_is_told(arguments: dict[str, Any], wrong: list[str]) -> None:
    """Missing ones, unknown ones, and those of another type or outside an enumeration."""
    assert misfits(SCHEMA, arguments) == wrong


@pytest.mark.parametrize("schema", [{}, {"properties": None, "required": None}, {"properties": {"a": True}}])
def test_a_schema_that_says_nothing_refuses_nothing(schema: dict[str, Any]) -> None:
    """What is not looked at is not refused."""
    assert misfits(schema, {"a": 1, "b": 2}) == []
