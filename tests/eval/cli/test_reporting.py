"""Reports in files, as the command line is asked for them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.eval.cli.conftest import Brute

MADE = """
import dataclasses
from brute.eval import Case, Suite
from shared import made

_BASE = Case("a base", said="rates?", silent=True)
CASES = [
    Case(
        "in a list",
        said="rates?", silent=True,
    ),
    *[Case(f"number {n}", said="rates?", silent=True) for n in (1, 2)],
    dataclasses.replace(_BASE, said="again"),
    made("elsewhere"),
]
AGENT = "agent.py"

@Case("with a check", said="rates?")
def check(transcript):
    return False
"""


def files(folder: Path) -> set[str]:
    """What lies in the folder besides what was there and the log."""
    return {each.name for each in folder.iterdir() if each.suffix not in (".py", "")}


def untimed(out: str) -> str:
    """What a report says, but for how long it took."""
    return re.sub(r"(seconds |in )[\d.]+", r"\g<1>0", out)


def test_several_reports_of_one_run(brute: Brute, folder: Path) -> None:
    """Each is written, and the one on standard output is what it is without them."""
    plainly = brute("eval", "eval_green.py", "--log", "none", "--jobs", "1")
    ended = brute(
        "eval",
        "eval_green.py",
        "--log",
        "none",
        "--jobs",
        "1",
        "--junit",
        "out/r.xml",
        "--json",
        "r.json",
        "--markdown",
        "r.md",
        "--html",
        "r.html",
    )
    assert (ended.status, ended.err, untimed(ended.out)) == (0, "", untimed(plainly.out))
    assert files(folder) == {"r.json", "r.md", "r.html"}
    assert ElementTree.parse(folder / "out" / "r.xml").getroot().get("tests") == "2"
    assert json.loads((folder / "r.json").read_text())["passed"] is True


def test_several_files_are_one_report(brute: Brute, folder: Path) -> None:
    """Each suite under its own name."""
    assert brute("eval", ".", "--json", "r.json").status == 1
    data = json.loads((folder / "r.json").read_text())
    assert [case["suite"] for case in data["cases"]] == ["eval_green.py"] * 2 + ["eval_grey.py"] + ["eval_red.py"] * 2
    assert data["counts"] == {"passed": 3, "failed": 1, "error": 1, "cancelled": 0}


def test_the_line_of_each_case(brute: Brute, folder: Path) -> None:
    """Where it was made, however that was; of a copy, where what it is a copy of was."""
    (folder / "eval_made.py").write_text(MADE)
    (folder / "shared.py").write_text(
        "from brute.eval import Case\n\ndef made(name):\n    return Case(name, said='?')\n"
    )
    brute("eval", "eval_made.py", "--json", "r.json", "--runs", "2")
    places = {each["name"]: each["place"] for each in json.loads((folder / "r.json").read_text())["cases"]}
    lines = {name: place and f"{place['file']}:{place['line']}" for name, place in places.items()}
    assert lines == {
        "in a list": "eval_made.py:8",
        "number 1": "eval_made.py:12",
        "number 2": "eval_made.py:12",
        "a base": "eval_made.py:6",
        "elsewhere": "shared.py:4",
        "with a check": "eval_made.py:18",
    }


@pytest.mark.parametrize("kind", ["junit", "json", "markdown", "html"])
def test_a_file_that_can_not_be_written_costs_no_result(kind: str, brute: Brute, folder: Path) -> None:
    """Exit status 3 and a sentence, but 1 where a case failed; the other reports are written."""
    other = "json" if kind == "junit" else "junit"
    for name, status in (("eval_green.py", 3), ("eval_red.py", 1)):
        with open(folder / name, "a") as file:
            file.write("\nopen('taken.txt', 'w').close()\n")
        ended = brute("eval", name, f"--{kind}", "taken.txt/report", f"--{other}", f"{name}.other")
        (folder / "taken.txt").unlink()
        assert ended.status == status
        assert ended.err.startswith("Error: the report could not be written: taken.txt/report: ")
        assert " passed in " in ended.last
        assert (folder / f"{name}.other").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--junit", "."], '--junit must be the path of a file to write, got "."'),
        (["--html", ""], '--html must be the path of a file to write, got ""'),
        (["--html", "agent.py/x/r.html"], '--html can\'t write "agent.py/x/r.html": "agent.py" is no folder'),
        (["--junit", "b", "--html", "linked"], '--junit and --html can\'t write to the same file: "linked"'),
        (["--json", "r.db", "--log", "./r.db"], '--log and --json can\'t write to the same file: "r.db"'),
        (["--html", ".brute/runs.db"], '--log and --html can\'t write to the same file: ".brute/runs.db"'),
        (["--junit", "a", "--json", "./a"], '--junit and --json can\'t write to the same file: "./a"'),
    ],
)
def test_what_can_not_be_meant_is_refused_before_anything_runs(
    words: list[str], sentence: str, brute: Brute, folder: Path
) -> None:
    """Exit status 2, and what is allowed."""
    (folder / "linked").symlink_to("b")
    ended = brute("eval", "eval_green.py", *words)
    assert (ended.status, ended.out) == (2, "")
    assert sentence in ended.err


@pytest.mark.parametrize("kind", ["junit", "json", "markdown", "html"])
def test_what_is_no_report_is_not_written_over(kind: str, brute: Brute, folder: Path) -> None:
    """An eval file, where a value was forgotten; an earlier report of the kind, or an empty file, gives way."""
    before = (folder / "eval_green.py").read_text()
    ended = brute("eval", "eval_green.py", f"--{kind}", "eval_green.py")
    told = f'--{kind} would take the place of "eval_green.py", which is no earlier report; name another file, or take that one away'
    assert (ended.status, ended.out, ended.err) == (2, "", f"Error: {told}\n")
    assert (folder / "eval_green.py").read_text() == before
    (folder / "report").write_text("")
    for _ in range(2):
        assert brute("eval", "eval_green.py", f"--{kind}", "report").status == 0
    assert (folder / "report").stat().st_size > 100


def test_a_run_that_never_began_leaves_no_report(brute: Brute, folder: Path) -> None:
    """Neither of this run nor of an earlier one, where it got as far as to begin."""
    (folder / "r.xml").write_text("of yesterday")
    (folder / "agent.py").write_text("raise SystemExit(0)")
    assert brute("eval", "eval_green.py", "--junit", "r.xml").status == 2
    assert (folder / "r.xml").read_text() == "of yesterday"


def test_a_run_without_these_options_writes_nothing(
    brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it on GitHub Actions, where no Markdown was asked for."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    assert "::error" not in brute("eval", "eval_red.py").out
    assert files(folder) == set()


def test_on_github_actions(brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A summary of the step and annotations at the lines of the cases, whose paths are from the root of the repository."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.parent))
    ended = brute("eval", "eval_red.py", "--markdown", "r.md")
    stop, go, line = [each for each in ended.out.splitlines() if each.startswith("::")]
    # What the agent prints meanwhile is no command.
    assert go == f"::{stop.removeprefix('::stop-commands::')}::"
    assert line.startswith(f"::error file={os.path.basename(folder)}/eval_red.py,line=4,title=failed%3A stays silent::")
    assert (folder / "summary.md").read_text() == (folder / "r.md").read_text()
    assert ended.last.startswith("1 failed, 1 passed in ")


@pytest.mark.parametrize(
    ("words", "status"), [(["eval_bad.py"], 2), (["eval_green.py", "-k", "nonesuch"], 5), (["nowhere.py"], 2)]
)
def test_the_report_of_another_run_does_not_survive_a_run_that_never_begins(
    words: list[str], status: int, brute: Brute, folder: Path
) -> None:
    """A broken import is the usual case; a server must not take the old report for this run's."""
    (folder / "eval_bad.py").write_text("import nope\n")
    (folder / "there.xml").write_text("<?xml version='1.0'?>")
    (folder / "link.xml").symlink_to("there.xml")
    files = {"--junit": "link.xml", "--json": "r.json", "--markdown": "/dev/null", "--html": "r.html"}
    (folder / "r.json").write_text('{"format":1}')
    assert brute("eval", *words, *(word for pair in files.items() for word in pair)).status == status
    assert not any((folder / name).exists() for name in ("there.xml", "r.json", "r.html"))
    assert (folder / "link.xml").is_symlink()
    assert Path("/dev/null").exists()


def test_what_is_refused_takes_nothing_away(brute: Brute, folder: Path) -> None:
    """A file that is none of ours, and all beside it."""
    (folder / "notes.xml").write_text("mine")
    (folder / "r.json").write_text('{"format":1}')
    assert brute("eval", "eval_green.py", "--json", "r.json", "--junit", "notes.xml").status == 2
    assert {"notes.xml", "r.json"} <= files(folder)


def test_a_case_whose_name_holds_a_secret_keeps_its_place(
    brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every report: what is masked is its name."""
    secret = "k-7q7q7q7q7q7q7q7q"
    monkeypatch.setenv("MY_API_KEY", secret)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
    (folder / "eval_secret.py").write_text((folder / "eval_red.py").read_text().replace('Case("', f'Case("{secret} '))
    ended = brute(
        "eval", "eval_secret.py", "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md", "--html", "r.html"
    )
    assert ended.status == 1
    assert "::error file=eval_secret.py,line=" in ended.out
    data = json.loads((folder / "r.json").read_text())
    assert [each["place"]["file"] for each in data["cases"]] == ["eval_secret.py"] * len(data["cases"])
    assert ' file="eval_secret.py"' in (folder / "r.xml").read_text()
    assert "`eval_secret.py:" in (folder / "r.md").read_text()
    assert '"place":"eval_secret.py:' in (folder / "r.html").read_text()
    assert all("7q7q" not in (folder / name).read_text() for name in ("r.json", "r.xml", "r.md", "r.html"))


def test_a_file_that_leaves_the_working_folder_takes_no_report_with_it(
    brute: Brute, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`os.chdir(os.path.dirname(__file__))` at its top is not rare; reports and the log stay where they were asked for."""
    monkeypatch.chdir(folder)  # put back afterwards
    (folder / "below").mkdir()
    leaving = (
        'import os\nfrom brute.eval import Case\nos.chdir("below")\nAGENT = "agent.py"\nCASES = [Case("a", said="x")]\n'
    )
    (folder / "eval_leaving.py").write_text(leaving)
    assert brute("eval", "eval_leaving.py", "--json", "made.json").status == 0
    assert files(folder) == {"made.json"}
    assert (folder / ".brute" / "runs.db").is_file()
    monkeypatch.chdir(folder)
    assert brute("eval", "eval_leaving.py", "--log", "other.db").status == 0
    assert files(folder) == {"made.json", "other.db"}
    monkeypatch.chdir(folder)
    assert brute("eval", "eval_leaving.py", "--log", "none").status == 0
    assert list((folder / "below").iterdir()) == []
    monkeypatch.chdir(folder)
    suite = 'from brute.eval import Case, Suite\nsuite = Suite(agent="agent.py", cases=[Case("b", said="x")], log="own.db")\n'
    (folder / "eval_own.py").write_text(suite)
    assert brute("eval", "eval_leaving.py", "eval_own.py").status == 0
    assert ((folder / "own.db").is_file(), list((folder / "below").iterdir())) == (True, [])
