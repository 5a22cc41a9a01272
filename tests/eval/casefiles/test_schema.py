"""The JSON schema: made from the code, published in docs, and of one mind with what reads the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from brute import UsageError
from brute.eval import Case
from brute.eval.casefiles import forms
from brute.eval.casefiles.fields import FIELDS
from brute.eval.casefiles.schema import schema
from brute.eval.casefiles.writing import data_of
from tests.eval.casefiles.files import node, plainly
from tests.eval.casefiles.test_writing import cases
from tests.support.golden import same_as_golden

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "cases.schema.json"
VALID = Draft7Validator(schema())


def test_what_is_published_is_what_the_code_reads() -> None:
    """`UPDATE_GOLDEN=1` writes it anew."""
    same_as_golden(json.dumps(schema(), indent=2) + "\n", PUBLISHED)
    Draft7Validator.check_schema(schema())


def test_every_field_and_every_form_is_described() -> None:
    """With what it means, for an editor to show."""
    definitions = schema()["definitions"]
    assert list(definitions["case"]["properties"]) == list(FIELDS)
    told = json.dumps(definitions)
    for about in [*(field.about for field in FIELDS.values()), *(form.about for form in forms.FORMS.values())]:
        assert json.dumps(about) in told


@settings(max_examples=100, deadline=None)
@given(cases)
def test_what_is_dumped_is_valid(made: Case) -> None:
    """Every case that can be written."""
    assert [error.message for error in VALID.iter_errors({"cases": [data_of(made)]})] == []


GOOD = """
$schema: cases.schema.json
agent: agent.py
_base: &base {said: b}
cases:
  - {<<: *base, name: a, stubs: {f: {$raise: {TimeoutError: slow}}, g: {$in_turn: [1, {$raise: KeyError}]}}}
  - {name: b, said: null, calls: {f: , g: {a: {$type: int | null}}, h: [{a: /x/i}, null]}, mentions: [a, [b, /c/]]}
  - {template: {name: "{a}", said: "{a}", runs: "{n:json}"}, rows: t.csv}
  - {name: d, said: x, budget: {tokens: null, iterations: null, tool_calls: null, seconds: null}}
  - {name: c, said: x, conversation: [{user: a}, {role: tool, content: b, failed: true}], files: {a: {$base64: AA==}}}
template: {name: "{b}", said: x}
rows: [{b: 1}]
"""


def test_a_whole_file() -> None:
    """With all that stands around cases."""
    assert [error.message for error in VALID.iter_errors(plainly(node(GOOD)))] == []


@pytest.mark.parametrize(
    "line",
    [
        "mention: [a]",
        "runs: 0",
        "silent: yes",
        "never: f",
        "order: []",
        "calls: [f]",
        "calls: {f: 7}",
        "calls: {f: {a: {$typ: int}}}",
        "calls: {f: {a: {$type: string}}}",
        "calls: {f: {a: {$type: int, b: 1}}}",
        "stubs: {f: {$raise: TimoutError}}",
        "stubs: {f: {$ref: a}}",
        "stubs: {f: {$in_turn: []}}",
        "budget: {itrations: 3}",
        "budget: {tokens: 0}",
        "conversation: [hi]",
        "conversation: [{usr: hi}]",
        "mentions: [4.10]",
        "files: {a: 7}",
        "check: f",
        "calls: {f: {a: {$any_of: []}}}",
        "calls: {f: {a: {$optional: {$typ: int}}}}",
        "calls: {f: {a: {$near: {number: 4}}}}",
        "calls: {f: {a: {$near: {number: 4, within: -1}}}}",
        "calls: {f: {a: {$same_text: ''}}}",
        "calls: {f: {a: {$only: 1}}}",
        "calls: {f: {a: {$schema: [1]}}}",
        "calls: {f: {$optional: 1}}",
        "calls: {f: {$call: {outcome: deneid}}}",
        "calls: {f: {$call: {times: -1}}}",
        "calls: {f: {$call: {arguments: [1]}}}",
        "calls: {f: {$with_defaults: 1}}",
        "calls: {f: {a: {$with_defaults: {}}}}",
        "calls: {$only_among: {calls: {f: }}}",
        "calls: {$only: [f]}",
        "order: [{$parallel: [a]}]",
        "order: [{$parallel: [a, 7]}]",
        "order: [{$only: {}}]",
        "stubs: {f: {$when: {}}}",
        "stubs: {f: {$when: []}}",
        "stubs: {f: {$when: {returns: 1, fails: KeyError}}}",
        "stubs: {f: {$when: {fails: KeyEror}}}",
        "stubs: {f: {$when: {returns: 1, then: [{passes_through: true}]}}}",
        "stubs: {f: {$when: {passes_through: false}}}",
    ],
)
def test_what_the_reader_refuses_an_editor_underlines(line: str) -> None:
    """Misspelt words, wrong types, values that are not allowed."""
    text = f"- name: a\n  said: b\n  {line}\n"
    assert not VALID.is_valid(plainly(node(text)))
    Path("c.yaml").write_text(text)
    with pytest.raises(UsageError):
        Case.load("c.yaml")


@pytest.mark.parametrize(
    "text", ["a: 1", "cases: [{name: a}]", "template: {name: a, said: b}", "rows: a", "agent: a.py", "[]", "a"]
)
def test_what_is_no_file_of_cases(text: str) -> None:
    """Nor is it for an editor."""
    data: Any = plainly(node(text))
    assert not VALID.is_valid(data)
