"""The page on cases in files: its files load, its tables are whole, its commands are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from brute import UsageError
from brute.eval import Budget, Case
from brute.eval.casefiles.fields import FIELDS
from brute.eval.casefiles.forms import FORMS
from brute.eval.casefiles.reading import opened
from brute.eval.casefiles.serving import EXCEPTIONS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "casefiles.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.S))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with the files of the page."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def test_the_first_file() -> None:
    """As the README has it in Python."""
    told = opened("cases.yaml")
    assert told.agent == "agent.py"
    assert told.cases == [
        Case(
            "searches for what it cannot know",
            said="what did the Bank of England do yesterday?",
            stubs={"search": "The Bank of England held Bank Rate at 4.25% on Thursday."},
            calls={"search": {"query": re.compile("bank|rate", re.I)}},
            mentions=["4.25"],
            runs=3,
        ),
        Case(
            "does not search for what it already knows",
            said="how many minutes are there in an hour?",
            never=["search"],
            budget=Budget(iterations=2, tool_calls=0),
        ),
    ]


def test_the_template() -> None:
    """Filled from its table."""
    assert [(case.name, case.mentions) for case in Case.load("capitals.yaml")] == [
        ("1: France", ["Paris"]),
        ("2: Korea, South", ["Seoul"]),
    ]


def test_no_field_and_no_form_is_left_out() -> None:
    """In the tables of the page."""
    assert [name for name in FIELDS if f"`{name}`" not in PAGE] == []
    assert [name for name in FORMS if not re.search(rf"^\| `\{{\${name}: ", PAGE, re.M)] == []


def test_every_form_that_the_page_writes_is_read() -> None:
    """Those of the table, each in a place of its own."""
    table = PAGE.partition("### Forms")[2].partition("### YAML")[0]
    shown = [
        each.replace("\\|", "|")
        for row in re.findall(r"^\| (`\{\$.*?`) \|", table, re.M)
        for each in re.findall("`([^`]+)`", row)
    ]
    assert len(shown) == 27
    for form in shown:
        name = form[2:].partition(":")[0]
        fields = {"raise": "stubs", "in_turn": "stubs", "when": "stubs", "base64": "files", "parallel": "order"}
        field, place = fields.get(name, "calls"), FORMS[name].places[-1]
        value = {"wish": f"{{a: {{b: {form}}}}}", "calls": form, "step": f"[{form}]"}.get(place, f"{{a: {form}}}")
        value = f"{{a: {{b: {form}}}}}" if field == "calls" and "wish" in FORMS[name].places else value
        Path("x.yaml").write_text(f"- {{name: a, said: b, {field}: {value}}}\n")
        assert len(Case.load("x.yaml")) == 1
    assert "TimeoutError" in EXCEPTIONS


def test_what_is_said_of_slashes() -> None:
    """A pattern, a text, or refused."""
    text = "- {name: a, said: b, calls: {f: {x: %s}}}"
    found = []
    for path in ("/tmp/", "{$text: /tmp/}", "/usr/bin/"):
        Path("x.yaml").write_text(text % path)
        try:
            found.append(Case.load("x.yaml")[0].calls["f"]["x"])  # type: ignore[index,call-overload]
        except UsageError:
            found.append("refused")
    assert found == [re.compile("tmp"), "/tmp/", "refused"]
