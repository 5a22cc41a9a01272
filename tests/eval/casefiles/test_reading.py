"""Files of cases: what they may hold, and where they are found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from brute import UsageError
from brute.eval import Case
from brute.eval.casefiles import noting
from brute.eval.casefiles.reading import opened
from brute.loading import load_file
from tests.eval.casefiles.files import load, refused

ONE = '{"name": "a", "said": "b"}'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases.yaml", "- name: a\n  said: b\n"),
        ("cases.yml", "cases:\n- {name: a, said: b}\n"),
        ("x.yaml", ONE.join("[]")),
        ("cases.json", ONE.join("[]")),
        ("cases.json", f'\ufeff{{"$schema": "cases.schema.json", "cases": [{ONE}]}}'),
        ("cases.jsonl", f"{ONE}\n"),
        ("cases.yaml", "_base: &base {said: b}\ncases:\n  - {<<: *base, name: a}\n"),
    ],
)
def test_the_same_case_in_every_kind_of_file(name: str, text: str) -> None:
    """A list, or a mapping that may name an agent and hold what others are made from."""
    assert load(text, name) == [Case("a", said="b")]


def test_where_each_case_begins_and_the_agent() -> None:
    """What the command line needs of a file."""
    Path("c.yaml").write_text("agent: agent.py\ncases:\n  - {name: a, said: b}\n  - {name: c, said: d}\n")
    told = opened("c.yaml")
    assert (told.agent, [case.name for case in told.cases]) == ("agent.py", ["a", "c"])
    assert {name: str(place) for name, place in told.places.items()} == {"a": "c.yaml:3:5", "c": "c.yaml:4:5"}


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("c.yaml", "", "c.yaml is empty, and holds no cases"),
        ("c.json", " ", "c.json is empty, and holds no cases"),
        ("c.jsonl", "\n", "c.jsonl holds no cases"),
        ("c.yaml", "[]", "c.yaml holds no cases"),
        ("c.yaml", "cases: []", "c.yaml holds no cases"),
        ("c.yaml", "a: 1", 'c.yaml:1:1: a file of cases has no "a"; it takes cases, agent, template, rows, $schema'),
        ("c.yaml", "case: []", 'c.yaml:1:1: a file of cases has no "case" (did you mean "cases"?); it takes cases, agent, template, rows, $schema'),
        ("c.yaml", "agent: a.py", "c.yaml:1:1: a file of cases is a list of cases, or a mapping with cases, or with a template and its rows; got agent"),
        ("c.yaml", "name: a\nsaid: b", "c.yaml:1:1: a file of cases is a list of cases, or a mapping with cases, got one case; write - in front of it, or cases: above it"),
        ("c.yaml", "cases: {a: 1}", "c.yaml:1:8: cases takes a list of cases, got a mapping"),
        ("c.yaml", "agent: 7\ncases: []", 'c.yaml:1:8: agent must be the path of an agent file, got 7; write "7"'),
        ("c.yaml", "hello", 'c.yaml:1:1: a file of cases is a list of cases, or a mapping with cases, got "hello"'),
        ("c.yaml", "- {name: a, said: b}\n- {name: a, said: c}", 'c.yaml:2:3: two cases are called "a", the first in line 1'),
        ("c.jsonl", f"{ONE}\n[]", "c.jsonl:2:1: a case is a mapping with at least name and said, got a list"),
        ("c.jsonl", f'{ONE}\n{{"name": "b", "said": "c", "runs": 0}}', "c.jsonl:2:36: runs must be a whole number >= 1, got 0"),
        ("c.toml", "", "c.toml is not a file of cases: such a file ends in .yaml, .yml, .json or .jsonl"),
    ],
)  # fmt: skip
def test_a_file_that_cant_be_meant(name: str, text: str, sentence: str) -> None:
    """One clear sentence each."""
    assert refused(text, name) == sentence


def test_a_file_that_cant_be_read(folder: Path) -> None:
    """It is not there, is a folder, or no UTF-8."""
    (folder / "cases.yaml").write_text("")
    (folder / "x.yaml").mkdir()
    (folder / "y.json").write_bytes(b'["\xff"]')
    found = []
    for name in ("case.yaml", "x.yaml", "y.json"):
        with pytest.raises(UsageError) as why:
            Case.load(name)
        found.append(str(why.value))
    assert found == [
        'no such file: case.yaml (did you mean "cases.yaml"?)',
        "x.yaml can't be read: Is a directory",
        "y.json is no UTF-8, at byte 3",
    ]
    with pytest.raises(UsageError, match="takes the path of a file of cases, got 7"):
        Case.load(7)  # type: ignore[arg-type]


def test_it_is_looked_for_beside_the_calling_file_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As agents are; then in the working folder. Who asks for it is told of what was loaded."""
    (folder / "evals").mkdir()
    (folder / "evals" / "cases.jsonl").write_text(ONE)
    (folder / "more.jsonl").write_text(ONE.replace('"a"', '"more"'))
    (folder / "evals" / "eval_x.py").write_text(
        "from brute.eval import Case\nCASES = Case.load('cases.jsonl') + Case.load('more.jsonl')\n"
    )
    with noting() as noted:
        module: Any = load_file("evals/eval_x.py")
    assert [case.name for case in module.CASES] == ["a", "more"]
    assert noted == [os.path.realpath("evals/cases.jsonl"), os.path.realpath("more.jsonl")]
