"""Values that a JSON schema allows."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case, schema
from brute.eval.grading import grade
from brute.eval.matching import matches
from tests.support.make import call, transcript

pytest.importorskip("jsonschema")

DAY = {"type": "object", "properties": {"day": {"type": "string", "pattern": "^[0-9-]+$"}}, "required": ["day"]}


def test_what_agrees_and_what_differs() -> None:
    """As the schema says, for an argument and for all of a call's."""
    assert matches(schema({"type": "integer", "minimum": 3}), 3)
    assert not matches(schema({"type": "integer", "minimum": 3}), 2)
    assert not matches(schema({"type": "integer"}), True)
    assert matches([schema({"$ref": "#/$defs/a", "$defs": {"a": {"const": 1}}})], [1.0])
    wanting = Case("a", said="x", calls={"f": schema(DAY)})
    assert grade(wanting, transcript(call("f", day="2024-05-01"))).passed
    assert grade(wanting, transcript(call("f", day="May"))).sentences == [
        (
            'called f 1 time, never with a value of schema {"type": "object", "properties": {"day": {"type": "string", '
            '"pattern": "^[0-9-]+$"}}, "required": ["day"]}; arguments were {"day": "May"}'
        )
    ]
    assert not grade(wanting, transcript(call("f", malformed="{"))).passed


@pytest.mark.parametrize(
    ("format", "right", "wrong"),
    [
        ("date", "2024-05-01", "May"),
        ("date-time", "2024-05-01T10:00:00Z", "2024-05-01"),
        ("time", "10:00:00+02:00", "25:00:00Z"),
        ("email", "ann@example.com", "ann"),
        ("uri", "https://example.com/a?b", "example"),
        ("ipv4", "10.0.0.1", "10.0.0.256"),
        ("uuid", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae"),
    ],
)
def test_a_format_is_asked_for_and_not_only_remarked(format: str, right: str, wrong: str) -> None:
    """Whoever writes that a text is a date means it; another type of value is none of a format's business."""
    wanted = schema({"format": format})
    assert matches(wanted, right)
    assert matches(wanted, 3)
    assert not matches(wanted, wrong)


def test_it_shows_itself_and_keeps_its_own() -> None:
    """Whatever becomes of what it was given."""
    given: dict[str, Any] = {"type": "integer"}
    made = schema(given)
    given["type"] = "string"
    assert repr(made) == "schema({'type': 'integer'})"
    assert matches(made, 3)
    assert made == schema({"type": "integer"}) != schema({"type": "string"})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("x", 'schema takes a JSON schema, a dict, got "x"'),
        ({"type": "int"}, "schema is no JSON schema: 'int' is not valid under any of the given schemas"),
        ({"type": {1}}, "schema takes what JSON can say: Object of type set is not JSON serializable"),
        ({"$ref": "https://example.com/a"}, 'schema refers to "https://example.com/a"; it may refer to its own parts only, with #'),
    ],
    ids=["text", "type", "set", "elsewhere"],
)  # fmt: skip
def test_what_is_no_schema_is_refused(given: Any, sentence: str) -> None:
    """When it is given, and nothing is fetched."""
    with pytest.raises(UsageError) as error:
        schema(given)
    assert str(error.value) == sentence


def test_a_reference_to_nowhere_agrees_with_nothing() -> None:
    """What can't be told is no match."""
    assert not matches(schema({"$ref": "#/$defs/nowhere"}), 1)


def test_the_missing_library_is_named() -> None:
    """With the command that installs it."""
    code = """
import sys
sys.modules["jsonschema"] = None
from brute.eval import schema
try:
    schema({})
except Exception as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "schema(...) needs the extra 'schema': pip install 'brute-eval[schema]'\n"
